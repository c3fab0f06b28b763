"""What the tests of the ACP driver share: peers given as source, and what became of them."""

from __future__ import annotations

import os
import textwrap
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from runledger.agents import Asked, Assignment, Post, Said
from runledger.agents.acp import AcpDriver
from runledger.agents.acp.session import AcpSession
from runledger.errors import AgentError
from runledger.ledger.event import FinalOutput, Message, Raw, TaskError, Thought
from runledger.ledger.suite import AgentSettings
from runledger.ledger.task import Task
from runledger.ledger.trajectory import Exit
from runledger.ledger.value import Json
from runledger.process.deadline import Deadline
from runledger.process.supervisor import Supervisor

PEERS = Path(__file__).parent / "agents" / "acp_peers"
One = TypeVar("One")


@dataclass
class Story:
    """All that a session told, the fault that ended it, and how its process ended."""

    all: list[Asked | Said] = field(default_factory=list)
    fault: AgentError | None = None
    exit: Exit = Exit()

    @property
    def said(self) -> list[Asked | Said]:
        """Leave out the messages as they came, and how long pieces took to come."""
        return [_timeless(one) for one in self.all if not isinstance(one, Raw)]

    @property
    def raws(self) -> list[Raw]:
        """Keep only the messages as they came."""
        return self.of(Raw)

    def of(self, kind: type[One]) -> list[One]:
        """Keep what is of one kind."""
        return [found for one in self.all if isinstance(found := _timeless(one), kind)]

    def answers(self) -> list[Any]:
        """List what we sent in answer to requests of the agent."""
        sent: list[Any] = [one.data for one in self.raws if one.direction == "to_agent"]
        return [one for one in sent if "method" not in one]


def _timeless(said: Asked | Said) -> Asked | Said:
    return replace(said, took_ms=None) if isinstance(said, (Message, Thought)) else said


class Whistle(Deadline):
    """A deadline that comes when it is blown, however slow the machine is."""

    def __init__(self) -> None:
        super().__init__(float("inf"))
        object.__setattr__(self, "blown", False)

    def blow(self) -> None:
        """Let the deadline come."""
        object.__setattr__(self, "blown", True)

    def passed(self) -> bool:
        """Say whether it was blown."""
        return bool(self.__dict__["blown"])

    def left_ms(self) -> int:
        """Wait as long as it takes."""
        return 0 if self.passed() else 100_000


class AcpStage:
    """Starts peers in a directory, each with a mark by which it could be found again."""

    def __init__(self, supervisor: Supervisor, directory: Path) -> None:
        self.supervisor = supervisor
        self.directory = directory
        self.mark = uuid.uuid4().hex

    def driver(self, source: str, *, grace_s: float = 5.0, **settings: Any) -> AcpDriver:
        """Make the driver for a peer that is given as Python source, or as a command."""
        file = self.directory.parent / "peer.py"
        file.write_text(f"from raw import *\n{textwrap.dedent(source)}")
        settings = {"command": ("{python}", str(file)), "protocol": "acp", **settings}
        agent = AgentSettings(grace_ms=int(grace_s * 1000), **settings)
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PEERS), "RL_TEST_MARK": self.mark}
        return AcpDriver(Post(self.supervisor, agent, env, str(self.directory)))

    def start(
        self, source: str, *, input: Json = "hello", deadline: Deadline | None = None, **how: Any
    ) -> AcpSession:
        """Start a peer with a task."""
        until = deadline or Deadline.after(90)
        return self.driver(source, **how).start(
            Assignment(Task("t1", input), until, str(self.directory))
        )

    def play(self, source: str, *, late: bool = False, **how: Any) -> Story:
        """Let a peer do its task from beginning to end, or until it has it and the time is up."""
        whistle = Whistle()
        session = self.start(source, **({"deadline": whistle} if late else {}), **how)
        story = Story()
        try:
            story.all.extend(session.begin())
            whistle.blow()
            story.all.extend(_told(session))
        except AgentError as fault:
            story.fault = fault
        finally:
            story.exit = session.close()
        return story


def _told(session: AcpSession) -> Iterator[Asked | Said]:
    while True:
        said = session.next()
        yield said
        if isinstance(said, FinalOutput):
            yield from session.leave()
        if isinstance(said, (FinalOutput, TaskError)):
            return
