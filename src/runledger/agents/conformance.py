"""What every driver keeps to: run `check_driver` on one of your own."""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.event import FinalOutput, ToolResult
from ..ledger.task import Task
from ..process.deadline import Deadline
from . import Asked, Assignment, Driver, Said, Session

WITHIN_S = 60.0
MOST = 1000


def check_driver(driver: Driver, task: Task, directory: str = ".") -> None:
    """Give a task to the agent twice; it must come to a final output and end, both times.

    Tool calls are answered with an empty object.
    """
    for _ in range(2):
        session = driver.start(Assignment(task, Deadline.after(WITHIN_S), directory))
        try:
            list(session.begin())
            heard = list(_to_the_end(session))
            list(session.leave())
        finally:
            exit = session.close()
        assert isinstance(heard[-1], FinalOutput), "the agent must come to a final output"
        ids = [one.call.call_id for one in heard if isinstance(one, Asked)]
        assert len(ids) == len(set(ids)), "every call has an id of its own"
        assert not exit.timed_out, "an agent that answered did not time out"
        assert exit == session.close(), "closing twice tells the same end"
    driver.close()


def _to_the_end(session: Session) -> Iterator[Asked | Said]:
    for _ in range(MOST):
        heard = session.next()
        yield heard
        if isinstance(heard, Asked):
            session.answer(ToolResult(heard.call.call_id, ok=True, result={}))
        if isinstance(heard, FinalOutput):
            return
    raise AssertionError(f"no final output among the first {MOST} things that happened")
