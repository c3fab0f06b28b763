"""What a user reads when a request to a model has no recorded answer."""

from __future__ import annotations

import json
from collections.abc import Sequence

import orjson
import pytest
import yaml

from runledger.errors import CassetteMiss
from runledger.ledger.proxy import Profile, Rule
from runledger.ledger.suite import CassetteRules, MatchRule
from runledger.ledger.value import Json
from runledger.store.cassette.entry import AgentStamp, ModelEntry, ModelRequest
from runledger.store.cassette.load import Cassette
from runledger.store.redact.redactor import Redactor
from runledger.store.replay.player import Player

RECORD = "runledger run evals/demo --mode record --case t1"
EXACT = CassetteRules()
PROFILE = Profile(
    "generic", 1, (Rule(r"\d{4}-\d\d-\d\d", "[day]"), Rule("toolu_[a-z0-9]+", "[id-{n}]"))
)
CLAUDE = AgentStamp("claude-cli", "2.1.197")
PROMPT = "Read notes.md in this directory, say what it is about, then fix the {} in it and stop."


def body(prompt: str, *more: Json, model: str = "m-1", tools: Sequence[Json] = ()) -> Json:
    """Make a request in the shape of Anthropic's."""
    first: Json = {"role": "user", "content": [{"type": "text", "text": prompt}]}
    return {"model": model, "max_tokens": 99, "tools": tools, "messages": [first, *more]}


def player(*bodies: Json, rules: CassetteRules = EXACT, agent: AgentStamp | None = None) -> Player:
    """Make a player of these requests."""
    entries = enumerate(bodies, start=2)
    models = tuple(ModelEntry(line, "POST", "/v1/messages", one) for line, one in entries)
    cassette = Cassette("cassettes/t1.jsonl", "0" * 64, (), agent=agent, models=models)
    return Player(cassette, rules, RECORD)


def request(
    asked: Json, profile: Profile = PROFILE, agent: AgentStamp | None = None
) -> ModelRequest:
    """Make a request."""
    return ModelRequest("POST", "/v1/messages", orjson.dumps(asked), profile, agent)


def miss(played: Player, asked: Json, agent: AgentStamp | None = None) -> CassetteMiss:
    """Ask for what is not there."""
    with pytest.raises(CassetteMiss) as caught:
        played.model(request(asked, agent=agent))
    return caught.value


def offered(error: CassetteMiss, beginning: str) -> Json:
    """Read what a line of a message offers, as YAML would."""
    (line,) = [one for one in str(error).splitlines() if one.startswith(beginning)]
    found: Json = yaml.safe_load(line.removeprefix(beginning))
    return found


def test_a_prompt_changed_by_one_word_is_a_miss_that_names_the_word() -> None:
    """The whole message, as a user sees it."""
    error = miss(player(body(PROMPT.format("slip")), body("Hi")), body(PROMPT.format("typo")))

    assert error.kind == "cassette_miss"
    assert str(error) == (
        "cassettes/t1.jsonl: no recorded answer for POST /v1/messages: m-1, 1 message, "
        '"…, say what it is about, then fix the typo in it and stop."\n'
        "nearest: line 2, differs at\n"
        '  $.messages.0.content.0.text: recorded "…is about, then fix the slip in it and stop.", '
        'called "…is about, then fix the typo in it and stop."\n'
        "to ignore it: cassettes: {match: {model: {ignore: [$.messages.0.content.0.text]}}}\n"
        "or only what varies in it, in a profile: "
        '{path: $.messages.0.content.0.text, pattern: "slip|typo", replace: "[varies]"}\n'
        f"to record it: {RECORD}\n"
        "recorded:\n"
        "  line 2 POST /v1/messages m-1, 1 message, "
        '"…, say what it is about, then fix the slip in it and stop."\n'
        '  line 3 POST /v1/messages m-1, 1 message, "Hi"'
    )


def test_a_miss_carries_the_same_for_machines() -> None:
    """The details are JSON, and short."""
    error = miss(player(body("Hi")), body("Ho"))

    assert error.details == {
        "request": "POST /v1/messages",
        "about": 'm-1, 1 message, "Ho"',
        "nearest": {
            "line": 2,
            "differences": [
                {"path": "$.messages.0.content.0.text", "recorded": "Hi", "called": "Ho"}
            ],
            "count": 1,
        },
        "recorded": [{"line": 2, "request": "POST /v1/messages", "about": 'm-1, 1 message, "Hi"'}],
    }


def test_both_offered_rules_work_when_pasted() -> None:
    """One goes into the suite, the other into a profile."""
    recorded, asked = body(PROMPT.format("slip")), body(PROMPT.format("typo (now)"))
    error = miss(player(recorded), asked)

    cassettes = offered(error, "to ignore it: ")
    rule = offered(error, "or only what varies in it, in a profile: ")

    assert isinstance(cassettes, dict)
    assert isinstance(rule, dict)
    match = cassettes["cassettes"]["match"]
    rules = CassetteRules(match={name: MatchRule(**one) for name, one in match.items()})
    assert player(recorded, rules=rules).model(request(asked)).line == 2
    assert player(recorded).model(request(asked, Profile("own", 1, (Rule(**rule),)))).line == 2


@pytest.mark.parametrize(("one", "other"), [("bug", "typo"), ("typo", "bug"), ("3", "4")])
def test_no_rule_is_offered_for_a_short_word(one: str, other: str) -> None:
    """It may stand in the rest of the text, too, where it does not vary."""
    error = miss(player(body(PROMPT.format(one))), body(PROMPT.format(other)))

    assert "to ignore it: " in str(error)
    assert "or only what varies in it" not in str(error)


def test_the_offered_rule_stands_under_the_name_that_the_suite_has() -> None:
    """Pasting it over the old one loses nothing of it."""
    old = MatchRule(ignore=("$.max_tokens",), replace={"x+": "x"})
    error = miss(player(body("Hi"), rules=CassetteRules(match={"/v1/messages": old})), body("Ho"))

    assert offered(error, "to ignore it: ") == {
        "cassettes": {
            "match": {
                "/v1/messages": {
                    "ignore": ["$.max_tokens", "$.messages.0.content.0.text"],
                    "replace": {"x+": "x"},
                }
            }
        }
    }


def test_what_a_profile_takes_away_is_no_difference() -> None:
    """In a long text, the word is found behind a date that may differ."""
    text = "Today is {}. " + "Be brief and exact in all that you say. " * 5 + "Answer in {}."
    error = miss(
        player(body(text.format("2024-01-02", "English"))), body(text.format("2025-03-04", "Latin"))
    )

    assert 'that you say. Answer in English.", called "…that you say. Answer in Latin."' in str(
        error
    )


def test_another_model_is_named_first() -> None:
    """It explains much of the rest."""
    error = miss(player(body("Hi")), body("Ho", model="m-2"))

    assert (
        "differs at\n"
        '  $.model: recorded "m-1", called "m-2"\n'
        '  $.messages.0.content.0.text: recorded "Hi", called "Ho"\n'
    ) in str(error)


def test_the_entry_with_the_fewest_changed_parts_is_nearest() -> None:
    """A longer or shorter conversation is further away than a changed message."""
    more: list[Json] = [{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]
    changed: list[Json] = [more[0], {"role": "user", "content": "c"}]
    played = player(body("Hi"), body("Hi", *more), body("Hi", *more, *more))

    assert 'line 3, differs at\n  $.messages.2.content: recorded "b", called "c"' in str(
        miss(played, body("Hi", *changed))
    )


def test_an_unused_entry_is_nearer_than_a_used_one() -> None:
    """Among entries that differ equally, the next one in line is meant."""
    played = player(body("Hi"), body("Ho"))
    played.model(request(body("Hi")))

    assert "nearest: line 3" in str(miss(played, body("Hu")))


NEWER = AgentStamp("claude-cli", "2.2.0")
AGENTS = {"recorded": "claude-cli 2.1.197", "called": "claude-cli 2.2.0"}


def test_another_version_of_the_agent_says_so_instead_of_forty_differences() -> None:
    """Whoever updates an agent records anew."""
    recorded, asked = ({"model": "m", **{f"k{n}": n * by for n in range(1, 20)}} for by in (1, 2))
    error = miss(player(recorded, agent=CLAUDE), asked, NEWER)

    assert str(error) == (
        "cassettes/t1.jsonl: recorded with claude-cli 2.1.197, this is claude-cli 2.2.0: "
        "record it anew\n"
        "no recorded answer for POST /v1/messages: m\n"
        "nearest: line 2, differs at 19 places\n"
        f"to record it: {RECORD}"
    )
    assert error.details["agents"] == AGENTS


def test_another_version_of_the_agent_is_named_before_a_few_differences() -> None:
    """It need not be the reason, as the stamp may be that of a library: the word is told too."""
    error = miss(player(body("Hi"), agent=CLAUDE), body("Ho"), NEWER)

    assert str(error).startswith(
        "cassettes/t1.jsonl: recorded with claude-cli 2.1.197, this is claude-cli 2.2.0: "
        "record it anew\n"
        'no recorded answer for POST /v1/messages: m-1, 1 message, "Ho"\n'
        "nearest: line 2, differs at\n"
        '  $.messages.0.content.0.text: recorded "Hi", called "Ho"\n'
        "to ignore it: cassettes: {match: {model: {ignore: [$.messages.0.content.0.text]}}}\n"
    )
    assert error.details["agents"] == AGENTS


def test_a_second_client_of_the_same_agent_is_no_other_agent() -> None:
    """Beside its own requests an agent may send some through a library."""
    library = AgentStamp("axios", "1.0")
    played = player(body("Hi"), agent=CLAUDE)

    assert "recorded with" in str(miss(played, body("Ho"), library))
    played.model(request(body("Hi"), agent=CLAUDE))
    assert "recorded with" not in str(miss(played, body("Ho"), library))


def test_the_same_agent_gets_the_differences() -> None:
    """Its version is not to blame."""
    assert "recorded with" not in str(miss(player(body("Hi"), agent=CLAUDE), body("Ho"), CLAUDE))


def anthropic(result: str) -> Json:
    """Make a conversation in which a tool told something."""
    used: Json = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
    told: Json = {"type": "tool_result", "tool_use_id": "toolu_1", "content": result}
    return body("Hi", {"role": "assistant", "content": [used]}, {"role": "user", "content": [told]})


def chat(result: str) -> Json:
    """Make the same in the shape of Chat Completions."""
    function: Json = {"name": "Bash", "arguments": '{"command": "ls"}'}
    return {
        "messages": [
            {"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]},
            {"role": "tool", "tool_call_id": "c1", "content": result},
        ]
    }


def responses(result: str) -> Json:
    """Make the same in the shape of Responses."""
    arguments = '{"command": "ls"}'
    return {
        "input": [
            {"type": "function_call", "call_id": "c1", "name": "Bash", "arguments": arguments},
            {"type": "function_call_output", "call_id": "c1", "output": result},
        ]
    }


def gemini(result: str) -> Json:
    """Make the same in the shape of Gemini."""
    called: Json = {"functionCall": {"name": "Bash", "args": {"command": "ls"}}}
    told: Json = {"functionResponse": {"name": "Bash", "response": {"output": result}}}
    return {"contents": [{"role": "model", "parts": [called]}, {"role": "user", "parts": [told]}]}


@pytest.mark.parametrize("shape", [anthropic, chat, responses, gemini])
def test_a_result_of_a_tool_that_changed_is_told_as_such(shape: object) -> None:
    """The agent is the same, but its world is not."""
    assert callable(shape)
    error = miss(player(shape("a.py b.py")), shape("a.py c.py"))

    assert str(error).startswith(
        'cassettes/t1.jsonl: environment differs: the result of Bash {"command":"ls"} '
        "is not what was recorded\n"
    )
    assert 'recorded "a.py b.py", called "a.py c.py"' in str(error)
    assert f"to record it: {RECORD}" in str(error)
    assert error.kind == "cassette_miss"
    assert error.details["environment"] is True


def test_a_result_that_changed_beside_something_else_is_a_plain_miss() -> None:
    """Only when nothing else differs is the world to blame."""
    changed = anthropic("b")
    assert isinstance(changed, dict)

    error = miss(player(anthropic("a")), {**changed, "model": "m-2"})

    assert "environment" not in str(error)
    assert "environment" not in error.details


def test_ids_that_differ_are_no_change_of_the_world() -> None:
    """A result that belongs to another call is the agent's doing."""
    asked = json.loads(json.dumps(anthropic("a")).replace('"tool_use_id": "toolu_1"', '"id": "2"'))

    assert "environment differs" not in str(miss(player(anthropic("a")), asked))


def tool(name: str, description: str = "Does it.") -> Json:
    """Make the definition of a tool."""
    return {"name": name, "description": description, "input_schema": {"type": "object"}}


def test_other_tools_are_told_by_their_names() -> None:
    """Ten places in a list say less than two names."""
    before = [tool("Bash"), tool("Edit"), tool("Read"), tool("Write")]
    after = [tool("Bash"), tool("Glob"), tool("Read", "Reads."), tool("Write")]

    error = miss(player(body("Hi", tools=before)), body("Hi", tools=after))

    assert "  $.tools: added Glob; removed Edit; changed Read\n" in str(error)
    assert "cassettes: {match: {model: {ignore: [$.tools]}}}" in str(error)


def test_one_tool_that_changed_is_told_by_its_place() -> None:
    """Then the place says more."""
    error = miss(
        player(body("Hi", tools=[tool("Bash", "It is May.")])),
        body("Hi", tools=[tool("Bash", "It is June.")]),
    )

    assert '$.tools.0.description: recorded "It is May.", called "It is June."' in str(error)


def test_an_unknown_path_is_told_with_the_nearest_one() -> None:
    """There is nothing of that path to compare with."""
    asked = ModelRequest("POST", "/v1/message", orjson.dumps(body("Hi")), PROFILE)

    with pytest.raises(CassetteMiss) as caught:
        player(body("Hi")).model(asked)

    assert (
        "nearest: nothing is recorded for POST /v1/message; did you mean POST /v1/messages?\n"
    ) in str(caught.value)


def test_an_empty_cassette_is_told_as_such() -> None:
    """There is nothing near and nothing to list."""
    assert str(miss(player(), body("Hi"))).endswith("recorded: nothing, the cassette is empty")


def test_an_exhausted_request_says_how_often_it_was_recorded() -> None:
    """The user learns that one request more was made than recorded."""
    played = player(body("Hi"))
    played.model(request(body("Hi")))

    assert str(miss(played, body("Hi"))) == (
        "cassettes/t1.jsonl: no recorded answer is left for "
        'POST /v1/messages: m-1, 1 message, "Hi"\n'
        "recorded: once, line 2; one more was asked for\n"
        f"to record it: {RECORD}"
    )


def test_a_request_out_of_order_names_the_expected_one() -> None:
    """The user learns whose turn it was."""
    error = miss(player(body("Hi"), body("Ho"), rules=CassetteRules(order="strict")), body("Ho"))

    assert 'expected line 2 POST /v1/messages m-1, 1 message, "Hi"\n' in str(error)
    assert 'called: POST /v1/messages: m-1, 1 message, "Ho", which is line 3\n' in str(error)


@pytest.mark.parametrize(
    "asked",
    [
        body("x" * 1_000_000),
        body("Hi", *[{"role": "user", "content": f"{n}" * 100} for n in range(2000)]),
        body("Hi", tools=[tool(f"tool {n}" * 50) for n in range(500)]),
        {f"key {n}": n for n in range(10_000)},
        [0] * 100_000,
        "no JSON",
        None,
    ],
)
def test_huge_and_odd_requests_give_a_short_message(asked: Json) -> None:
    """Neither the message nor the details grow with the request or the recording."""
    called = miss(player(body("Hi"), body("Ho")), asked)
    recorded = miss(player(*[asked] * 30), body("Hi"))

    for error in (called, recorded):
        assert len(str(error).splitlines()) <= 25
        assert len(str(error)) < 6000
        assert len(json.dumps(error.details)) < 12000


def test_texts_that_differ_inside_a_long_word_say_where() -> None:
    """No piece of a word is shown, since it may be a piece of a secret."""
    error = miss(player(body("k" * 200 + "a")), body("k" * 200 + "b"))

    assert "but for the text from character 201 on" in str(error)
    assert "kkk" not in str(error).split("nearest")[1].split("to ignore")[0]


def test_a_difference_deep_in_a_long_text_shows_both_sides() -> None:
    """Lines that follow each other without a space are words of their own."""
    listing = "\n".join(f"VAR_{n}=/usr/lib/{n}" for n in range(200))
    asked = listing.replace("VAR_150=/usr/lib/150", "VAR_150=/opt/150")
    error = miss(player(body(listing)), body(asked))

    assert r"\nVAR_150=/usr/lib/150\nVAR_151=/usr/lib/151" in str(error)
    assert r"\nVAR_150=/opt/150\nVAR_151=/usr/lib/151" in str(error)
    (told,) = error.details["nearest"]["differences"]
    assert "VAR_150=/usr/lib/150" in told["recorded"]
    assert "VAR_150=/opt/150" in told["called"]
    assert len(told["called"]) < 500


@pytest.mark.parametrize("name", ["password = ", "--password ", '"password": "'])
def test_a_secret_whose_name_is_cut_off_is_not_shown(name: str) -> None:
    """It is hidden while the text is whole, where its name still tells."""
    secrets = "x7Kq9Zw2Lm4P", "y8Kq9Zw2Lm4P"
    for before in range(100, 140):
        text = "w " * before + name + "{}" + '" and more ' * 50
        error = miss(player(body(text.format(secrets[0]))), body(text.format(secrets[1])))
        told = f"{error} {Redactor().value(error.details)}"  # details are recorded like this
        assert not [secret for secret in secrets if secret in told]
