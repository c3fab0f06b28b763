"""The headless driver, on real processes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.headless_kit import LINES, TEXT, Bench, bench_in, program, server
from runledger.agents import Assignment
from runledger.agents.conformance import check_driver
from runledger.agents.headless import problem_with
from runledger.errors import AgentError
from runledger.ledger.adapter import Adapter, PromptWay, UsageRule, option_words
from runledger.ledger.event import (
    FinalOutput,
    Log,
    Message,
    Raw,
    TaskError,
    Thought,
    ToolCall,
    ToolResult,
    UsageReport,
)
from runledger.ledger.suite import AgentSettings
from runledger.ledger.task import Task
from runledger.ledger.usage import Usage
from runledger.process.deadline import Deadline

ECHO = 'say(type="end", text=sys.stdin.read())'
WORDS = 'say(type="end", text=json.dumps(sys.argv[1:]))'


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Give a place where agents can be asked."""
    with bench_in(tmp_path) as opened:
        yield opened


def words_of(bench: Bench, adapter: Adapter, *words: str, prompt: str = "hi") -> list[str]:
    """Give the arguments with which an agent was started."""
    heard = bench.ask(bench.agent(WORDS, adapter, *words), prompt)
    found: list[str] = json.loads(str(heard.output))
    return found


@pytest.mark.parametrize("adapter", [LINES, TEXT])
def test_the_driver_conforms(bench: Bench, adapter: Adapter) -> None:
    """The headless driver keeps to what every driver keeps to."""
    source = ECHO if adapter is LINES else "print(sys.stdin.read())"

    check_driver(bench.driver(bench.agent(source, adapter)), Task("t1", "hi"), str(bench.path))


def test_lines_become_steps_in_their_order(bench: Bench) -> None:
    """Every line is kept as it came, and then what it means."""
    heard = bench.ask(
        bench.agent("""
            say(type="start", session="s1", model="m")
            say(type="think", text="hm")
            say(type="call", id="c1", name="Read")
            say(type="called", id="c1", output="text")
            say(type="say", text="done")
            say(type="end", text="done", out=7, **{"in": 3, "cached": 2})
        """)
    )

    assert heard.steps == [
        Log("info", "session", {"id": "s1", "model": "m"}),
        Thought("hm"),
        ToolCall("Read", "c1", {}),
        ToolResult("c1", ok=True, result="text"),
        Message("done"),
        UsageReport(Usage(5, 7, model="m")),
        FinalOutput("done"),
    ]
    assert heard.raw[0] == Raw("to_agent", "hi")
    assert heard.raw[1] == Raw("from_agent", {"type": "start", "session": "s1", "model": "m"})
    assert len(heard.raw) == 7
    assert heard.exit.code == 0
    assert heard.exit.stop_reason == "end_turn"


def test_steps_are_told_while_the_agent_works(bench: Bench) -> None:
    """A line is passed on as it comes, not when the process has ended."""
    os.mkfifo(bench.path / "go")
    agent = bench.agent("""
        say(type="say", text="one")
        open("go").read()
        say(type="end", text="two")
    """)
    session = bench.driver(agent).start(
        Assignment(Task("t1", "hi"), Deadline.after(30), str(bench.path))
    )
    heard = [session.next() for _ in range(3)]
    (bench.path / "go").write_text("on")

    assert heard[-1] == Message("one")
    session.close()


def test_parts_join_into_one_step(bench: Bench) -> None:
    """Parts of one message are one step; another kind of step ends it."""
    heard = bench.ask(
        bench.agent("""
            say(type="think", text="a", part=True)
            say(type="think", text="b", part=True)
            say(type="say", text="c", part=True)
            say(type="call", id="c1", name="Read")
            say(type="say", text="d", part=True)
            say(type="say", text="e", part=True)
        """)
    )

    call = ToolCall("Read", "c1", {})
    answer = [Message("c"), call, Message("de"), FinalOutput("cde")]
    assert heard.steps == [Thought("ab"), *answer]


def test_stray_lines_are_kept_and_mean_nothing(bench: Bench) -> None:
    """A banner on standard output is no fault of an agent that also speaks JSON."""
    heard = bench.ask(
        bench.agent("""
            print("Welcome!")
            print('{"a": 1, "a": 2}')
            print("[1]")
            print()
            sys.stdout.flush()
            os.write(1, b"caf\\xe9\\n")
            say(type="end", text="fine")
        """)
    )

    strays = [one.data for one in heard.raw if isinstance(one.data, str)]
    assert strays == ["hi", "Welcome!", '{"a": 1, "a": 2}', "[1]", "caf\\xe9"]
    assert heard.output == "fine"


def test_output_without_any_json_is_a_protocol_error(bench: Bench) -> None:
    """An agent in its wrong mode is told from one that answers, with what it wrote."""
    heard = bench.ask(bench.agent('print("I am a chat!")'))

    assert heard.fault is not None
    assert heard.fault.kind == "protocol_error"
    assert "the adapter lines expects; its output begins with: 'I am a chat!'" in str(heard.fault)


def test_a_last_line_without_its_end_counts(bench: Bench) -> None:
    """Programs forget the last newline."""
    heard = bench.ask(bench.agent("""sys.stdout.write('{"type": "end", "text": "fine"}')"""))

    assert heard.output == "fine"


@pytest.mark.parametrize("code", [0, 1])
def test_a_reported_error_is_a_task_error(bench: Bench, code: int) -> None:
    """What the agent says went wrong is the reason, whatever its exit code."""
    source = f'say(type="say", text="oh"); say(type="error", message="no model"); sys.exit({code})'
    heard = bench.ask(bench.agent(source))

    assert heard.steps == [Message("oh"), TaskError("no model")]
    assert heard.exit.code == code
    assert heard.exit.stop_reason is None


def test_an_exit_code_is_a_failure_even_after_an_answer(bench: Bench) -> None:
    """Status and the end of standard error are part of the failure."""
    source = 'say(type="end", text="x"); sys.stderr.write("boom"); sys.exit(3)'
    heard = bench.ask(bench.agent(source))

    assert heard.fault is not None
    assert heard.fault.kind == "agent_exited_early"
    assert str(heard.fault) == "the agent exited with status 3"
    assert heard.fault.details == {"exit_code": 3, "signal": None, "stderr": "boom"}


def test_the_signal_that_ended_an_agent_is_named(bench: Bench) -> None:
    """A crash shows the signal's name."""
    heard = bench.ask(bench.agent("os.kill(os.getpid(), signal.SIGSEGV)"))

    assert str(heard.fault) == "the agent was ended by SIGSEGV"
    assert heard.exit.signal == "SIGSEGV"


@pytest.mark.parametrize("adapter", [LINES, TEXT])
def test_an_agent_that_says_nothing_has_not_answered(bench: Bench, adapter: Adapter) -> None:
    """Exit code 0 alone is no answer."""
    heard = bench.ask(bench.agent("pass", adapter))

    assert heard.fault is not None
    assert heard.fault.kind == "agent_exited_early"
    assert str(heard.fault) == "the agent exited with status 0 without an answer"


def test_an_end_without_text_is_an_empty_answer(bench: Bench) -> None:
    """An agent whose last line says that all is well has answered, if with nothing."""
    assert bench.ask(bench.agent('say(type="end")')).output == ""
    assert bench.ask(bench.agent('say(type="say", text="so"); say(type="end")')).output == "so"


def test_a_silent_agent_times_out_with_all_that_it_started(bench: Bench) -> None:
    """At the deadline the agent and its children are ended; what it said before is told."""
    heard = bench.ask(
        bench.agent("""
            child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
            open("child", "w").write(str(child.pid))
            say(type="say", text="half a th", part=True)
            signal.pause()
        """),
        limit_s=3.0,
    )

    assert heard.steps == [Message("half a th")]
    assert heard.fault is not None
    assert heard.fault.kind == "timeout"
    assert heard.exit.timed_out
    with pytest.raises(ProcessLookupError):
        os.kill(int((bench.path / "child").read_text()), 0)


def test_a_grandchild_that_holds_the_output_does_not_hold_us(bench: Bench) -> None:
    """The end of the process is the end of the turn, not the end of the pipe."""
    heard = bench.ask(
        bench.agent("""
            subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
            say(type="end", text="fine")
        """)
    )

    assert heard.output == "fine"
    assert heard.exit.leaky


@pytest.mark.parametrize("adapter", [LINES, TEXT])
def test_more_than_is_kept_is_cut_off(bench: Bench, adapter: Adapter) -> None:
    """A line without end does not fill the memory."""
    heard = bench.ask(bench.agent("while True: os.write(1, b'x' * 65536)", adapter))

    assert heard.fault is not None
    assert heard.fault.kind == "message_too_large"
    assert "over 32 MiB" in str(heard.fault)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("while True: say(type='say', text='x' * 1_000_000)", "together are over 64 MiB"),
        ("print('{\"a\": [' + '[],' * 2_000_000 + '1]}')", "hold too many values"),
    ],
)
def test_what_would_fill_the_memory_is_cut_off(bench: Bench, source: str, words: str) -> None:
    """Neither many lines nor one that swells when it is read get through."""
    heard = bench.ask(bench.agent(source))

    assert heard.fault is not None
    assert heard.fault.kind == "message_too_large"
    assert words in str(heard.fault)


def test_an_answer_that_is_told_twice_is_kept_once(bench: Bench) -> None:
    """A large answer in a message and again in the result is one text in memory."""
    source = 'text = "x" * 20_000_000; say(type="say", text=text); say(type="end", text=text)'
    heard = bench.ask(bench.agent(source))

    (message,) = [one for one in heard.steps if isinstance(one, Message)]
    assert len(message.content) == 20_000_000
    assert heard.output is message.content


def test_a_flood_of_stderr_does_not_block(bench: Bench) -> None:
    """Standard error is read all the while, and its end is kept."""
    source = 'sys.stderr.write("x" * 5_000_000 + "\\nlast"); say(type="end", text="fine")'
    heard = bench.ask(bench.agent(source))

    assert heard.output == "fine"
    assert heard.exit.stderr.endswith("last")


def test_the_prompt_goes_to_stdin_which_then_ends(bench: Bench) -> None:
    """However long it is, it arrives whole."""
    prompt = "käse\n" * 100_000

    assert bench.ask(bench.agent(ECHO), prompt).output == prompt


def test_an_agent_that_never_reads_can_still_answer(bench: Bench) -> None:
    """A prompt that nobody reads does not block us."""
    assert bench.ask(bench.agent('say(type="end", text="deaf")'), "x" * 1_000_000).output == "deaf"


def test_the_prompt_can_be_an_argument_or_follow_a_flag(bench: Bench) -> None:
    """It comes after all other words, and holds what it holds."""
    argument = replace(LINES, args=("--json",), prompt=PromptWay("argument"))
    flag = replace(LINES, prompt=PromptWay("flag", "--prompt"))
    prompt = "say {mcp_config} {prompt}"

    # The program is Python, so that the adapter's words stand before the script's.
    assert words_of(bench, flag, "--fast", prompt=prompt) == ["--fast", "--prompt", prompt]
    assert words_of(bench, replace(argument, args=()), prompt=prompt) == [prompt]


def test_words_are_program_then_the_adapters_then_the_users(bench: Bench) -> None:
    """The user's words come last, so that they win."""
    script = program(bench.path / "agent", "import json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    adapter = replace(TEXT, program="nowhere", args=("-p", "--json"))
    agent = AgentSettings((str(script), "--model", "m"), "headless", adapter=adapter)

    assert json.loads(str(bench.ask(agent).output)) == ["-p", "--json", "--model", "m"]


def test_without_a_command_the_adapters_program_is_started(bench: Bench) -> None:
    """An adapter knows the name of its agent."""
    adapter = replace(TEXT, program=sys.executable, args=("-c", "print('here')"))

    assert bench.ask(AgentSettings((), "headless", adapter=adapter)).output == "here"


def test_placeholders_in_the_users_words_are_filled_in(bench: Bench) -> None:
    """Where the user says where the prompt goes, it goes nowhere else."""
    agent = bench.agent(WORDS, LINES, "--ask={prompt}", "--mcp={mcp_config}", "{workspace}")
    heard = bench.ask(replace(agent, servers=(server("fs"),)), "hi {workspace}")
    asked, config, workspace = json.loads(str(heard.output))

    assert asked == "--ask=hi {workspace}"
    assert config.endswith("/mcp.json")
    assert workspace == str(bench.path)


def test_mcp_servers_are_told_in_a_file_that_is_removed(bench: Bench) -> None:
    """The agent reads the file while it runs; afterwards nothing is left of it."""
    source = """
        file = sys.argv[sys.argv.index("--mcp") + 1]
        say(type="say", text=file)
        say(type="end", text=open(file).read())
    """
    adapter = replace(LINES, args=(str(bench.path / "agent.py"),))
    agent = replace(bench.agent(source, adapter), command=(sys.executable,))
    heard = bench.ask(replace(agent, servers=(server("fs"),)))

    told = {"command": "serve", "args": ["--quiet"], "env": {"KEY": "value"}}
    assert json.loads(str(heard.output)) == {"mcpServers": {"fs": told}}
    (message,) = [one for one in heard.steps if isinstance(one, Message)]
    assert not Path(message.content).parent.exists()


TURNS = """
    session = sys.argv[2] if len(sys.argv) > 2 else "new"
    say(type="start", session=f"{session}+")
    say(type="call", id="item_1", name="Read")
    say(type="called", id="item_1", output="x")
    used = 10 * len(session)
    say(type="end", text=f"{session}: {sys.stdin.read()}", out=used, **{"in": used})
"""


def test_further_turns_go_on_with_the_session(bench: Bench) -> None:
    """Each turn is a process that is told the session of the one before."""
    heard = bench.ask(bench.agent(TURNS), ["one", "two", "three"])

    prompts = [one.data for one in heard.raw if one.direction == "to_agent"]
    assert prompts == ["one", "two", "three"]
    assert heard.output == "new++: three"


def test_calls_of_different_turns_are_different_calls(bench: Bench) -> None:
    """An agent may number its calls from the start again in each process."""
    heard = bench.ask(bench.agent(TURNS), {"prompt": ["one", "two"]})

    ids = [one.call_id for one in heard.steps if isinstance(one, (ToolCall, ToolResult))]
    assert ids == ["item_1", "item_1", "item_1@2", "item_1@2"]


@pytest.mark.parametrize(("covers", "figures"), [("turn", [30, 40, 50]), ("session", [30, 10, 10])])
def test_usage_is_of_a_turn_or_of_the_session_so_far(
    bench: Bench, covers: str, figures: list[int]
) -> None:
    """Reports add up, so that of a running sum only the difference is reported."""
    (rule,) = LINES.result.usage
    told = UsageRule(rule.when, rule.fields, "turn" if covers == "turn" else "session")
    adapter = replace(LINES, result=replace(LINES.result, usage=(told,)))
    heard = bench.ask(bench.agent(TURNS, adapter), ["one", "two", "three"])

    reports = [one.usage.tokens_in for one in heard.steps if isinstance(one, UsageReport)]
    assert reports == figures


def test_a_turn_cannot_follow_an_agent_that_told_no_session(bench: Bench) -> None:
    """Without a session id the second prompt would begin a new talk."""
    heard = bench.ask(bench.agent(ECHO), ["one", "two"])

    assert heard.fault is not None
    assert heard.fault.kind == "protocol_error"
    assert "told no session id" in str(heard.fault)


@pytest.mark.parametrize("id", ["a\\0b", "\\ud800", "--skip-permissions", "a\\nb"])
def test_a_session_that_no_command_can_name_is_none(bench: Bench, id: str) -> None:
    """It is the agent's fault, so that its first turn is kept; and no id becomes an option."""
    source = f"""say(type="start", session="{id}"); say(type="end", text="done")"""
    heard = bench.ask(bench.agent(source), ["one", "two"])

    assert heard.fault is not None
    assert heard.fault.kind == "protocol_error"
    assert [one.data for one in heard.raw if one.direction == "to_agent"] == ["one"]


def test_a_later_turn_that_fails_ends_the_task(bench: Bench) -> None:
    """What went wrong in the second turn is the task's failure."""
    source = (
        'say(type="start", session="s"); say(type="end", text="x"); sys.exit(len(sys.argv) > 1)'
    )
    heard = bench.ask(bench.agent(source), ["one", "two"])

    assert str(heard.fault) == "the agent exited with status 1"


@pytest.mark.parametrize("text", ["plain", '{"a": 1}', "two\nlines", "  spaces ", "[]"])
def test_a_text_agent_answers_with_all_it_prints(bench: Bench, text: str) -> None:
    """The whole output is the answer, JSON or not, without the last newline."""
    heard = bench.ask(bench.agent(f"print({text!r})", TEXT))

    assert heard.steps == [Message(text), FinalOutput(text)]


def test_a_text_agent_that_fails_has_failed_whatever_it_printed(bench: Bench) -> None:
    """A non-zero exit is a failure; what was printed stays in the record."""
    heard = bench.ask(bench.agent("print('half'); sys.exit(1)", TEXT))

    assert heard.steps == [Message("half")]
    assert str(heard.fault) == "the agent exited with status 1"


def test_a_program_that_is_not_there_cannot_be_started(bench: Bench) -> None:
    """It is the outside world's failure, with the reason."""
    agent = AgentSettings(("./no-such-agent",), "headless", adapter=TEXT, servers=())

    with pytest.raises(AgentError, match="No such file") as caught:
        bench.ask(agent)
    assert caught.value.kind == "spawn_failed"


BIG = "x" * (100 * 1024 + 1)
ARGUMENT = replace(LINES, prompt=PromptWay("argument"))


@pytest.mark.parametrize(
    ("input", "adapter", "words"),
    [
        ({"q": 1}, LINES, "must be a text, a list of texts"),
        (["a", "b"], TEXT, "2 turns, and the adapter text has no options.resume"),
        (BIG, ARGUMENT, "one over 100 KiB never goes on the command line"),
        ("a\0b", ARGUMENT, "holds a NUL character"),
    ],
)
def test_what_cannot_be_asked_is_known_before_any_agent_starts(
    bench: Bench, input: object, adapter: Adapter, words: str
) -> None:
    """A task that does not fit its adapter is refused in one sentence."""
    agent = AgentSettings(("./never-started",), "headless", adapter=adapter)
    task = Task("t1", input)  # type: ignore[arg-type]

    assert words in str(problem_with(task, agent))
    with pytest.raises(AgentError, match="t1: "):
        bench.ask(agent, input)  # type: ignore[arg-type]


def test_servers_need_a_way_to_be_told() -> None:
    """Without options.mcp_config the user must say where the file goes."""
    agent = AgentSettings(("agent",), "headless", adapter=TEXT, servers=(server("fs"),))
    placed = replace(agent, command=("agent", "--mcp={mcp_config}"))

    assert "no options.mcp_config" in str(problem_with(Task("t1", "hi"), agent))
    assert problem_with(Task("t1", "hi"), placed) is None


def test_a_long_prompt_in_the_users_words_is_refused() -> None:
    """{prompt} is on the command line wherever the adapter would put it."""
    agent = AgentSettings(("agent", "{prompt}"), "headless", adapter=LINES)

    assert "never goes on the command line" in str(problem_with(Task("t1", BIG), agent))


def test_an_option_is_written_once_for_each_value() -> None:
    """Several tools are several pairs of words; an option without words is none."""
    adapter = replace(LINES, options={"disallowed_tools": ("--no", "{value}")})

    assert option_words(adapter, "disallowed_tools", ["A", "B"]) == ["--no", "A", "--no", "B"]
    assert option_words(adapter, "model", ["m"]) == []
