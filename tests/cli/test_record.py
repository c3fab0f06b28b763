"""What is recorded replays with the same results, and a failed recording changes nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kit import ECHO, Done, SuiteOnDisk, entry, runledger, survivors, write_suite

SEARCH = "TOOLS = {'search': lambda args: 'found ' + args['q']}\n"


def suite_with(path: Path, agent: str, tools: str, **keys: Any) -> SuiteOnDisk:
    """Write a suite whose tools are this Python source."""
    suite = write_suite(path / "suite", agent, tool_module="tools.py", **keys)
    (suite.path / "tools.py").write_text(tools)
    return suite


def record(cwd: Path, *words: str, **env: str) -> Done:
    """Record the suite."""
    return runledger("run", "suite", "--mode", "record", "-q", *words, cwd=cwd, env=env)


def results(done: Done) -> list[dict[str, Any]]:
    """Read a run's results, without what differs from run to run."""
    lines = [json.loads(line) for line in (done.run / "results.jsonl").read_text().splitlines()]
    for line in lines:
        del line["timing"]
        for step in line["trajectory"]:
            step.pop("duration", None)
            del step["timestamp"]
    return sorted(lines, key=lambda line: str(line["id"]))


def record_and_replay(suite: SuiteOnDisk, cwd: Path, **env: str) -> tuple[Done, Done]:
    """Record a suite, take its tools away, and replay it; both must go well."""
    recorded = record(cwd, **env)
    assert recorded.code == 0, recorded.out + recorded.err
    (suite.path / "tools.py").unlink()
    shutil.move(cwd / ".agentci", cwd / "recorded")
    recorded.runs = [*(cwd / "recorded").glob("runs/*/*")]
    replayed = runledger("run", "suite", "-q", cwd=cwd, env=env)
    assert replayed.code == 0, replayed.out + replayed.err
    return recorded, replayed


def test_a_stateful_tool_replays_as_it_happened(tmp_path: Path) -> None:
    """The same call made three times gets its three answers, and state ends with the case."""
    agent = """
    read()
    answers = [call("search", call_id=f"c{n}", q="status")["result"] for n in range(3)]
    send("final_output", output={"answers": answers})
    """
    tools = """
calls = 0

def search(args):
    global calls
    calls += 1
    return {"n": calls, "done": calls == 3}

TOOLS = {"search": search}
"""
    suite = suite_with(tmp_path, agent, tools).case("a").case("b")
    recorded, replayed = record_and_replay(suite, tmp_path)

    assert results(recorded) == results(replayed)
    assert results(replayed)[1]["output"]["answers"] == [
        {"n": 1, "done": False},
        {"n": 2, "done": False},
        {"n": 3, "done": True},
    ]


def test_parallel_calls_replay(tmp_path: Path) -> None:
    """Five calls are open at once; each gets its own answer both times."""
    agent = """
    read()
    for n in range(5):
        send("tool_call", name="search", call_id=f"c{n}", args={"q": str(n)})
    answers = {}
    for n in range(5):
        answer = read()
        answers[answer["call_id"]] = answer["result"]
    send("final_output", output=answers)
    """
    recorded, replayed = record_and_replay(suite_with(tmp_path, agent, SEARCH).case("a"), tmp_path)

    assert results(recorded) == results(replayed)
    assert results(replayed)[0]["output"] == {f"c{n}": f"found {n}" for n in range(5)}


def test_errors_replay(tmp_path: Path) -> None:
    """A tool that raised when it was recorded fails in the same words when it is replayed."""
    agent = """
    read()
    answer = call("search", q="x")
    send("final_output", output={"ok": answer["ok"], "error": answer.get("error")})
    """
    tools = "def search(args):\n    raise ValueError('no index: ' + args['q'])\n\n"
    suite = suite_with(tmp_path, agent, tools + "TOOLS = {'search': search}\n").case("a")
    recorded, replayed = record_and_replay(suite, tmp_path)

    assert results(recorded) == results(replayed)
    output = results(replayed)[0]["output"]
    assert output["ok"] is False
    assert "no index: x" in output["error"]


def test_secrets_replay_without_being_kept(tmp_path: Path) -> None:
    """A token that one tool gives and the next one gets is in no file, and still matches."""
    agent = """
    read()
    found = call("search", call_id="c1", q="login", password=os.environ["SHOP_PASSWORD"])
    token = found["result"]["access_token"]
    orders = call("search", call_id="c2", q="orders", authorization=f"Bearer {token}")["result"]
    other = call("search", call_id="c3", q="orders", authorization="Bearer other-one")["result"]
    send("final_output", output={"orders": orders, "other": other})
    """
    tools = """
def search(args):
    if args["q"] == "login":
        return {"access_token": "tok" + "-123456-" + args["password"][::-1]}
    return {"orders": 3} if "-123456-" in args["authorization"] else {"orders": 0}

TOOLS = {"search": search}
"""
    keys = {"env": {"pass": ["SHOP_PASSWORD"]}}
    suite = suite_with(tmp_path, agent, tools, **keys).case("a")
    secret = "".join(["violet", "-", "giraffe", "-", "parade"])
    recorded, replayed = record_and_replay(suite, tmp_path, SHOP_PASSWORD=secret)

    assert results(recorded) == results(replayed)
    assert results(replayed)[0]["output"] == {"orders": {"orders": 3}, "other": {"orders": 0}}
    files = [suite.path / "cassettes/a.jsonl", *recorded.run.iterdir(), *replayed.run.iterdir()]
    text = "".join(file.read_text() for file in files)
    assert secret not in text
    assert secret[::-1] not in text
    assert "other-one" not in text
    assert json.loads(files[0].read_text().splitlines()[0])["kind"] == "header"


def test_another_secret_is_another_call(tmp_path: Path) -> None:
    """Redacted values keep their identity: a changed key misses, and the message hides both."""
    agent = """
    read()
    answer = call("search", q="x", token=os.environ["SHOP_TOKEN"])
    send("final_output", output={"answer": answer["result"]})
    """
    suite = suite_with(tmp_path, agent, SEARCH, env={"pass": ["SHOP_TOKEN"]}).case("a")
    first, second = "first" + "-of-two-tokens", "second" + "-of-two-tokens"
    recorded = record(tmp_path, SHOP_TOKEN=first)
    shutil.rmtree(tmp_path / ".agentci")
    done = runledger("run", "suite", "-q", cwd=tmp_path, env={"SHOP_TOKEN": second})

    assert (recorded.code, done.code) == (0, 1), recorded.out + done.out
    assert done.failure_types("a") == ["cassette_miss"]
    assert "$.token" in done.message("a")
    text = done.out + done.err + "".join(file.read_text() for file in done.run.iterdir())
    assert first not in text
    assert second not in text
    assert suite.path.exists()


def test_a_cassette_replays_where_the_secret_is_not_set(tmp_path: Path) -> None:
    """What was a secret when it was recorded may be a plain text in CI, and is the same call."""
    agent = """
    read()
    answer = call("search", q="Acme-42/x", header="Bearer Acme-42/x", region="eu-west-1")
    send("final_output", output={"answer": answer["result"]})
    """
    suite = suite_with(tmp_path, agent, "TOOLS = {'search': lambda args: 'fine'}\n")
    document = json.loads((suite.path / "suite.yaml").read_text())
    document["env"]["pass"] = ["ACCOUNT", "REGION"]
    (suite.path / "suite.yaml").write_text(json.dumps(document))
    suite.case("a")
    recorded = record(tmp_path, ACCOUNT="Acme-42/x", REGION="eu-west-1")
    shutil.rmtree(tmp_path / ".agentci")
    replayed = runledger("run", "suite", "-q", cwd=tmp_path)

    cassette = (suite.path / "cassettes/a.jsonl").read_text()
    assert "Acme-42" not in cassette
    assert "eu-west-1" in cassette  # reads like a name, and replayed agents need it
    assert (recorded.code, replayed.code) == (0, 0), replayed.out


def test_a_token_that_a_tool_gave_out_is_known_in_prose(tmp_path: Path) -> None:
    """What stood under a telling name is hidden wherever it is said later, and replay matches."""
    agent = """
    read()
    token = call("search", call_id="c1", q="login")["result"]["session_token"]
    answer = call("search", call_id="c2", q=f"orders of the bearer of {token}, please")["result"]
    send("final_output", output={"said": f"I used {token} for it", "answer": answer})
    """
    tools = """
def search(args):
    return {"session_token": "violet" + "-giraffe" + "-parade"} if args["q"] == "login" else 3

TOOLS = {"search": search}
"""
    suite = suite_with(tmp_path, agent, tools).case("a")
    recorded, replayed = record_and_replay(suite, tmp_path)

    assert results(recorded) == results(replayed)
    files = [suite.path / "cassettes/a.jsonl", *recorded.run.iterdir(), *replayed.run.iterdir()]
    assert not [file for file in files if "violet-giraffe-parade" in file.read_text()]


def test_failures_at_a_telling_path_show_no_secret(tmp_path: Path) -> None:
    """Neither what was expected nor what was found, in whatever file."""
    agent = """
    read()
    send("final_output", output={"auth": {"password": "outPw88" + "abcDEF"}})
    """
    wanted = {"type": "equals", "path": "auth.password", "value": "wantedPw77xyz"}
    write_suite(tmp_path / "suite", agent, assertions=[wanted]).case("a")
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 1
    text = done.out + done.err + "".join(file.read_text() for file in done.run.iterdir())
    assert "outPw88abcDEF" not in text
    assert "wantedPw77xyz" not in text


FAILS_LATE = """
task = read()
call("search", q="x")
sys.exit(3)
"""


@pytest.mark.parametrize(
    ("agent", "keys"),
    [
        (FAILS_LATE, {}),
        (ECHO, {"assertions": [{"type": "required_fields", "fields": ["nope"]}]}),
        (ECHO, {"budgets": {"max_tool_calls": 0}}),
    ],
    ids=["crash", "assertion", "budget"],
)
def test_a_failed_recording_leaves_the_cassette_as_it_was(
    tmp_path: Path, agent: str, keys: dict[str, Any]
) -> None:
    """Byte for byte, with nothing beside it, and the exit code says that it failed."""
    suite = suite_with(tmp_path, agent, SEARCH, **keys).case("a", [entry("search", "old", q="a")])
    file = suite.path / "cassettes/a.jsonl"
    before = file.read_bytes()
    done = record(tmp_path)

    assert done.code == 1, done.out + done.err
    assert file.read_bytes() == before
    assert [one.name for one in file.parent.iterdir()] == ["a.jsonl"]
    assert "left as it was" in done.out


def test_one_case_is_recorded_again(tmp_path: Path) -> None:
    """With --case the other cassettes stay as they are."""
    suite = suite_with(tmp_path, ECHO, SEARCH).case("a").case("b")
    done = record(tmp_path, "--case", "b")

    assert done.code == 0, done.out
    assert (suite.path / "cassettes/a.jsonl").read_bytes() == b""
    assert b"found b" in (suite.path / "cassettes/b.jsonl").read_bytes()


def test_only_missing_records_what_has_no_cassette(tmp_path: Path) -> None:
    """What was recorded is neither run nor touched; with nothing missing nothing runs."""
    suite = suite_with(tmp_path, ECHO, SEARCH).case("a", [entry("search", "old", q="a")]).case("b")
    (suite.path / "cassettes/b.jsonl").unlink()
    done = record(tmp_path, "--only-missing")
    again = record(tmp_path, "--only-missing")

    assert (done.code, again.code) == (0, 0), done.out + again.err
    assert [case["id"] for case in done.summary["cases"]] == ["b"]
    assert b"old" in (suite.path / "cassettes/a.jsonl").read_bytes()
    assert "nothing to record" in again.err
    assert again.runs == done.runs


def test_recording_again_changes_nothing_when_nothing_changed(tmp_path: Path) -> None:
    """Secrets included: the salt is kept, so that a pull request shows only real changes."""
    agent = """
    read()
    answer = call("search", q="x", token="abc" + "-def-" + "ghi-jkl")
    send("final_output", output={"answer": answer["result"]})
    """
    suite = suite_with(tmp_path, agent, SEARCH).case("a")
    record(tmp_path)
    first = (suite.path / "cassettes/a.jsonl").read_bytes()
    record(tmp_path)

    assert b"[REDACTED:" in first
    assert (suite.path / "cassettes/a.jsonl").read_bytes() == first


@pytest.mark.parametrize(
    ("words", "env", "keys", "message"),
    [
        (["--mode", "record", "-k", "2"], {}, {}, "leave -k out"),
        ([], {"CI": "true"}, {"mode": "record"}, "add --mode record"),
        ([], {"CI": "true", "RUNLEDGER_MODE": "record"}, {}, "add --mode record"),
        (["--only-missing"], {}, {}, "--only-missing goes with --mode record"),
    ],
    ids=["trials", "ci", "ci-environment", "only-missing"],
)
def test_what_record_mode_refuses(
    tmp_path: Path, words: list[str], env: dict[str, str], keys: dict[str, str], message: str
) -> None:
    """Before anything runs, with what to do instead."""
    suite_with(tmp_path, ECHO, SEARCH, **keys).case("a")
    done = runledger("run", "suite", "-q", *words, cwd=tmp_path, env=env)

    assert (done.code, done.runs) == (2, [])
    assert message in done.err


def test_in_ci_recording_on_purpose_works(tmp_path: Path) -> None:
    """The flag says it."""
    suite_with(tmp_path, ECHO, SEARCH, mode="record").case("a")

    assert record(tmp_path, CI="true").code == 0


BAD_TOOLS = {
    "raises": "def search(args):\n    raise RuntimeError('boom')\n",
    "set": "def search(args):\n    return {1, 2}\n",
    "nan": "def search(args):\n    return float('nan')\n",
    "exit": "import sys\ndef search(args):\n    sys.exit(0)\n",
    "hard exit": "import os\ndef search(args):\n    os._exit(0)\n",
    "hang": "import time\ndef search(args):\n    time.sleep(1000)\n",
    "segfault": "import os, signal\ndef search(args):\n    os.kill(os.getpid(), signal.SIGSEGV)\n",
}


@pytest.mark.parametrize("name", BAD_TOOLS)
def test_a_bad_tool_is_a_tool_error_and_never_ends_the_runner(tmp_path: Path, name: str) -> None:
    """The agent hears that the tool failed, and goes on."""
    agent = """
    read()
    first = call("search", call_id="c1", q="x")
    second = call("other", call_id="c2", q="y")
    send("final_output", output={"ok": first["ok"], "second": second["result"]})
    """
    tools = BAD_TOOLS[name] + "TOOLS = {'search': search, 'other': lambda args: 'fine'}\n"
    registry = ["search", "other"]
    suite = suite_with(tmp_path, agent, tools, tool_registry=registry, tool_timeout_s=0.5).case("a")
    done = runledger("run", "suite", "--mode", "live", "-q", cwd=tmp_path)

    assert done.code == 0, done.out + done.err
    assert results(done)[0]["output"] == {"ok": False, "second": "fine"}
    assert not [*survivors(suite.mark)]


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ("import nothing_of_this_name\n", "nothing_of_this_name"),
        ("TOOLS = {\n", "tools.py"),
        ("x = 1\n", "TOOLS"),
        ("TOOLS = {'serch': print}\n", "did you mean serch?"),
    ],
    ids=["import", "syntax", "no TOOLS", "misspelt"],
)
def test_tools_that_cannot_be_used_are_told_before_any_case_runs(
    tmp_path: Path, tools: str, message: str
) -> None:
    """One message, exit 2, no run directory."""
    suite_with(tmp_path, ECHO, tools).case("a")
    done = runledger("run", "suite", "--mode", "live", "-q", cwd=tmp_path)

    assert (done.code, done.runs) == (2, []), done.out + done.err
    assert message in done.err
    assert "Traceback (most recent call last)" not in done.err or "tools.py" in done.err


def test_a_cassette_that_cannot_be_written_ends_with_exit_3(tmp_path: Path) -> None:
    """The message names it; what other cases recorded is kept, and the run is told whole."""
    suite = suite_with(tmp_path, ECHO, SEARCH).case("a").case("b").case("c")
    case = suite.path / "cases/b.yaml"
    case.write_text(case.read_text().replace("cassettes/b.jsonl", "file/b.jsonl"))
    (suite.path / "file").write_text("in the way")
    done = record(tmp_path, "-j", "1")

    assert done.code == 3
    assert "file/b.jsonl" in done.message("b")
    assert b"found a" in (suite.path / "cassettes/a.jsonl").read_bytes()
    assert b"found c" in (suite.path / "cassettes/c.jsonl").read_bytes()
