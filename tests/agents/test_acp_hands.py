"""Files and commands that an ACP agent has us read, write and run, where the user offers them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from acp_kit import AcpStage, Story
from runledger.agents.acp.files import Files
from runledger.ledger.event import FinalOutput
from runledger.ledger.value import Json
from runledger.process.deadline import Deadline
from runledger.wire.jsonrpc import RpcError


def asked(stage: AcpStage, *requests: str, **settings: Any) -> list[Any]:
    """Give what an agent hears in answer to its requests: results, or errors by their code."""
    lines = "\n".join(f"answers.append(ask({request}))" for request in requests)
    source = f"p = prompted()\nhere = os.getcwd()\nanswers = []\n{lines}\nend(p)"
    story = stage.play(source, **settings)
    assert story.of(FinalOutput) == [FinalOutput("")]
    return answers_in(story)


def answers_in(story: Story) -> list[Any]:
    """Give the results that we sent, and the codes of the errors."""
    return [one["result"] if "result" in one else one["error"]["code"] for one in story.answers()]


@pytest.mark.parametrize(
    "method",
    [
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "terminal/output",
        "terminal/wait_for_exit",
        "terminal/kill",
        "terminal/release",
        "elicitation/create",
        "no/such_method",
    ],
)
def test_what_is_not_offered_is_refused(stage: AcpStage, method: str) -> None:
    """As a method that does not exist; the talk goes on."""
    assert asked(stage, f"{method!r}, path=here + '/a', command='ls'") == [-32601]


def test_files_are_written_and_read(stage: AcpStage) -> None:
    """Directories are made as needed, and every line end stays as it is."""
    answers = asked(
        stage,
        r"'fs/write_text_file', path=here + '/new/deep/a.txt', content='eins\r\nzwei\ndrei ü\n'",
        "'fs/read_text_file', path=here + '/new/deep/a.txt'",
        "'fs/read_text_file', path=here + '/new/deep/a.txt', line=2, limit=1",
        "'fs/read_text_file', path=here + '/new/deep/a.txt', line=3",
        "'fs/read_text_file', path=here + '/new/deep/a.txt', limit=1",
        fs=True,
    )

    assert answers == [
        {},
        {"content": "eins\r\nzwei\ndrei ü\n"},
        {"content": "zwei"},
        {"content": "drei ü\n"},
        {"content": "eins\r"},
    ]
    written = (stage.directory / "new" / "deep" / "a.txt").read_bytes()
    assert written == "eins\r\nzwei\ndrei ü\n".encode()


def test_a_file_that_is_written_again_stays_the_same_file(stage: AcpStage) -> None:
    """Whoever watches it, or has it by another name, sees what is new and nothing else."""
    file, other = stage.directory / "a.txt", stage.directory / "b.txt"
    file.write_text("old and long")
    other.hardlink_to(file)
    answers = asked(stage, "'fs/write_text_file', path=here + '/a.txt', content='new'", fs=True)

    assert answers == [{}]
    assert (other.read_text(), other.samefile(file)) == ("new", True)


def test_what_cannot_be_written_is_told(stage: AcpStage) -> None:
    """Nobody waits for a pipe to be read, or fails on a long name."""
    os.mkfifo(stage.directory / "pipe")
    answers = asked(
        stage,
        "'fs/write_text_file', path=here + '/pipe', content='x'",
        "'fs/write_text_file', path=here + '/pipe/x', content='x'",
        "'fs/write_text_file', path=here + '/' + 'x' * 5000, content='x'",
        fs=True,
    )

    assert answers == [-32602, -32603, -32603]


def test_what_is_offered_is_said_in_the_greeting(stage: AcpStage) -> None:
    """Files and commands, each for itself."""
    story = stage.play("p = prompted(); end(p)", fs=True, terminal=True)

    hello = story.raws[0].data
    assert isinstance(hello, dict)
    assert hello["params"]["clientCapabilities"] == {
        "fs": {"readTextFile": True, "writeTextFile": True},
        "terminal": True,
    }


@pytest.mark.parametrize(
    "path", ["'/etc/passwd'", "here + '/../x'", "here + '/out/x'", "'../x'", "here + '/out'", "7"]
)
def test_no_path_leads_out_of_the_directory(stage: AcpStage, path: str) -> None:
    """Neither by dots nor through a link."""
    (stage.directory / "out").symlink_to(stage.directory.parent)

    answers = asked(
        stage,
        f"'fs/read_text_file', path={path}",
        f"'fs/write_text_file', path={path}, content='x'",
        fs=True,
    )

    assert answers == [-32602, -32602]
    assert not (stage.directory.parent / "x").exists()


def test_half_a_character_in_a_path_is_refused(stage: AcpStage) -> None:
    """No system has such a path; the talk goes on."""
    answers = asked(
        stage,
        r"'fs/read_text_file', path='\ud800'",
        r"'fs/write_text_file', path='\ud800', content='x'",
        r"'terminal/create', command='true', cwd='\ud800'",
        fs=True,
        terminal=True,
    )

    assert answers == [-32602, -32602, -32602]


@pytest.mark.parametrize("name", ["sub/a.txt", "sub/new/a.txt", "a.txt"])
def test_no_path_leads_out_through_a_link_that_was_put_there_since(
    tmp_path: Path, name: str
) -> None:
    """An agent that is shut in a sandbox has no hands outside of it: not even fast ones."""
    room, outside = tmp_path / "room", tmp_path / "outside"
    for place in (room / "sub" / "new", outside / "new"):
        place.mkdir(parents=True)
    for file in (room / name, outside / name.removeprefix("sub/")):
        file.write_text("mine" if file.is_relative_to(room) else "a secret")

    class Fast(Files):
        def inside(self, given: Json) -> Path:
            """Find where a path leads, and let it lead elsewhere."""
            path = super().inside(given)
            swapped = room / name.split("/")[0]
            swapped.rename(room / "was")
            swapped.symlink_to(outside / ("" if swapped.name == "sub" else name))
            return path

    for ask in (Fast.read, Fast.write):
        with pytest.raises(RpcError, match="could not"):
            ask(Fast(str(room)), {"path": name, "content": "broken"})
        swapped = room / name.split("/")[0]
        swapped.unlink()
        (room / "was").rename(swapped)

    assert (outside / name.removeprefix("sub/")).read_text() == "a secret"
    assert (room / name).read_text() == "mine"


def test_what_cannot_be_read_is_told(stage: AcpStage) -> None:
    """A missing file is its own error; nobody waits for a pipe, or fails on a long name."""
    os.mkfifo(stage.directory / "pipe")
    (stage.directory / "loop").symlink_to("loop")
    (stage.directory / "bytes").write_bytes(b"\xff\xfe")

    answers = asked(
        stage,
        "'fs/read_text_file', path=here + '/none'",
        "'fs/read_text_file', path=here",
        "'fs/read_text_file', path=here + '/pipe'",
        "'fs/read_text_file', path=here + '/loop'",
        "'fs/read_text_file', path=here + '/bytes'",
        "'fs/read_text_file', path=here + '/' + 'x' * 5000",
        "'fs/read_text_file', path='a\\0b'",
        "'fs/read_text_file', path=here + '/bytes', line='one'",
        "'fs/write_text_file', path=here, content='x'",
        "'fs/write_text_file', path=here + '/a', content=7",
        fs=True,
    )

    missing, *rest = answers
    assert missing == -32002
    assert all(isinstance(code, int) for code in rest)


RUN = """
p = prompted()
def run(command, **params):
    created = ask("terminal/create", command=command, **params)
    if "error" in created:
        return created["error"]["code"]
    id = created["result"]["terminalId"]
    status = ask("terminal/wait_for_exit", terminalId=id)["result"]
    shown = ask("terminal/output", terminalId=id)["result"]
    assert shown["exitStatus"] == status, (shown, status)
    ask("terminal/release", terminalId=id)
    assert "error" in ask("terminal/output", terminalId=id)
    return [shown["output"], shown["truncated"], status["exitCode"], status["signal"]]
"""


def ran(stage: AcpStage, command: str) -> Any:
    """Run a command as an agent would have it run; give output, truncated, exit code, signal."""
    source = f"{RUN}\nsay(json.dumps(run({command})))\nend(p)"
    story = stage.play(source, terminal=True)
    (output,) = story.of(FinalOutput)
    assert isinstance(output.output, str)
    return json.loads(output.output)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("'echo', args=['a  b', '$HOME']", ["a  b $HOME\n", False, 0, None]),
        ("'echo one; echo two >&2; exit 3'", ["one\ntwo\n", False, 3, None]),
        ("'pwd'", ["{here}\n", False, 0, None]),
        ("'pwd', cwd=os.getcwd() + '/sub'", ["{here}/sub\n", False, 0, None]),
        ("'echo $KEY', env=[{'name': 'KEY', 'value': 'v'}]", ["v\n", False, 0, None]),
        ("'cat'", ["", False, 0, None]),
        ("'printf abcdef', outputByteLimit=3", ["def", True, 0, None]),
        ("'printf aüü', outputByteLimit=3", ["ü", True, 0, None]),
        ("'printf abc', outputByteLimit=0", ["", True, 0, None]),
        ("'kill -9 $$'", ["", False, None, "SIGKILL"]),
        ("'(('", None),
    ],
)
def test_commands_are_run_in_the_directory(
    stage: AcpStage, command: str, expected: list[Any] | None
) -> None:
    """With arguments or as a line of shell; output in the order of writing, cut at a character."""
    (stage.directory / "sub").mkdir()

    output, truncated, code, signal = ran(stage, command)

    if expected is None:
        assert code != 0
        return
    output = output.replace(str(stage.directory), "{here}")
    assert [output, truncated, code, signal] == expected


@pytest.mark.parametrize(
    "command",
    ["''", "7", "'ls', args=[1]", "'ls', cwd='/'", "'ls', cwd='/no/such/place'", "'a\\0'"],
)
def test_a_command_that_cannot_be_run_is_refused(stage: AcpStage, command: str) -> None:
    """The agent hears an error, and nothing is started."""
    assert isinstance(ran(stage, command), int)


def test_the_talk_goes_on_while_a_command_runs(stage: AcpStage) -> None:
    """Whoever waits for its end is answered when it comes, and nobody else waits."""
    story = stage.play(
        """
        p = prompted()
        line = "read x < gate; echo $x; exit 4"
        os.mkfifo("gate")
        id = ask("terminal/create", command=line)["result"]["terminalId"]
        send(id="wait", method="terminal/wait_for_exit", params={"terminalId": id})
        shown = ask("terminal/output", terminalId=id)["result"]
        assert shown == {"output": "", "truncated": False}, shown
        say("still here ")
        with open("gate", "w") as gate: gate.write("opened\\n")
        ended = read()
        assert ended["id"] == "wait", ended
        shown = ask("terminal/output", terminalId=id)["result"]
        say(str(ended["result"]["exitCode"]) + shown["output"])
        end(p)
        """,
        terminal=True,
    )

    assert story.said[-1] == FinalOutput("still here 4opened\n")


def test_a_command_can_be_killed_and_asked_about(stage: AcpStage) -> None:
    """What it printed is still there until its terminal is released."""
    story = stage.play(
        """
        p = prompted()
        id = ask("terminal/create", command="echo up; sleep 1000")["result"]["terminalId"]
        while "up" not in ask("terminal/output", terminalId=id)["result"]["output"]: pass
        assert ask("terminal/kill", terminalId=id)["result"] == {}
        status = ask("terminal/wait_for_exit", terminalId=id)["result"]
        shown = ask("terminal/output", terminalId=id)["result"]
        say(status["signal"] + shown["output"])
        end(p)
        """,
        terminal=True,
    )

    assert story.said[-1] == FinalOutput("SIGKILLup\n")


@pytest.mark.parametrize("last", ["end(p)", "sys.exit(1)", "read(); signal.pause()"])
def test_commands_end_with_the_session(stage: AcpStage, last: str) -> None:
    """However it ends; the stage sees that nothing stays behind."""
    story = stage.play(
        f"""
        p = prompted()
        for _ in range(3):
            ask("terminal/create", command="sleep 1000 & sleep 1000")
        send(id="w", method="terminal/wait_for_exit", params={{"terminalId": "terminal-1"}})
        {last}
        """,
        terminal=True,
        late=last.startswith("read"),
        grace_s=2.0,
    )

    assert bool(story.of(FinalOutput)) is (last == "end(p)")


def test_terminals_are_counted(stage: AcpStage) -> None:
    """An agent that opens one after the other is told to release some."""
    story = stage.play(
        """
        p = prompted()
        answers = [ask("terminal/create", command="true") for _ in range(33)]
        say(answers[-1]["error"]["message"])
        end(p)
        """,
        terminal=True,
    )

    assert story.said[-1] == FinalOutput("there are 32 terminals open: release some first")


def test_a_command_that_ends_after_the_answer_is_nobodys_business(stage: AcpStage) -> None:
    """Whoever waited for it has closed its ears."""
    story = stage.play(
        """
        p = prompted()
        ask("terminal/create", command="sleep 1000")
        send(id="w", method="terminal/wait_for_exit", params={"terminalId": "terminal-1"})
        end(p)
        sys.stdin.read()
        """,
        terminal=True,
    )

    assert story.said[-1] == FinalOutput("")
    assert (story.fault, story.exit.code) == (None, 0)


def test_what_is_read_is_cut_in_the_record_but_not_for_the_agent(stage: AcpStage) -> None:
    """The record says how much of a long text it leaves out."""
    text = "word " * 20_000
    (stage.directory / "long.txt").write_text(text)
    story = stage.play(
        """
        p = prompted()
        say(ask("fs/read_text_file", path="long.txt")["result"]["content"])
        end(p)
        """,
        fs=True,
    )

    assert story.said[-1] == FinalOutput(text)
    (answer,) = answers_in(story)
    kept, _, left_out = answer["content"].partition("…")
    assert text.startswith(kept)
    assert left_out == f" {len(text) - len(kept)} characters left out"
    assert 16_000 < len(answer["content"]) < 17_000


def test_what_an_agent_has_us_read_has_a_bound(stage: AcpStage) -> None:
    """Tiny requests for a large file are as large as what they ask for."""
    (stage.directory / "large.txt").write_text("x" * 4 * 2**20)
    story = stage.play(
        """
        p = prompted()
        for _ in range(100): ask("fs/read_text_file", path="large.txt")
        end(p)
        """,
        fs=True,
    )

    assert story.fault is not None
    assert story.fault.kind == "message_too_large"
    assert "all messages and what they led to together are over 128 MiB" in str(story.fault)
    assert len(story.answers()) == 32


def test_what_a_command_printed_can_not_be_asked_for_without_end(stage: AcpStage) -> None:
    """The record of all that polling stays small."""
    story = stage.play(
        """
        p = prompted()
        id = ask("terminal/create", command="yes | head -c 1000000")["result"]["terminalId"]
        ask("terminal/wait_for_exit", terminalId=id)
        while True: ask("terminal/output", terminalId=id)
        """,
        terminal=True,
    )

    assert story.fault is not None
    assert story.fault.kind == "message_too_large"
    assert sum(len(json.dumps(one.data)) for one in story.raws) < 8 * 2**20


def test_an_agent_that_does_not_read_is_served_no_further(stage: AcpStage) -> None:
    """Nothing more is done for it until it reads, or its time is up."""
    (stage.directory / "large.txt").write_text("x" * 4 * 2**20)
    story = stage.play(
        """
        p = prompted()
        for n in range(30):
            send(id=n, method="fs/read_text_file", params={"path": "large.txt"})
        signal.pause()
        """,
        fs=True,
        deadline=Deadline.after(2),
        grace_s=0.2,
    )

    assert story.fault is not None
    assert story.fault.kind == "timeout"
    assert len(story.answers()) <= 9


def test_an_agent_that_reads_late_gets_all_that_it_asked_for(stage: AcpStage) -> None:
    """It was only not heard for a while."""
    (stage.directory / "large.txt").write_text("x" * 4 * 2**20)
    story = stage.play(
        """
        p = prompted()
        for n in range(20):
            send(id=n, method="fs/read_text_file", params={"path": "large.txt"})
        say(str([read()["id"] for _ in range(20)] == list(range(20))))
        end(p)
        """,
        fs=True,
    )

    assert story.said[-1] == FinalOutput("True")
