"""ACP agents that fail, hang, flood or lie: each ends in time, and its record says what it did."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from acp_kit import AcpStage, Story
from runledger.errors import AgentError, Interrupted
from runledger.ledger.event import FinalOutput, Message, TaskError, ToolCall, ToolResult
from runledger.ledger.value import Json
from runledger.process.deadline import Deadline


def params_in(story: Story) -> list[Any]:
    """Give the parameters of all messages that have some."""
    messages: list[Any] = [one.data for one in story.raws]
    return [message["params"] for message in messages if "params" in message]


def test_at_the_deadline_the_agent_is_asked_to_cancel_and_heard_on(stage: AcpStage) -> None:
    """What it still tells is recorded; then the time-out is told."""
    story = stage.play(
        """
        p = prompted(); say("half"); call("c1", status="in_progress")
        cancel = read()
        more("c1", status="failed", rawOutput=cancel["method"])
        say("and half"); end(p, "cancelled", usage={"inputTokens": 1, "outputTokens": 2})
        signal.pause()
        """,
        late=True,
    )

    assert story.fault is not None
    assert story.fault.kind == "timeout"
    assert "case timeout waiting for agent message" in str(story.fault)
    assert story.of(Message) == [Message("half"), Message("and half")]
    assert story.of(ToolResult) == [ToolResult("c1", ok=False, error="session/cancel")]
    assert (story.exit.timed_out, story.exit.stop_reason) == (True, "cancelled")


def test_an_error_in_answer_to_our_cancel_is_still_a_timeout(stage: AcpStage) -> None:
    """Some agents answer a cancelled prompt with an internal error."""
    story = stage.play(
        """
        p = prompted(); read()
        send(id=p["id"], error={"code": -32603, "message": "aborted"})
        signal.pause()
        """,
        late=True,
    )

    assert story.fault is not None
    assert story.fault.kind == "timeout"
    assert story.of(TaskError) == []


def test_permission_asked_for_after_the_deadline_is_cancelled(stage: AcpStage) -> None:
    """Nobody may begin anything any more."""
    story = stage.play(
        "p = prompted(); read(); say(str(offer('c1'))); end(p, 'cancelled')", late=True
    )

    assert story.of(Message) == [Message("None")]
    assert story.of(ToolResult) == [ToolResult("c1", ok=False, error="permission refused")]


@pytest.mark.parametrize(
    "source",
    [
        "p = prompted(); signal.pause()",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); p = prompted()\nwhile True: signal.pause()",
        "p = prompted()\nwhile True: say('x')",
        "p = prompted(); read(); sys.exit(3)",
    ],
    ids=["hang", "deaf", "chatter", "leaves"],
)
def test_an_agent_that_ignores_the_cancel_is_ended(stage: AcpStage, source: str) -> None:
    """It is always a time-out, whatever it does in its grace."""
    story = stage.play(source, late=True, grace_s=0.3)

    assert story.fault is not None
    assert story.fault.kind == "timeout"
    assert story.exit.timed_out


def test_an_agent_that_opens_no_session_is_ended_without_ado(stage: AcpStage) -> None:
    """There is nothing to cancel yet."""
    source = "reply(read(), {'protocolVersion': 1}); signal.pause()"
    story = stage.play(source, deadline=Deadline.after(0.5), grace_s=0.1)

    assert story.fault is not None
    assert story.fault.kind == "timeout"
    assert story.exit.timed_out


def test_a_program_that_never_answers_is_asked_whether_it_speaks_acp(stage: AcpStage) -> None:
    """A newcomer who names the wrong program is told so."""
    story = stage.play("signal.pause()", deadline=Deadline.after(0.5), grace_s=0.1)

    assert "no answer to initialize: does it speak ACP?" in str(story.fault)


def test_an_agent_that_crashes_in_its_turn_is_told_with_what_it_said(stage: AcpStage) -> None:
    """Exit status and standard error are in the failure, and no piece of a message is lost."""
    story = stage.play(
        "p = prompted(); say('I was'); sys.stderr.write('boom'); sys.stderr.flush(); os._exit(7)"
    )

    assert story.said == [Message("I was")]
    assert story.fault is not None
    assert str(story.fault) == "the agent exited with status 7 before its final output"
    assert story.fault.kind == "agent_exited_early"
    assert story.fault.details == {"exit_code": 7, "signal": None, "stderr": "boom"}
    assert story.exit.code == 7


def test_the_signal_that_ended_an_agent_is_named(stage: AcpStage) -> None:
    """A crash shows the signal's name."""
    story = stage.play("p = prompted(); os.kill(os.getpid(), signal.SIGSEGV)")

    assert "was ended by SIGSEGV" in str(story.fault)
    assert story.exit.signal == "SIGSEGV"


def test_a_program_that_is_no_agent_is_shown_by_its_first_line(stage: AcpStage) -> None:
    """Its usage message tells what is wrong."""
    story = stage.play("print('usage: tool [options]'); sys.exit(2)")

    assert story.fault is not None
    assert 'status 2 before its final output; it wrote what is not JSON-RPC: "usage:' in str(
        story.fault
    )


def test_a_few_lines_that_are_no_messages_are_borne_and_kept(stage: AcpStage) -> None:
    """Some agents greet the world first."""
    story = stage.play("""
        print("Welcome to the agent!"); print('["JSON", "too"]'); sys.stdout.flush()
        p = prompted(); print("working..."); say("done"); end(p)
    """)

    strays = [one.data for one in story.raws if not isinstance(one.data, dict)]
    assert strays == ["Welcome to the agent!", ["JSON", "too"], "working..."]
    assert story.said[-1] == FinalOutput("done")


def test_an_agent_that_only_prints_is_told_to_print_elsewhere(stage: AcpStage) -> None:
    """It does not get to fill the record."""
    story = stage.play("p = prompted()\nwhile True: print('working...')")

    assert story.fault is not None
    assert story.fault.kind == "protocol_error"
    assert "print logs to stderr, not stdout" in str(story.fault)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"code": -32603, "message": "Internal error"}, "Internal error (error -32603)"),
        (
            {"code": -32603, "message": "Internal error", "data": {"details": "no credit"}},
            "Internal error: no credit (error -32603)",
        ),
        ({"code": 400, "message": "no", "data": "because"}, "no: because (error 400)"),
        ({"code": 1, "message": "no", "data": [1]}, "no (error 1)"),
    ],
)
def test_an_error_in_place_of_an_answer_is_told_in_its_own_words(
    stage: AcpStage, error: Json, words: str
) -> None:
    """What came with it is kept, too."""
    story = stage.play(f"p = prompted(); say('I'); send(id=p['id'], error={error!r})")

    assert isinstance(error, dict)
    data = {"code": error["code"], "data": error.get("data")}
    assert story.said == [Message("I"), TaskError(words, data)]
    assert story.exit.stop_reason is None


def test_an_agent_that_wants_a_login_says_how(stage: AcpStage) -> None:
    """The ways it offers are named, and what to do."""
    story = stage.play("""
        reply(read(), {"protocolVersion": 1, "authMethods": [{"id": "k", "name": "Use a key"}]})
        send(id=read()["id"], error={"code": -32000, "message": "Authentication required"})
        signal.pause()
    """)

    assert story.fault is not None
    assert story.fault.kind == "task_error"
    told = "session/new failed: Authentication required (error -32000); the agent wants a login"
    assert told in str(story.fault)
    assert "it offers: Use a key" in str(story.fault)
    assert "--env NAME" in str(story.fault)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("reply(read(), {'protocolVersion': 2})", "the agent speaks ACP version 2"),
        ("reply(read(), None)", "the agent speaks ACP version null"),
        ("reply(read(), {'protocolVersion': 1}); reply(read(), {})", "without a sessionId"),
    ],
)
def test_a_greeting_that_goes_wrong_is_a_protocol_error(
    stage: AcpStage, source: str, words: str
) -> None:
    """It says what was found."""
    story = stage.play(f"{source}; signal.pause()")

    assert story.fault is not None
    assert story.fault.kind == "protocol_error"
    assert words in str(story.fault)


@pytest.mark.parametrize("input", [{"q": 1}, [], ["a", 1], 7])
def test_an_input_without_a_prompt_is_refused(stage: AcpStage, input: Json) -> None:
    """Nothing is guessed."""
    story = stage.play("p = prompted()", input=input)

    assert "the task's input holds no prompt" in str(story.fault)


MODEL_ERRORS = [
    "say('API Error: 400 no'); end(p)",
    "say('[API Error: 400 no]'); end(p)",
    'say(\'{"error": {"message": "no"}}\'); end(p)',
    "say('unexpected status 401 Unauthorized: no'); end(p)",
    "update('session_info_update', _meta={'codex': {'threadStatus': {'type': 'systemError'}}});"
    "say('Warning.'); say('{}'); end(p)",
]


@pytest.mark.parametrize("source", MODEL_ERRORS)
def test_an_answer_that_is_the_models_error_is_an_error(stage: AcpStage, source: str) -> None:
    """However pleased the agent is with it."""
    story = stage.play(f"p = prompted(); {source}")

    (error,) = story.of(TaskError)
    assert error.message.startswith("its answer is an error of its model: ")
    assert story.of(FinalOutput) == []


@pytest.mark.parametrize(
    "source",
    [
        "call('c1'); say('API Error: 400 no'); end(p)",
        "say('I saw: API Error: 400 no'); end(p)",
        "say('unexpected status'); end(p)",
        "update('session_info_update', _meta={'codex': {'threadStatus': {'type': 'systemError'}}});"
        "update('session_info_update', _meta={'codex': {'threadStatus': {'type': 'idle'}}});"
        "end(p)",
    ],
)
def test_an_answer_that_only_speaks_of_errors_is_an_answer(stage: AcpStage, source: str) -> None:
    """An agent may have worked, or quote what it saw."""
    story = stage.play(f"p = prompted(); {source}")

    assert len(story.of(FinalOutput)) == 1


def test_a_megabyte_on_standard_error_holds_nobody_up(stage: AcpStage) -> None:
    """Its beginning and its end are kept."""
    story = stage.play("""
        sys.stderr.write("begin\\n" + "x\\n" * 2**19 + "end"); sys.stderr.flush()
        p = prompted(); say("done"); end(p)
    """)

    assert story.said[-1] == FinalOutput("done")
    assert story.exit.stderr.startswith("begin")
    assert story.exit.stderr.endswith("end")
    assert len(story.exit.stderr) < 100_000


@pytest.mark.parametrize(
    "size", [20 * 2**20, 4096, 128], ids=["one piece", "pieces", "many pieces"]
)
def test_a_huge_answer_is_one_text_that_is_not_copied_about(stage: AcpStage, size: int) -> None:
    """The message and the answer are the same object."""
    story = stage.play(f"""
        p = prompted()
        for _ in range(20 * 2**20 // {size}): say("x" * {size})
        end(p)
    """)

    (message,) = story.of(Message)
    (output,) = story.of(FinalOutput)
    assert message.content is output.output
    assert len(message.content) == 20 * 2**20


def test_the_memory_of_a_huge_answer_is_a_few_times_its_size(stage: AcpStage) -> None:
    """However many pieces it comes in, when messages as they came are let go."""
    session = stage.start("p = prompted()\nfor _ in range(8192): say('x' * 1024)\nend(p)")
    tracemalloc.start()
    try:
        list(session.begin())
        while not isinstance(session.next(), FinalOutput):
            pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        session.close()

    assert peak < 4 * 8 * 2**20


def test_a_line_without_end_is_cut_off(stage: AcpStage) -> None:
    """It does not fill the memory."""
    story = stage.play("p = prompted()\nwhile True: os.write(1, b'x' * 65536)")

    assert story.fault is not None
    assert story.fault.kind == "message_too_large"
    assert "one message is over 32 MiB" in str(story.fault)


def test_values_without_end_are_cut_off(stage: AcpStage) -> None:
    """What is kept has a bound, too: an empty list costs more memory than its two letters."""
    story = stage.play("""
        p = prompted()
        n = 0
        while n := n + 1: more("c1", rawInput=[n] + [[]] * 100_000)
    """)

    assert story.fault is not None
    assert story.fault.kind == "message_too_large"


def test_a_program_that_cannot_be_started_is_told(stage: AcpStage) -> None:
    """In the system's words."""
    with pytest.raises(AgentError, match="no-such-agent") as caught:
        stage.start("", command=("no-such-agent",))
    assert caught.value.kind == "spawn_failed"


def test_an_agents_children_end_with_it(stage: AcpStage) -> None:
    """One that left the agent's group is a leak; either way nothing stays behind."""
    story = stage.play("""
        p = prompted()
        child = [sys.executable, "-c", "import signal; signal.pause()"]
        subprocess.Popen(child, start_new_session=True)
        subprocess.Popen(child)
        say("done"); end(p)
    """)

    assert story.said[-1] == FinalOutput("done")
    assert story.exit.leaky


def test_a_signal_ends_a_session_at_once(stage: AcpStage) -> None:
    """Who stops the run does not wait for agents."""
    session = stage.start("p = prompted(); call('c1'); signal.pause()")
    list(session.begin())
    while not isinstance(session.next(), ToolCall):
        pass
    stage.supervisor.stop.request(2)

    with pytest.raises(Interrupted):
        session.next()
    assert session.close().signal == "SIGTERM"


def test_what_is_told_again_and_again_of_one_call_is_kept_once(stage: AcpStage) -> None:
    """A command's output may be sent as a whole with every line that it gets."""
    story = stage.play("""
        p = prompted(); call("c1", status="in_progress")
        for _ in range(30): more("c1", content=[{"text": "x" * 4 * 2**20}])
        more("c1", status="completed"); end(p)
    """)

    assert story.fault is None
    assert len(story.of(ToolCall)) == 2


@pytest.mark.parametrize("kind", [[], {}, 7, None, [{"a": []}]])
def test_an_update_of_no_known_kind_tells_nothing(stage: AcpStage, kind: Json) -> None:
    """Whatever stands in place of the kind; the message itself is kept."""
    story = stage.play(f"p = prompted(); update({kind!r}); say('done'); end(p)")

    assert story.said == [Message("done"), FinalOutput("done")]
    assert {"sessionUpdate": kind} in [params.get("update") for params in params_in(story)]


def test_what_a_command_prints_piece_by_piece_is_kept_up_to_a_bound(stage: AcpStage) -> None:
    """Each piece is added to those before it, though it is no news by itself."""
    story = stage.play("""
        p = prompted(); call("c1", status="in_progress")
        piece = {"terminal_output_delta": {"data": "x" * 2**20}}
        for _ in range(70): more("c1", _meta=piece)
        more("c1", status="completed"); end(p)
    """)

    assert story.fault is not None
    assert story.fault.kind == "message_too_large"
    assert "what is kept of its messages is over 64 MiB" in str(story.fault)


def test_tiny_updates_cannot_have_large_results_told_again_and_again(stage: AcpStage) -> None:
    """Each telling is written down, and a result of several parts is put together each time."""
    story = stage.play("""
        p = prompted()
        part = {"type": "content", "content": {"type": "text", "text": "x" * 2**20}}
        call("c1", status="completed", content=[part, part])
        for _ in range(1000): more("c1", status="failed"); more("c1", status="completed")
        end(p)
    """)

    assert story.fault is not None
    assert story.fault.kind == "message_too_large"
    assert len(story.of(ToolResult)) <= 33


def test_tiny_updates_cannot_have_large_inputs_told_again_and_again(stage: AcpStage) -> None:
    """What is told may be one object in memory: on disk it is many."""
    story = stage.play("""
        p = prompted(); call("c1", rawInput={"text": "x" * 2**20})
        for _ in range(1000): more("c1", status="in_progress"); more("c1", status="pending")
        end(p)
    """)

    assert story.fault is not None
    assert story.fault.kind == "message_too_large"
    assert "all messages and what they led to together are over 128 MiB" in str(story.fault)
    assert len(story.of(ToolCall)) <= 130


def test_a_small_update_does_not_hide_what_is_still_kept_of_a_call(stage: AcpStage) -> None:
    """It takes the place of no other field than its own."""
    story = stage.play("""
        p = prompted()
        for n in range(100):
            call(str(n)); more(str(n), content=[{"text": "x" * 2**20}]); more(str(n), locations=[])
        end(p)
    """)

    assert story.fault is not None
    assert "what is kept of its messages is over 64 MiB" in str(story.fault)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"jsonrpc": "2.0", "method": "session/update", "params": {"x": ', "not JSON"),
        (r'{"jsonrpc": "2.0", "result": "\xff\xfe"}', "not JSON-RPC"),
    ],
)
def test_a_message_that_cannot_be_read_is_not_passed_over(
    stage: AcpStage, line: str, told: str
) -> None:
    """It may have been the answer; a banner, which is no message, is borne."""
    written = f'sys.stdout.buffer.write(b"""{line}\\n"""); sys.stdout.flush()'
    story = stage.play(f"p = prompted(); print('banner', flush=True); {written}; end(p)")

    assert story.fault is not None
    assert story.fault.kind == "protocol_error"
    assert told in str(story.fault)


def test_a_stop_reason_that_is_no_text_breaks_the_protocol(stage: AcpStage) -> None:
    """Nobody can tell how the turn ended."""
    story = stage.play("p = prompted(); say('I'); end(p, {'odd': 1})")

    assert story.fault is not None
    assert story.fault.kind == "protocol_error"


def test_updates_of_another_session_are_not_ours(stage: AcpStage) -> None:
    """They are kept as they came, and mean nothing."""
    story = stage.play("""
        p = prompted()
        other = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "no"}}
        send(method="session/update", params={"sessionId": "other", "update": other})
        say("mine")
        end(p)
    """)

    assert story.of(Message) == [Message("mine")]
