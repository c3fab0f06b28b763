"""Tool calls over ACP: one step each, whatever the order and the pieces, and their permission."""

from __future__ import annotations

import pytest

from acp_kit import AcpStage, Story
from runledger.ledger.event import FinalOutput, Message, ToolCall, ToolResult
from runledger.ledger.permission import REJECT_ALL, PermissionRule, Permissions
from runledger.ledger.value import Json

INPUT = {"path": "a.txt"}


def faces(story: Story) -> list[tuple[str, Json, str | None]]:
    """List how the calls looked, in the order of telling."""
    return [(call.name, call.args, call.status) for call in story.of(ToolCall)]


def test_a_call_is_told_again_only_when_it_looks_different(stage: AcpStage) -> None:
    """Name, arguments and status are its face; the result comes with the last status."""
    story = stage.play("""
        p = prompted()
        call("c1", "read", kind="read", status="pending")
        more("c1", title="Reading a.txt", rawInput={"path": "a.txt"})
        more("c1", locations=[{"path": "a.txt"}])
        more("c1", status="in_progress")
        say("one moment")
        more("c1", content=[{"type": "content", "content": {"type": "text", "text": "x"}}])
        more("c1", status="completed", rawOutput={"text": "abc"})
        more("c1", status="completed", rawOutput={"text": "abc"})
        end(p)
    """)

    assert faces(story) == [
        ("read", {}, "pending"),
        ("read", INPUT, "pending"),
        ("read", INPUT, "in_progress"),
        ("read", INPUT, "completed"),
    ]
    assert story.of(ToolResult) == [ToolResult("c1", ok=True, result={"text": "abc"})]
    beside = {"kind": "read", "title": "Reading a.txt", "locations": [{"path": "a.txt"}]}
    assert story.of(ToolCall)[-1].extra == beside
    assert story.of(Message) == [Message("one moment")]


def test_an_update_may_come_first_and_a_call_twice(stage: AcpStage) -> None:
    """One id is one call, and what was told once stays."""
    story = stage.play("""
        p = prompted()
        more("c1", status="in_progress", rawInput={"path": "a.txt"})
        call("c1", "read", status="pending")
        call("c1", "read", status="completed", rawOutput="abc")
        end(p)
    """)

    assert {call.call_id for call in story.of(ToolCall)} == {"c1"}
    assert faces(story)[-1] == ("read", INPUT, "completed")
    assert story.of(ToolResult) == [ToolResult("c1", ok=True, result="abc")]


def test_a_call_may_never_come_to_an_end(stage: AcpStage) -> None:
    """Then it has no result, and its last status stands."""
    story = stage.play("p = prompted(); call('c1', status='in_progress'); end(p)")

    assert faces(story) == [("read", {}, "in_progress")]
    assert story.of(ToolResult) == []


def test_two_calls_may_run_at_once(stage: AcpStage) -> None:
    """They are told apart by their ids."""
    story = stage.play("""
        p = prompted()
        call("c1", "read"); call("c2", "write")
        more("c2", status="completed", rawOutput=2); more("c1", status="failed", rawOutput=1)
        end(p)
    """)

    assert story.of(ToolResult) == [
        ToolResult("c2", ok=True, result=2),
        ToolResult("c1", ok=False, error=1),
    ]


TEXT = '{"type": "content", "content": {"type": "text", "text": "%s"}}'
DIFF: Json = {"type": "diff", "path": "/a", "newText": "x"}


@pytest.mark.parametrize(
    ("fields", "result"),
    [
        ("rawOutput=[1], content=[%s]" % (TEXT % "x"), [1]),
        (f"content=[{TEXT % 'one'}, {TEXT % 'two'}]", "one\ntwo"),
        ('content=[{"type": "diff", "path": "/a", "newText": "x"}]', [DIFF]),
        ("content=[]", None),
        ('_meta={"terminal_output_delta": {"data": "printed"}}', "printed"),
    ],
    ids=["raw", "text", "parts", "nothing", "codex"],
)
def test_a_result_is_what_the_tool_gave_or_showed(
    stage: AcpStage, fields: str, result: Json
) -> None:
    """As it is, else its text, else its parts."""
    story = stage.play(f"p = prompted(); call('c1', status='completed', {fields}); end(p)")

    assert story.of(ToolResult) == [ToolResult("c1", ok=True, result=result)]


def test_a_failure_without_words_says_so(stage: AcpStage) -> None:
    """An error is never empty."""
    story = stage.play("p = prompted(); call('c1', status='failed'); end(p)")

    silent = "the tool failed and did not say why"
    assert story.of(ToolResult) == [ToolResult("c1", ok=False, error=silent)]


NAMES = [
    ('call("c1", "Reading", name="read_file")', "read_file"),
    ('call("c1", "Reading", _meta={"claudeCode": {"toolName": "Read"}})', "Read"),
    ('call("c1", "Reading"); more("c1", _meta={"toolName": "read_file"})', "read_file"),
    ('call("c1", "bash"); more("c1", title="ls -l")', "bash"),
    ('call("write_file__write_file_1794796853502_0", "Writing to a")', "write_file"),
    ('call("mcp_a_b__mcp_a_b_1794796853502_0", "x")', "mcp_a_b"),
    ('call("write_file-1794796853502", "Writing to a")', "write_file"),
    ('call("call-1794796853502", "bash")', "bash"),
    ('call("call_1", "bash")', "bash"),
    ('call("toolu_01__x", "bash")', "bash"),
    ('more("c1", kind="execute")', "execute"),
    ('more("c1")', "tool"),
    ('call("c1", "x", name="best"); more("c1", _meta={"toolName": "worse"})', "best"),
]


@pytest.mark.parametrize(("source", "name"), NAMES)
def test_names_are_found_where_agents_put_them(stage: AcpStage, source: str, name: str) -> None:
    """A name from a better source stays; a title is the last resort, and the first one counts."""
    story = stage.play(f"p = prompted(); {source}; end(p)")

    assert story.of(ToolCall)[-1].name == name


EXITS = [
    ('"bash", rawOutput={"output": "x", "metadata": {"exit": 3}}', 3),
    ('"x", kind="execute", rawOutput="x", content=[%s]' % (TEXT % "Output: x\\nExit Code: 3"), 3),
    ('"bash", rawOutput={"exitCode": 0}', None),
    ('"cat", kind="read", rawOutput="Exit Code: 3"', None),
    ('"bash", rawOutput="all is well"', None),
]


@pytest.mark.parametrize(("fields", "code"), EXITS)
def test_a_command_that_failed_in_a_tool_that_did_not_is_seen(
    stage: AcpStage, fields: str, code: int | None
) -> None:
    """Only where the tool runs commands: a file may say what it likes."""
    story = stage.play(f"p = prompted(); call('c1', {fields}, status='completed'); end(p)")

    (result,) = story.of(ToolResult)
    assert (result.ok, result.exit_code) == (True, code)


ASKING = """
p = prompted()
call("c1", "write", kind="edit", rawInput={"path": "a.txt"})
say(str(offer("c1", kind="edit", title="/a.txt", rawInput={"diff": "+"})))
end(p)
"""


def test_permission_is_given_once_by_default(stage: AcpStage) -> None:
    """The option is chosen by its kind, and the request may not change what is known."""
    story = stage.play(ASKING)

    assert story.of(FinalOutput) == [FinalOutput("yes")]
    assert faces(story) == [("write", INPUT, "pending")]


def test_a_refused_call_of_which_nothing_more_is_heard_has_failed(stage: AcpStage) -> None:
    """It failed because we refused it, and says so."""
    story = stage.play(ASKING, permissions=REJECT_ALL)

    assert story.of(FinalOutput) == [FinalOutput("no")]
    assert story.of(ToolResult) == [ToolResult("c1", ok=False, error="permission refused")]


def test_a_refused_call_may_be_told_of_by_its_request_alone(stage: AcpStage) -> None:
    """Some agents say nothing of a call before, nor after."""
    story = stage.play(
        "p = prompted(); offer('c1', title='ls', rawInput={'a': 1}); end(p)", permissions=REJECT_ALL
    )

    assert faces(story) == [("ls", {"a": 1}, "pending")]
    assert story.of(ToolResult) == [ToolResult("c1", ok=False, error="permission refused")]


def test_an_agents_own_words_for_a_refusal_count(stage: AcpStage) -> None:
    """There is one result, and it is the agent's."""
    story = stage.play(
        "p = prompted(); offer('c1'); more('c1', status='failed', rawOutput='denied'); end(p)",
        permissions=REJECT_ALL,
    )

    assert story.of(ToolResult) == [ToolResult("c1", ok=False, error="denied")]


@pytest.mark.parametrize(
    ("fields", "chosen"),
    [
        ("title='ls', kind='execute'", "no"),
        ("title='ls', kind='read'", "yes"),
        ("name='write_all', kind='read'", "no"),
    ],
)
def test_rules_decide_by_name_and_kind(stage: AcpStage, fields: str, chosen: str) -> None:
    """The first rule that fits decides."""
    rules = (PermissionRule("reject", kind="execute"), PermissionRule("reject", tool="write_*"))
    story = stage.play(
        f"p = prompted(); say(str(offer('c1', {fields}))); end(p)",
        permissions=Permissions("allow", rules),
    )

    assert story.of(FinalOutput) == [FinalOutput(chosen)]


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (
            "[{'optionId': 'a', 'kind': 'reject_once'}, {'optionId': 'b', 'kind': 'allow_always'}]",
            "b",
        ),
        ("[{'optionId': 'a', 'kind': 'reject_once'}]", "None"),
        ("[]", "None"),
        ("7", "None"),
    ],
)
def test_without_a_fitting_option_the_request_is_cancelled(
    stage: AcpStage, options: str, chosen: str
) -> None:
    """We never choose the opposite."""
    story = stage.play(f"p = prompted(); say(str(offer('c1', {options}))); end(p)")

    assert story.of(FinalOutput) == [FinalOutput(chosen)]


def test_a_request_that_says_nothing_is_answered(stage: AcpStage) -> None:
    """An agent must not wait forever, whatever it asks."""
    story = stage.play("""
        p = prompted()
        ask("session/request_permission")
        send(id="x", method="session/request_permission"); read()
        end(p)
    """)

    assert len(story.answers()) == 2
    assert story.of(FinalOutput) == [FinalOutput("")]
