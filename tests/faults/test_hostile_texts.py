"""F43: hostile text in all that an agent, a tool, a cassette, a grader and a suite can say."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from xml.etree.ElementTree import fromstring

import pytest

from hostile import BAD, OURS, TEXTS, UNCLEAN, check_clean
from kit import command
from runledger.ledger.printable import escape_controls
from scene import Scene, holds

WORDS = [text.replace("\n", " ") for text in TEXTS]
SAYS = f"""
bad = {BAD!r}
data = {{bad: [bad, {{bad: bad}}], "__proto__": bad, "n": 10**30}}
print(bad, file=sys.stderr, flush=True)
send("log", level=bad, message=bad, data=data, **{{bad: bad}})
send("usage", tokens_in=1, model=bad, **{{bad: bad}})
send("tool_call", name="search", call_id=bad, args=data, **{{bad: bad}})
read()
"""
ENDS = {
    "answers": 'send("final_output", output=data, **{bad: bad})',
    "gives-up": 'send("task_error", message=bad, data=data, **{bad: bad})',
    "misses": 'send("tool_call", name="search", call_id="c2", args={"missing": data}); read()',
    "unknown-tool": 'send("tool_call", name=bad, call_id="c2", args={}); read()',
    "no-protocol": "print(bad, flush=True)",
    "unknown-type": "send(bad)",
    "dies": "raise SystemExit(bad)",
}
ARGS = {BAD: [BAD, {BAD: BAD}], "__proto__": BAD, "n": 10**30}
GRADER = f"""#!/usr/bin/env python3
import json, sys
json.load(sys.stdin)
print({BAD!r}, file=sys.stderr)
print(json.dumps({{"pass": False, "score": 0, "reasoning": {BAD!r}, "outcome": {{{BAD!r}: 1}}}}))
"""


def hostile_suite(scene: Scene) -> Scene:
    """Write a suite in which everybody says hostile things, and every case ends another way."""
    endings = "\n".join(f'if task["input"]["q"] == {id!r}:\n    {end}' for id, end in ENDS.items())
    grader = scene.suite.path / "grader.py"
    grader.write_text(GRADER)
    grader.chmod(0o755)
    assertions = [
        {"type": "equals", "path": "$.x", "value": BAD},
        {"type": "contains", "text": BAD},
        {"type": "must_call", "tools": ["search", *WORDS]},
        {"type": "script", "command": ["./grader.py", BAD.replace("\0", "")]},
    ]
    scene.program(f"task = read()\n{SAYS}\n{endings}", tool_registry=["search", *WORDS])
    answer = {"tool": "search", "args": ARGS, "ok": False, "result": ARGS, "error": BAD}
    for id in ("a", "b"):
        (scene.suite.path / "cases" / f"{id}.yaml").unlink()
    for id in ENDS:
        more = {"description": BAD, "tags": list(TEXTS), "metadata": {BAD: BAD}}
        scene.case(id, [answer], assertions=assertions, input={"q": id, BAD: BAD}, **more)
    return scene


def own_marks_off(text: str) -> str:
    """Take away the commands that are meant for GitHub."""
    lines = (
        line
        for line in text.splitlines()
        if not line.startswith(("::error title=", "::warning title="))
    )
    return "\n".join(lines)


@pytest.mark.parametrize("format", ["text", "github", "json"])
def test_f43_the_console_stays_clean(scene: Scene, format: str) -> None:
    """Nothing that anybody said drives a terminal or commands a CI runner, in any format."""
    after = hostile_suite(scene).run("--format", format)

    holds(after, code=1, answers="assertion_failed", misses="cassette_miss", dies="error")
    assert len(after.summary["cases"]) == len(ENDS)
    shown = after.out if format != "github" else own_marks_off(after.out)
    check_clean(shown + after.err)
    assert not UNCLEAN.findall(after.out)
    if format == "json":
        assert json.loads(after.out)["cases"] == after.summary["cases"]


def test_f43_a_terminal_is_not_driven(scene: Scene) -> None:
    """In a real terminal only our own colours arrive; the bar beside them holds no foreign text."""
    ours, theirs = pty.openpty()
    with (
        (scene.path / "err").open("wb") as err,
        subprocess.Popen(
            command("run", "suite"),
            cwd=hostile_suite(scene).path,
            env={**scene.environment(), "TERM": "xterm-256color"},
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=err,
        ) as process,
    ):
        os.close(theirs)
        shown = OURS.sub("", _all_from(ours).decode())

    assert process.returncode == 1, shown
    assert "cassette_miss" in shown
    check_clean(shown + (scene.path / "err").read_text())


def test_f43_junit_says_the_same_in_xml(scene: Scene) -> None:
    """Every parser reads it, and finds the messages in it, with controls spelled out."""
    after = hostile_suite(scene).run()

    holds(after, code=1)
    page = fromstring((after.run / "junit.xml").read_bytes())
    told = {
        case.get("name"): [*case.iter("failure"), *case.iter("error")]
        for case in page.iter("testcase")
    }
    for case in after.summary["cases"]:
        texts = "".join((one.text or "") + (one.get("message") or "") for one in told[case["id"]])
        for failure in case["failures"]:
            first = escape_controls(failure["message"]).split("\n")[0][:200]
            assert first in texts, (case["id"], first, texts)


def test_f43_the_step_summary_holds_no_markdown_of_theirs(scene: Scene) -> None:
    """What they said stands in code, where nothing is a link, a tag, a table or a mention."""
    page = scene.path / "page.md"
    scene.around = {"GITHUB_STEP_SUMMARY": str(page), "GITHUB_ACTIONS": "true"}

    after = hostile_suite(scene).run("--format", "github")

    holds(after, code=1)
    check_plain_markdown(page.read_text())


def check_plain_markdown(text: str) -> None:
    """Make sure that outside of code a Markdown text has no tag, link, image or mention."""
    assert not UNCLEAN.findall(text)
    fence, prose = "", []
    for line in text.split("\n"):
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if not fence and len(ticks) >= 3:
            fence = ticks
        elif fence:
            fence = "" if line.strip() == fence else fence
        else:
            prose.append(_without_code(line))
    assert not fence, "a block of code has no end"
    for line in prose:
        told = line.replace("<details>", "").replace("</details>", "")
        assert "__pwned" not in told.replace("\\", ""), line
        assert "<img" not in told, line
        assert "](" not in told, line


def _without_code(line: str) -> str:
    parts, rest = [], line
    while "`" in rest:
        before, _, after = rest.partition("`")
        ticks = "`" * (len(after) - len(after.lstrip("`")) + 1)
        body = after.lstrip("`")
        end = _closing(body, ticks)
        if end is None:
            break
        parts.append(before)
        rest = body[end + len(ticks) :]
    return "".join(parts) + rest


def _closing(body: str, ticks: str) -> int | None:
    place = 0
    while (found := body.find(ticks, place)) >= 0:
        whole = body[found:].lstrip("`")
        if len(body[found:]) - len(whole) == len(ticks):
            return found
        place = len(body) - len(whole)
    return None


def _all_from(fd: int) -> bytes:
    """Read a terminal until nobody is left at its other end."""
    pieces = []
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:  # the system's way to say so
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(fd)
    return b"".join(pieces)
