"""The stdio driver, on real processes."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kit import PREAMBLE
from runledger.agents import Asked, Assignment, Post
from runledger.agents.conformance import check_driver
from runledger.agents.jsonl import JsonlSession
from runledger.agents.stdio import StdioDriver
from runledger.errors import AgentError
from runledger.ledger.event import FinalOutput, Log, ToolCall, ToolResult, UsageReport
from runledger.ledger.suite import AgentSettings
from runledger.ledger.task import Task
from runledger.process.deadline import Deadline
from runledger.process.supervisor import Supervisor

TASK = Task(id="t1", input={"q": "cats"})
Start = Callable[..., JsonlSession]


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Callable[..., StdioDriver]]:
    """Make drivers for agents given as Python source."""
    with Supervisor() as supervisor:

        def make(source: str, *, grace_s: float = 5.0, reuse: bool = False) -> StdioDriver:
            (tmp_path / "agent.py").write_text(PREAMBLE + textwrap.dedent(source))
            agent = AgentSettings(
                ("{python}", "{suite}/agent.py"), reuse=reuse, grace_ms=int(grace_s * 1000)
            )
            env = {"PATH": os.environ["PATH"]}
            return StdioDriver(Post(supervisor, agent, env, str(tmp_path)))

        yield make


@pytest.fixture
def start(driver: Callable[..., StdioDriver], tmp_path: Path) -> Start:
    """Give the task to an agent given as Python source."""

    def started(source: str, *, limit_s: float = 20.0, grace_s: float = 5.0) -> JsonlSession:
        return driver(source, grace_s=grace_s).start(
            Assignment(TASK, Deadline.after(limit_s), str(tmp_path))
        )

    return started


ECHO_FOREVER = """
while task := read():
    result = call("search", q=task["input"]["q"])
    send("final_output", output={"pid": os.getpid(), "found": result["result"]})
"""


@pytest.mark.parametrize("reuse", [False, True])
def test_the_driver_conforms(
    driver: Callable[..., StdioDriver], tmp_path: Path, reuse: bool
) -> None:
    """The stdio driver keeps to what every driver keeps to, with and without reuse."""
    check_driver(driver(ECHO_FOREVER, reuse=reuse), TASK, str(tmp_path))


def test_messages_become_events(start: Start) -> None:
    """Every message type is understood, and extra keys are kept."""
    session = start("""
        task = read()
        send("log", level="debug", message=task["task_id"], data={"a": 1})
        send("usage", tokens_in=3, tokens_out=4, cost_usd=0.5, model="m")
        send("tool_call", name="search", call_id="c1", args={"q": "x"}, trace="abc")
        send("final_output", output=read())
    """)

    assert session.next() == Log("debug", "t1", {"a": 1})
    report = session.next()
    assert isinstance(report, UsageReport)
    assert (report.usage.tokens_out, report.usage.cost_usd) == (4, 0.5)
    call = ToolCall("search", "c1", {"q": "x"}, extra={"trace": "abc"})
    assert session.next() == Asked(call)
    session.answer(ToolResult("c1", ok=False, error="no luck"))
    answer = {"type": "tool_result", "call_id": "c1", "ok": False, "result": None}
    assert session.next() == FinalOutput({**answer, "error": "no luck"})


def test_an_agent_cannot_say_that_its_usage_was_seen(start: Start) -> None:
    """That is for the proxy, which did see it."""
    report = start('read(); send("usage", tokens_in=3, source="model", trace="abc")').next()

    assert isinstance(report, UsageReport)
    assert (report.was_seen, dict(report.extra)) == (False, {"trace": "abc"})


def test_an_agent_that_exits_early_is_told_with_status_and_stderr(start: Start) -> None:
    """Exit status and the end of standard error are part of the error."""
    session = start("read(); sys.stderr.write('boom'); sys.exit(7)")

    with pytest.raises(AgentError, match="exited with status 7 before its final output") as caught:
        session.next()
    assert caught.value.kind == "agent_exited_early"
    assert caught.value.details == {"exit_code": 7, "signal": None, "stderr": "boom"}
    assert session.close().code == 7


def test_the_signal_that_ended_an_agent_is_named(start: Start) -> None:
    """A crash shows the signal's name."""
    session = start("read(); os.kill(os.getpid(), signal.SIGSEGV)")

    with pytest.raises(AgentError, match="was ended by SIGSEGV"):
        session.next()
    assert session.close().signal == "SIGSEGV"


def test_an_agent_that_closes_its_output_has_no_more_to_say(start: Start) -> None:
    """Closing standard output without leaving is no way to answer either."""
    session = start("read(); os.close(1); signal.pause()", grace_s=0.1)

    with pytest.raises(AgentError, match="closed its standard output before its final output"):
        session.next()


def test_a_silent_agent_times_out_in_the_words_of_the_contract(start: Start) -> None:
    """The time-out says what was waited for."""
    session = start("read(); signal.pause()", limit_s=0.5)

    with pytest.raises(AgentError, match="case timeout waiting for agent message") as caught:
        session.next()
    assert caught.value.kind == "timeout"
    assert session.close().timed_out


def test_a_message_over_the_cap_is_cut_off(start: Start) -> None:
    """A line without end does not fill the memory."""
    session = start("read()\nwhile True: os.write(1, b'x' * 65536)")

    with pytest.raises(AgentError, match="one message is over 8 MiB") as caught:
        session.next()
    assert caught.value.kind == "message_too_large"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("hello", "print logs to stderr, not stdout"),
        ("\\ufeff{}", "print logs to stderr, not stdout"),
        ("{}\\0", "print logs to stderr, not stdout"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": 1, "a": 2}', "duplicate key 'a'"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": ' + "1" * 5000 + "}", "too many digits"),
        ("[1]", "not a JSON object"),
        ('{"type": "tool"}', "unknown message type 'tool'"),
        (
            '{"type": "tool_call", "name": "a", "call_id": 3, "args": {}}',
            "'call_id' must be a text",
        ),
        (
            '{"type": "tool_call", "name": "a", "call_id": "1", "args": []}',
            "'args' must be an object",
        ),
        ('{"type": "final_output", "output": "text"}', "'output' must be an object"),
        ('{"type": "usage", "tokens_out": -1}', "'tokens_out' must be a number from 0 to"),
    ],
)
def test_a_broken_line_is_a_protocol_error_that_shows_it(
    start: Start, line: str, words: str
) -> None:
    """Whatever is wrong with a line, one sentence says what, and the line's start is shown."""
    session = start(f"read(); print('''{line}'''); input()")

    with pytest.raises(AgentError, match=words) as caught:
        session.next()
    assert caught.value.kind == "protocol_error"
    assert "line" in caught.value.details
    assert len(str(caught.value)) < 1000


def test_invalid_utf8_is_shown_escaped(start: Start) -> None:
    """Bytes that are not UTF-8 are a protocol error, and harmless in it."""
    session = start("read(); os.write(1, b'caf\\xe9\\n'); input()")

    with pytest.raises(AgentError, match="not UTF-8 at byte 4"):
        session.next()


def test_crlf_and_one_byte_writes_and_two_messages_at_once_are_fine(start: Start) -> None:
    """How the bytes of a line arrive makes no difference."""
    session = start("""
        read()
        line = b'{"type": "log", "message": "one"}\\r\\n{"type": "log", "message": "two"}\\n'
        for byte in line:
            os.write(1, bytes([byte]))
        os.write(1, line)
    """)

    assert [session.next() for _ in range(4)] == [Log("info", "one"), Log("info", "two")] * 2


def test_a_repeated_call_id_is_an_error(start: Start) -> None:
    """Two calls under one id could not be told apart."""
    session = start("""
        read()
        send("tool_call", name="a", call_id="c1", args={})
        send("tool_call", name="b", call_id="c1", args={})
        input()
    """)
    session.next()

    with pytest.raises(AgentError, match="call_id 'c1' was used before"):
        session.next()


@pytest.mark.parametrize(
    "late", ['"tool_call", name="a", call_id="c1", args={}', '"final_output", output={}']
)
def test_what_may_not_come_after_the_final_output_is_an_error(start: Start, late: str) -> None:
    """A tool call or a second answer after the answer breaks the protocol."""
    session = start(f"read(); send('final_output', output={{}}); send({late})")
    session.next()

    with pytest.raises(AgentError, match="after the final output"):
        list(session.leave())


def test_logs_after_the_final_output_are_recorded(start: Start) -> None:
    """What an agent may still say is not lost."""
    session = start("read(); send('final_output', output={}); send('log', message='bye')")
    session.next()

    assert list(session.leave()) == [Log("info", "bye")]
    assert session.close().code == 0


def test_an_agent_that_refuses_to_exit_keeps_its_answer(start: Start) -> None:
    """After its grace an agent is ended; its answer stands."""
    source = """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        read()
        send("final_output", output={})
        while True: signal.pause()
    """
    session = start(source, grace_s=0.1)

    assert session.next() == FinalOutput({})
    assert list(session.leave()) == []
    assert session.close().signal == "SIGKILL"


def test_an_agent_that_never_reads_does_not_block_us(start: Start) -> None:
    """A large answer waits in our memory until the deadline, not for ever."""
    source = 'send("tool_call", name="a", call_id="c1", args={}); signal.pause()'
    session = start(source, limit_s=1.0, grace_s=0.1)
    session.next()
    session.answer(ToolResult("c1", ok=True, result="x" * 10_000_000))

    with pytest.raises(AgentError, match="case timeout"):
        session.next()
    session.close()


def test_an_agent_that_closes_its_input_can_still_answer(start: Start) -> None:
    """A closed input loses our words, not the agent's."""
    source = """
        os.close(0)
        send("tool_call", name="a", call_id="c1", args={})
        send("final_output", output={"deaf": True})
    """
    session = start(source)
    session.next()
    session.answer(ToolResult("c1", ok=True, result={}))

    assert session.next() == FinalOutput({"deaf": True})


def answer_of(driver: StdioDriver, expect: type = FinalOutput) -> dict[str, object]:
    """Give the driver one more task and return the final output."""
    session = driver.start(Assignment(TASK, Deadline.after(20.0), driver._post.directory))
    try:
        while not isinstance(heard := session.next(), expect):
            session.answer(ToolResult("c1", ok=True, result={}))
        list(session.leave())
    finally:
        session.close()
    assert isinstance(heard, FinalOutput)
    assert isinstance(heard.output, dict)
    return heard.output


def test_a_reused_agent_is_one_process(driver: Callable[..., StdioDriver]) -> None:
    """With reuse the same process serves one task after the other."""
    reused = driver(ECHO_FOREVER, reuse=True)

    assert answer_of(reused)["pid"] == answer_of(reused)["pid"]
    reused.close()


def test_a_reused_agent_that_crashed_is_replaced(driver: Callable[..., StdioDriver]) -> None:
    """A crash costs its own task, not the next one."""
    reused = driver(
        """
        read()
        if not os.path.exists("crashed"):
            open("crashed", "w").close()
            sys.exit(1)
        send("final_output", output={"fine": True})
        """,
        reuse=True,
    )
    with pytest.raises(AgentError, match="exited with status 1"):
        answer_of(reused)

    assert answer_of(reused) == {"fine": True}
    assert answer_of(reused) == {"fine": True}
    reused.close()


def test_an_agent_that_does_not_read_is_not_heard_further(start: Start) -> None:
    """Answers that nobody reads do not fill the memory."""
    session = start(
        """
        read()
        for n in range(30): send("tool_call", name="search", call_id=str(n), args={})
        signal.pause()
        """,
        limit_s=2.0,
        grace_s=0.1,
    )
    answered = []

    def answer_all() -> None:
        while isinstance(asked := session.next(), Asked):
            session.answer(ToolResult(asked.call.call_id, ok=True, result="x" * 4 * 2**20))
            answered.append(asked)

    with pytest.raises(AgentError, match="case timeout"):
        answer_all()

    assert len(answered) <= 9
    assert session.close().timed_out
