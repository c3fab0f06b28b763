"""Answering tool calls by a user's Python functions."""

from __future__ import annotations

import pytest

from runledger.errors import AgentError
from runledger.ledger.event import ToolCall
from runledger.process.deadline import Deadline
from runledger.tools.conformance import check_tool_source
from runledger.tools.live import Live
from tools.bench import Bench, ask, error, is_alive, result

COUNTER = """
count = 0

def tick(args):
    global count
    count += 1
    return count
"""


def test_live_is_a_tool_source(bench: Bench) -> None:
    """Live keeps every promise of the shelf."""
    bench.write("tools.py", COUNTER + "TOOLS = {'tick': tick}")
    calls = [ToolCall("tick", f"c{number}", {}) for number in (1, 2)]

    check_tool_source(lambda: Live(bench.place, "tools.py", 30.0), calls)


def test_state_lasts_for_a_trial_and_not_longer(bench: Bench) -> None:
    """Calls of one trial share what the module keeps; the next trial begins anew."""
    source = COUNTER + "TOOLS = {'tick': tick}"
    first, second = bench.live(source), bench.live(source)

    assert [result(first, "tick") for _ in range(3)] == [1, 2, 3]
    assert result(second, "tick") == 1


def test_nothing_is_started_before_the_first_call(bench: Bench) -> None:
    """A trial that calls no tool pays for none."""
    bench.live("open('started', 'w')\nTOOLS = {}").close()

    assert not (bench.path / "started").exists()


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise ValueError('bad')", "ValueError: bad"),
        ("raise KeyError", "KeyError"),
        ("import sys; sys.exit(0)", "SystemExit: the code called sys.exit(0)"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("return {'a': [1, {2}]}", "the tool's result is not JSON: a value of type set at $.a.1"),
        ("return float('nan')", "the tool's result is not JSON: nan at $"),
        ("return [float('-inf')]", "the tool's result is not JSON: -inf at $.0"),
        ("return object()", "the tool's result is not JSON: a value of type object at $"),
        (
            "return {1: 2}",
            "the tool's result is not JSON: an object with a key that is not a text at $",
        ),
        ("return 10 ** 300", "the tool's result is not JSON: an integer of over 300 digits at $"),
        ("return 'x' * 2 ** 23", "the tool's result is too large: over 8 MiB"),
        ("x = []; x.append(x); return x", "the tool's result is nested too deeply"),
        ("x = []\n    for _ in range(90): x = [x, x]\n    return x", "too many values"),
    ],
)
def test_what_a_tool_does_wrong_is_a_tool_error(bench: Bench, body: str, told: str) -> None:
    """The agent is told in a few words, and the process of the tools lives on."""
    source = bench.live(f"{COUNTER}\ndef odd(args):\n    tick(args)\n    {body}\n{BOTH}")

    assert told in error(source, "odd")
    assert result(source, "tick") == 2


BOTH = "TOOLS = {'tick': tick, 'odd': odd}"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("os._exit(3)", "its process exited with status 3; what it kept in memory is gone"),
        ("os.kill(os.getpid(), 11)", "its process was ended by SIGSEGV"),
        ("os.closerange(3, 100)", "its process exited with status 1"),
    ],
)
def test_a_tool_that_ends_its_process_costs_only_what_it_kept(
    bench: Bench, body: str, told: str
) -> None:
    """The error says how it ended and what was printed last; the next call starts anew."""
    odd = f"import os\ndef odd(args):\n    print('last words')\n    {body}\n"
    source = bench.live(COUNTER + odd + BOTH)
    result(source, "tick")

    message = error(source, "odd")

    assert told in message
    assert "last words" in message
    assert result(source, "tick") == 1


def test_a_tool_that_hangs_is_a_tool_error_at_its_own_limit(bench: Bench) -> None:
    """Only ending its process stops it; the next call has a new one."""
    odd = "import time\ndef odd(args):\n    time.sleep(1000)\n"
    source = bench.live(COUNTER + odd + BOTH, timeout_s=1.0)

    assert error(source, "odd") == "timed out after 1 s; what it kept in memory is gone"
    assert result(source, "tick") == 1


def test_a_tool_that_runs_at_the_trials_deadline_ends_the_trial(bench: Bench) -> None:
    """There is nobody left to answer."""
    source = bench.live("import time\nTOOLS = {'wait': lambda args: time.sleep(1000)}")

    with pytest.raises(AgentError, match="case timeout while the tool wait ran") as caught:
        ask(source, "wait", limit_s=0.3)

    assert caught.value.kind == "timeout"
    assert not bench.survivors()


def test_tools_may_print_and_find_nothing_to_read(bench: Bench) -> None:
    """Their standard output is not the protocol, nor is their standard input."""
    source = bench.live(
        """
        import os, subprocess, sys

        def noisy(args):
            print("hello", flush=True)
            os.write(1, b"raw\\n")
            subprocess.run(["echo", "from a child"])
            sys.stderr.write("x" * 10_000_000)
            return sys.stdin.read()

        TOOLS = {"noisy": noisy}
        """
    )

    assert result(source, "noisy") == ""


def test_a_closed_standard_output_harms_nobody(bench: Bench) -> None:
    """A tool may close what it prints to."""
    source = bench.live("import sys\nTOOLS = {'shut': lambda args: sys.stdout.close()}")

    assert result(source, "shut") is None


def test_async_tools_share_one_loop(bench: Bench) -> None:
    """A client made in one call still works in the next."""
    source = bench.live(
        """
        import asyncio
        kept = []

        async def same(args):
            kept.append(asyncio.get_running_loop())
            await asyncio.sleep(0)
            return len(set(kept))

        TOOLS = {"same": same}
        """
    )

    assert [result(source, "same"), result(source, "same")] == [1, 1]


def test_arguments_are_checked_against_a_schema(bench: Bench) -> None:
    """What is wrong is named by its path, what was expected and what was found."""
    source = bench.live(
        """
        class Search:
            name = "search"
            schema = {
                "type": "object",
                "properties": {"q": {"type": "string"}, "n": {"maximum": 9}},
                "required": ["q"],
            }
            def call(self, args):
                return args["q"]

        TOOLS = [Search()]
        """
    )

    assert result(source, "search", q="cats") == "cats"
    assert error(source, "search", q=7, n=10) == (
        "wrong arguments for search: at $.n: expected maximum: 9, found 10\n"
        'wrong arguments for search: at $.q: expected type: "string", found 7'
    )
    assert error(source, "search") == (
        'wrong arguments for search: at $: expected required: ["q"], found {}'
    )


def test_arguments_arrive_and_results_return_exactly(bench: Bench) -> None:
    """Numbers keep their kind and size, texts their halves of pairs, objects their order."""
    source = bench.live("TOOLS = {'echo': lambda args: [args, repr(args)]}")
    args = {"z": 1, "a": 1.0, "big": 2**70, "half": "\ud800", "é": [True, None, -0.0]}

    assert result(source, "echo", **args) == [args, repr(args)]


def test_what_a_tool_started_ends_with_the_trial(bench: Bench) -> None:
    """Children, daemons in sessions of their own, and threads: nothing survives."""
    source = bench.live(
        """
        import subprocess, threading, time

        def start(args):
            for _ in range(50):
                threading.Thread(target=time.sleep, args=(1000,)).start()
            programs = [subprocess.Popen(["sleep", "1000"], start_new_session=own)
                        for own in (False, True)]
            return [program.pid for program in programs]

        TOOLS = {"start": start}
        """
    )
    started = result(source, "start")

    source.close()

    assert isinstance(started, list)
    assert not [pid for pid in started if is_alive(pid)]
    assert not bench.survivors()


def test_a_tool_that_forks_answers_once(bench: Bench) -> None:
    """The copy of the process that a fork leaves does not answer too."""
    source = bench.live("import os\nTOOLS = {'fork': lambda args: [os.fork(), 'x'][1]}")

    assert [result(source, "fork") for _ in range(3)] == ["x"] * 3


def test_tools_get_the_callers_environment_and_the_suites_directory(bench: Bench) -> None:
    """They are the user's own code."""
    source = bench.live(
        """
        import os
        TOOLS = {"where": lambda args: [os.environ["RL_TEST_MARK"], os.getcwd()]}
        """
    )

    assert result(source, "where") == [bench.mark, str(bench.path)]


@pytest.mark.parametrize("module", ["lib/my_tools.py", "lib.my_tools"])
def test_a_module_is_a_file_or_a_dotted_name(bench: Bench, module: str) -> None:
    """Either may import what lies beside the suite."""
    bench.write("beside.py", "WORD = 'hello'")
    bench.write("lib/my_tools.py", "import beside\nTOOLS = {'say': lambda args: beside.WORD}")

    assert result(bench.live_file(module), "say") == "hello"


def test_our_own_modules_are_not_in_the_way(bench: Bench) -> None:
    """A file of the user's may have any name, even that of one of ours or of Python's."""
    bench.write("messages.py", "MINE = True")
    bench.write("json.py", "import messages\nTOOLS = {'mine': lambda args: messages.MINE}")

    assert result(bench.live_file("json.py"), "mine") is True


def test_a_class_defined_in_a_file_can_be_pickled(bench: Bench) -> None:
    """The module is found under its own name."""
    source = bench.live(
        """
        import pickle
        class Thing: pass
        TOOLS = {"copy": lambda args: type(pickle.loads(pickle.dumps(Thing()))).__name__}
        """
    )

    assert result(source, "copy") == "Thing"


def test_an_unknown_tool_is_a_tool_error(bench: Bench) -> None:
    """The names that are there are listed."""
    source = bench.live("TOOLS = {'a': print}")

    assert error(source, "b") == "unknown tool 'b' (known: a)"


def test_all_answers_together_have_a_limit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trial's record stays in memory, so it may not grow without end."""
    monkeypatch.setattr("runledger.wire.servant.WEIGHT_CAP", 10_000)
    source = bench.live("TOOLS = {'long': lambda args: 'x' * 6000}")
    result(source, "long")

    with pytest.raises(AgentError, match="hold too many values") as caught:
        source.answer(ToolCall("long", "c2", {}), Deadline.after(60))

    assert caught.value.kind == "message_too_large"
