"""A secret at the place where a long text is cut leaves nothing of itself, anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit import Done, runledger, write_suite

TOKEN = "ghp_" + "q7Rw2Ty9Ui4Op6As1Df3Gh5Jk8Lz0Xc2Vb4N"

AGENT = """
task = read()["input"]
text = "ab " * (task["pad"] // 3) + "c" * (task["pad"] % 3) + task["token"] + " de" * 6000
if task["way"] == "said":
    send("final_output", output={"text": text})
elif task["way"] == "broken":
    print(text, flush=True)
elif task["way"] == "crashed":
    sys.stderr.write(text)
    sys.exit(1)
else:
    answer = call(task["way"], text=text, place=task["pad"])
    send("final_output", output={"text": answer.get("error", "")})
"""

TOOLS = """
import os, sys

def fail(args):
    raise ValueError(args["text"])

def crash(args):
    place, text = args["place"], args["text"]
    sys.stderr.write(text[: place + 40] + text[place + 40 :][: 2000 - place])
    sys.stderr.flush()
    os._exit(1)

TOOLS = {"fail": fail, "crash": crash}
"""


def run_with_token(path: Path, way: str, places: range) -> Done:
    """Run a suite of agents that say or do something with a token, each at another place."""
    keys = {"mode": "live", "tool_module": "tools.py", "tool_registry": ["fail", "crash"]}
    wanted = [{"type": "regex", "path": "text", "pattern": "^never$"}]
    suite = write_suite(path / "suite", AGENT, assertions=wanted, **keys)
    (suite.path / "tools.py").write_text(TOOLS)
    for pad in places:
        suite.case(f"at-{pad}", input={"way": way, "pad": pad, "token": TOKEN})
    return runledger("run", "suite", "-j", "2", cwd=path)


@pytest.mark.parametrize(
    ("way", "places"),
    [
        ("said", range(70, 120, 12)),  # a message shows 120 characters
        ("said", range(450, 500, 12)),  # and its details 500
        ("broken", range(150, 200, 12)),
        ("crashed", range(4040, 4100, 12)),  # the beginning of standard error ends at 4096
        ("fail", range(3940, 4000, 12)),
        ("crash", range(0, 48, 8)),  # of a tool the last 2000 characters are told
    ],
)
def test_nothing_of_a_token_is_left_where_a_text_was_cut(
    tmp_path: Path, way: str, places: range
) -> None:
    """Neither its beginning nor its end is in a file of the run or on the console."""
    done = run_with_token(tmp_path, way, places)

    files = [path for path in done.run.rglob("*") if path.is_file()]
    texts = [done.out, done.err, *(path.read_text() for path in files)]
    assert "[REDACTED]" in "".join(texts)
    assert len(done.summary["cases"]) == len(places)
    for text in texts:
        assert TOKEN[:12] not in text
        assert TOKEN[-12:] not in text
