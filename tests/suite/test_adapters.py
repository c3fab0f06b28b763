"""Adapters: the built-in ones, and files that users write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from runledger.errors import SuiteError, UnknownName
from runledger.ledger.adapter import Adapter, EventRule, PromptWay, TextRule, UsageRule
from runledger.suite.adapter import BUILT_IN, load_adapter, read_adapter
from runledger.suite.adapter_document import AdapterConfig

MINIMAL: dict[str, Any] = {"schema_version": 1, "name": "mine"}
EVENT = {"when": {"type": "say"}, "step": "message", "fields": {"text": "text"}}

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give the function that writes an adapter file, and names it."""

    def written(document: Any = None, **keys: Any) -> str:
        text = document if isinstance(document, str) else json.dumps({**MINIMAL, **keys}, indent=1)
        (tmp_path / "mine.json").write_text(text)
        return str(tmp_path / "mine.json")

    return written


def told(file: str) -> str:
    """Load an adapter that cannot be used, and give what is said about it."""
    with pytest.raises(SuiteError) as caught:
        load_adapter(file)
    return str(caught.value)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_adapter_loads(name: str) -> None:
    """They are files of the format that users write, named after themselves."""
    adapter = load_adapter(name)

    assert adapter.name == name
    assert adapter.prompt.via == "stdin"
    assert adapter.lines == (name != "text")


def test_every_file_on_the_shelf_has_a_name_that_is_known() -> None:
    """A built-in adapter is a file and its name in one list."""
    shelf = files("runledger.suite") / "adapters"

    assert sorted(one.name for one in shelf.iterdir()) == [f"{name}.json" for name in BUILT_IN]


@pytest.mark.parametrize("name", sorted(set(BUILT_IN) - {"text"}))
def test_every_built_in_agent_can_go_on_with_a_session(name: str) -> None:
    """Several turns need the way to pass a session, and a line that tells it."""
    adapter = load_adapter(name)

    assert any("{session}" in word for word in adapter.options["resume"])
    assert any(rule.step == "session" and "id" in rule.fields for rule in adapter.events)


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_built_in_adapter_passes_keys_of_other_services(name: str) -> None:
    """What an agent does not need by itself is passed only by who asks for it."""
    foreign = ("AWS_", "AZURE_", "GITHUB_", "SSH_", "GOOGLE_APPLICATION_CREDENTIALS")

    assert not [one for one in load_adapter(name).env_pass if one.startswith(foreign)]


def test_a_file_becomes_an_adapter(write: Write) -> None:
    """One place or several, one rule or several: both may be written plainly."""
    file = write(
        program="mine",
        args=["--json"],
        prompt={"via": "flag", "flag": "-p"},
        env={"pass": ["KEY"], "set": {"QUIET": "1"}},
        options={"model": ["--model", "{value}"]},
        events=[
            {**EVENT, "fields": {"text": ["a", "b"]}},
            {
                "when": {"kind": ["x", None]},
                "step": "tool_call",
                "fields": {"id": "id", "name": "n", "input": {"a": "b", "c": ["d", "e"]}},
            },
        ],
        result={
            "text": {"when": {"type": "end"}, "path": "text"},
            "usage": [{"when": {}, "fields": {"tokens_in": ["a", "b"]}, "covers": "session"}],
        },
    )
    adapter = load_adapter(file)

    assert adapter.program == "mine"
    assert adapter.args == ("--json",)
    assert adapter.prompt == PromptWay("flag", "-p")
    assert (adapter.env_pass, adapter.env_set) == (("KEY",), {"QUIET": "1"})
    assert adapter.options == {"model": ("--model", "{value}")}
    call = {"id": ("id",), "name": ("n",), "input": {"a": ("b",), "c": ("d", "e")}}
    assert adapter.events == (
        EventRule({"type": "say"}, "message", {"text": ("a", "b")}),
        EventRule({"kind": ["x", None]}, "tool_call", call),
    )
    assert adapter.result.text == (TextRule({"type": "end"}, ("text",)),)
    assert adapter.result.usage == (UsageRule({}, {"tokens_in": ("a", "b")}, "session"),)


def test_an_adapter_without_events_and_result_takes_the_output_as_the_answer(write: Write) -> None:
    """There is nothing to look for in its lines."""
    assert load_adapter(write()) == Adapter("mine", lines=False)
    assert load_adapter(write(events=[EVENT])).lines
    assert load_adapter(write(result={"text": {"when": {}, "path": "x"}})).lines


def test_a_file_is_found_below_its_base(write: Write, tmp_path: Path) -> None:
    """A suite names its adapter relative to its own directory."""
    write(program="here")

    assert load_adapter("mine.json", tmp_path).program == "here"
    assert load_adapter("./mine.json", tmp_path).program == "here"


def test_an_unknown_name_lists_the_known_ones() -> None:
    """A slip is answered with the nearest name; a file needs a slash or .json."""
    with pytest.raises(UnknownName, match=r"did you mean claude\?.*\./FILE\.json.*codex"):
        load_adapter("cluade")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The reason is the system's."""
    assert "cannot be read: No such file or directory" in told(str(tmp_path / "no.json"))


def test_a_file_that_is_not_json_is_told_with_its_place(write: Write) -> None:
    """YAML is not enough, and neither is a key given twice."""
    assert "not JSON: " in told(write("name: mine\n"))
    assert "at line 2 column 2" in told(write("{\n}}"))
    assert "duplicate key 'name'" in told(write('{"name": "a", "name": "b"}'))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"evnts": []}, "evnts: unknown key; did you mean events?"),
        ({"prompt": {"vai": "stdin"}}, "prompt.vai: unknown key; did you mean via?"),
        ({"options": {"modle": ["x"]}}, "options.modle: unknown key; did you mean model?"),
        ({"env": {"sett": {}}}, "env.sett: unknown key; did you mean set?"),
        ({"events": [{**EVENT, "stepp": "x"}]}, "stepp: unknown key; did you mean step?"),
        ({"result": {"txt": []}}, "result.txt: unknown key; did you mean text?"),
        ({"result": {"error": {"when": {}, "mesage": "x"}}}, "did you mean message?"),
        ({"result": {"usage": {"when": {}, "fields": {"token_in": "x"}}}}, "tokens_in?"),
        ({"schema_version": 2}, "schema_version: must be 1; found 2"),
        ({"name": "a/b"}, "name: must be 1 to 100 of A-Z"),
        ({"args": "x"}, "args: must be a list"),
        ({"prompt": {"via": "mail"}}, "prompt.via: must be stdin, argument or flag"),
        ({"prompt": {"via": "flag"}}, "prompt.flag: is missing; via flag needs the flag"),
        ({"prompt": {"flag": "-p"}}, "goes with via flag, not with via stdin"),
        ({"options": {"model": ["--model"]}}, "options.model: needs {value}"),
        ({"options": {"mcp_config": ["--mcp"]}}, "options.mcp_config: needs {file}"),
        ({"options": {"resume": ["--resume"]}}, "options.resume: needs {session}"),
        ({"events": [{**EVENT, "step": "mesage"}]}, "did you mean message?"),
        ({"events": [{**EVENT, "fields": {}}]}, "a message needs the field text"),
        (
            {"events": [{**EVENT, "fields": {"text": "a", "txt": "b"}}]},
            "unknown field of a message; did you mean text? (known: text, delta)",
        ),
        ({"events": [{**EVENT, "fields": {"text": 1}}]}, "must be a path, a list of paths"),
        ({"events": [{**EVENT, "fields": {"text": []}}]}, "must be a path, a list of paths"),
        ({"events": [{**EVENT, "when": {"a": {"b": 1}}}]}, "must be a plain value"),
        (
            {"events": [{"when": {}, "step": "usage", "fields": {"tokens_in": {"a": "b"}}}]},
            "must be a path or a list of paths, which add up",
        ),
        ({"events": [{**EVENT, "fields": {"text": "a.*.b.*.c"}}]}, "has more than one *"),
        ({"events": [{**EVENT, "fields": {"text": ["a.*.t", "b.*.t"]}}]}, "different lists"),
        ({"events": [{**EVENT, "fields": {"text": "{a.*.t}{b.*.t}"}}]}, "different lists"),
        ({"result": {"error": {"when": {}, "message": "m", "pattern": "("}}}, "that RE2 knows"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    write: Write, keys: dict[str, Any], words: str
) -> None:
    """Each mistake is named with its file, line and key, and what to do about it."""
    message = told(write(**keys))

    assert words in message
    assert "mine.json:" in message


def test_findings_name_their_lines(write: Write) -> None:
    """A file is read line by line; one that is indented with tabs is read all the same."""
    text = '{\n"schema_version": 1,\n"name": "mine",\n"evnts": []\n}'

    assert "mine.json:4: evnts: unknown key" in told(write(text))
    assert "evnts: unknown key" in told(write(text.replace("\n", "\n\t")))


def test_all_findings_are_told_at_once(write: Write) -> None:
    """Nobody mends one mistake after the other."""
    message = told(write(evnts=[], nmae="x", prompt={"via": "mail"}))

    assert len(message.splitlines()) == 3


def test_the_format_has_a_json_schema() -> None:
    """Editors can check an adapter while it is written."""
    schema = AdapterConfig.model_json_schema()

    assert sorted(schema["required"]) == ["name", "schema_version"]
    assert schema["additionalProperties"] is False


def test_the_adapter_in_the_documentation_is_one() -> None:
    """What the reference shows can be copied."""
    page = Path(__file__).parents[2] / "docs/reference/adapters.md"
    (shown,) = re.findall(r"^```json\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)

    assert read_adapter(shown.encode(), page.name).name == "my-agent"
