"""The command of a command-line agent, and what is passed to it beside its prompt."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from ...errors import AgentError, StoreError
from ...ledger.adapter import Adapter, option_words
from ...ledger.prompts import prompts_of
from ...ledger.strict_json import dump_line
from ...ledger.suite import AgentSettings, McpServer, fill_in
from ...ledger.task import Task
from ...ledger.value import Json
from ...store import disk
from ...store.whole import write_whole

PROMPT_CAP = 100 * 1024  # bytes on a command line: Linux takes 128 KiB for one word
PROMPT, CONFIG = "{prompt}", "{mcp_config}"


def problem_with(task: Task, agent: AgentSettings) -> str | None:
    """Say why an agent cannot be given a task, before it is started; None when it can."""
    adapter, prompts = _adapter(agent), prompts_of(task.input)
    if not prompts:
        return "its input must be a text, a list of texts, or an object with such a prompt"
    if not agent.command and adapter.program is None:
        return f"the adapter {adapter.name} names no program: name the agent's command"
    if len(prompts) > 1 and "resume" not in adapter.options:
        return (
            f"its input has {len(prompts)} turns, and the adapter {adapter.name} has no "
            "options.resume that says how a session is gone on with; ask one prompt"
        )
    if agent.servers and "mcp_config" not in adapter.options and not _holds(agent, CONFIG):
        return (
            f"the adapter {adapter.name} has no options.mcp_config that says how an MCP server is "
            f"passed; put {CONFIG} in the agent's command, or name servers in its own settings"
        )
    return _unfit_for_words(prompts, agent)


def uses_stdin(agent: AgentSettings) -> bool:
    """Say whether the prompt goes to standard input."""
    return _adapter(agent).prompt.via == "stdin" and not _holds(agent, PROMPT)


def command_for(
    agent: AgentSettings, words: Sequence[str], prompt: str, config: str | None, session: str | None
) -> list[str]:
    """Write the whole command of one turn: program, the adapter's arguments, the user's.

    `words` are the agent's own, filled in but for what differs from turn to turn.
    """
    adapter = _adapter(agent)
    program, *own = words or [adapter.program or ""]
    given = [] if config is None or _holds(agent, CONFIG) else [config]
    known = option_words(adapter, "mcp_config", given)
    places = {"mcp_config": config or "", "prompt": prompt}  # a prompt may hold any {word}
    again = option_words(adapter, "resume", [] if session is None else [session])
    return [
        program,
        *adapter.args,
        *known,
        *fill_in(own, **places),
        *again,
        *_prompt(agent, prompt),
    ]


class ConfigFile:
    """A file that tells an agent of its MCP servers, in a directory of its own."""

    def __init__(self, servers: Sequence[McpServer]) -> None:
        self.path: str | None = None
        self._directory: Path | None = None
        if servers:
            try:
                self._write(dump_line({"mcpServers": {one.name: _told(one) for one in servers}}))
            except StoreError:
                self.remove()
                raise

    def _write(self, content: bytes) -> None:
        self._directory = disk.private_directory("runledger-mcp-")  # which only we can read
        file = self._directory / "mcp.json"
        write_whole(file, content)
        self.path = str(file)

    def remove(self) -> None:
        """Remove the file and its directory."""
        if self._directory is not None:
            with contextlib.suppress(OSError):
                disk.remove_tree(self._directory)


def _told(server: McpServer) -> Json:
    return {"command": server.command, "args": list(server.args), "env": dict(server.env)}


def _adapter(agent: AgentSettings) -> Adapter:
    if agent.adapter is None:
        raise AgentError("spawn_failed", "a headless agent needs an adapter")
    return agent.adapter


def _holds(agent: AgentSettings, blank: str) -> bool:
    return any(blank in word for word in agent.command)


def _prompt(agent: AgentSettings, prompt: str) -> list[str]:
    way = _adapter(agent).prompt
    if way.via == "stdin" or _holds(agent, PROMPT):
        return []
    return [prompt] if way.flag is None else [way.flag, prompt]


def _unfit_for_words(prompts: Sequence[str], agent: AgentSettings) -> str | None:
    """Say why prompts cannot stand on a command line, where they would have to."""
    if uses_stdin(agent):
        return None
    if any("\0" in prompt for prompt in prompts):
        return "its prompt holds a NUL character, which no command line can"
    longest = max(len(prompt.encode("utf-8", "surrogatepass")) for prompt in prompts)
    if longest <= PROMPT_CAP:
        return None
    return (
        f"its prompt has {longest} bytes, and one over {PROMPT_CAP // 1024} KiB never goes on the "
        "command line; use an adapter whose prompt goes to stdin"
    )
