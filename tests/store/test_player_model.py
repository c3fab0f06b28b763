"""Finding the recorded answer of a request to a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import orjson
import pytest

from runledger.errors import CassetteMiss, UsageError
from runledger.ledger.proxy import Profile, Rule
from runledger.ledger.suite import CassetteRules, MatchRule
from runledger.ledger.value import Json
from runledger.store.cassette.entry import ModelAnswer, ModelEntry, ModelRequest
from runledger.store.cassette.load import Cassette
from runledger.store.replay.miss import Label
from runledger.store.replay.model_tape import Eyes, ModelTape
from runledger.store.replay.player import Player

GENERIC = Profile("generic", 1)
ANY_ORDER = CassetteRules()


def said(text: str) -> Json:
    """Make a body with one message."""
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def entry(
    line: int, body: Json, status: int = 200, *, partial: bool = False, method: str = "POST"
) -> ModelEntry:
    """Make an entry."""
    return ModelEntry(line, method, "/v1/messages", body, ModelAnswer(status, {}, (), (), partial))


def player(*entries: ModelEntry, rules: CassetteRules = ANY_ORDER) -> Player:
    """Make a player of a cassette with these entries."""
    return Player(Cassette("c.jsonl", "0" * 64, (), models=entries), rules)


def request(body: Json, *, retry: int = 0, method: str = "POST") -> ModelRequest:
    """Make a request."""
    return ModelRequest(method, "/v1/messages", orjson.dumps(body), GENERIC, retry=retry)


def lines(played: Player, *requests: ModelRequest) -> list[int]:
    """Ask one after the other, and give the lines of the answers."""
    return [played.model(one).line for one in requests]


def kind_of_miss(played: Player, asked: ModelRequest) -> str:
    """Ask for what is not there and say what kind of miss it was."""
    with pytest.raises(CassetteMiss) as miss:
        played.model(asked)
    return miss.value.kind


def test_equal_requests_get_their_answers_in_the_order_of_recording() -> None:
    """The n-th equal request gets the n-th answer, whatever comes between."""
    played = player(entry(1, said("a")), entry(2, said("b")), entry(3, said("a")))

    assert lines(played, *map(request, [said("b"), said("a"), said("a")])) == [2, 1, 3]


def test_one_request_too_many_is_exhausted_and_not_a_miss() -> None:
    """A request that was recorded, but not so often, is told apart from an unknown one."""
    played = player(entry(1, said("a")))
    played.model(request(said("a")))

    assert kind_of_miss(played, request(said("a"))) == "cassette_exhausted"
    assert kind_of_miss(played, request(said("b"))) == "cassette_miss"


def test_another_proxy_has_answers_of_its_own() -> None:
    """Two APIs may be asked the same, in another order than when they were recorded."""
    entries = [replace(entry(n, said("a")), via=via) for n, via in ((1, "ONE"), (2, "TWO"))]
    one, two = (replace(request(said("a")), via=via) for via in ("ONE", "TWO"))

    assert lines(player(*entries), two, one) == [2, 1]
    assert lines(player(*entries), request(said("a"))) == [1]  # it has a single one by now


def test_an_answer_that_names_no_proxy_is_for_any_but_used_once() -> None:
    """A cassette may be older than the second proxy of its suite."""
    one, two = (replace(request(said("a")), via=via) for via in ("ONE", "TWO"))
    played = player(entry(1, said("a")), entry(2, said("a")))

    assert lines(played, two, one) == [1, 2]
    assert kind_of_miss(played, one) == "cassette_exhausted"


def test_what_only_another_proxy_was_asked_is_named_by_it() -> None:
    """Else two equal requests would be said to differ."""
    played = player(replace(entry(1, said("a")), via="ONE"), entry(2, said("b")))

    with pytest.raises(CassetteMiss) as miss:
        played.model(replace(request(said("a")), via="TWO"))
    told = str(miss.value)
    assert "no recorded answer for POST /v1/messages (TWO)" in told
    assert "nearest: line 2" in told
    assert "line 1 POST /v1/messages (ONE)" in told


def test_another_path_or_method_is_another_request() -> None:
    """The key holds both."""
    played = player(entry(1, said("a")))
    counted = ModelRequest("POST", "/v1/count", orjson.dumps(said("a")), GENERIC)

    assert kind_of_miss(played, counted) == "cassette_miss"
    assert kind_of_miss(played, request(said("a"), method="PUT")) == "cassette_miss"


def test_a_retry_gets_the_same_answer_again() -> None:
    """A client that did not hear a good answer uses up no other."""
    played = player(entry(1, said("a")), entry(2, said("a")))

    asked = [request(said("a")), request(said("a"), retry=1), request(said("a"))]

    assert lines(played, *asked) == [1, 1, 2]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 529])
def test_a_retry_after_an_error_gets_the_next_answer(status: int) -> None:
    """It asked again because of that error."""
    played = player(entry(1, said("a"), status), entry(2, said("a")))

    assert lines(played, request(said("a")), request(said("a"), retry=1)) == [1, 2]


def test_equal_requests_in_flight_that_are_retried_have_answers_of_their_own() -> None:
    """Nobody knows whose retry it is, but none of two answers is heard twice."""
    played = player(entry(1, said("a")), entry(2, said("a")))
    first, again, third = (request(said("a"), retry=count) for count in (0, 1, 2))

    assert lines(played, first, first) == [1, 2]
    assert sorted(lines(played, again, again)) == [1, 2]
    assert sorted(lines(played, third, third)) == [1, 2]


def test_the_retries_of_one_client_get_what_it_heard_last() -> None:
    """An earlier equal request, which is done, has nothing to do with them."""
    played = player(*(entry(line, said("a")) for line in (1, 2, 3)))
    first, again, third = (request(said("a"), retry=count) for count in (0, 1, 2))

    assert lines(played, first, first, again, third, third, first) == [1, 2, 2, 2, 2, 3]


def test_a_retry_that_nobody_made_before_is_a_first_request() -> None:
    """Its first try may have met a fault on purpose, which uses up nothing."""
    assert lines(player(entry(1, said("a"))), request(said("a"), retry=1)) == [1]


def test_an_error_that_was_recorded_last_is_repeated() -> None:
    """Of several that a client got before it gave up, only the last is kept."""
    played = player(entry(1, said("a"), 529))

    assert lines(played, *[request(said("a"))] * 3) == [1, 1, 1]


def test_an_answer_that_is_given_back_is_given_again() -> None:
    """The client left before it had it all."""
    played = player(entry(1, said("a")), entry(2, said("a")))
    first = played.model(request(said("a")))

    played.give_back(first)

    assert lines(played, *[request(said("a"))] * 2) == [1, 2]


def test_giving_back_twice_is_giving_back_once() -> None:
    """Only one request gets it again."""
    played = player(entry(1, said("a")), entry(2, said("a")))
    first = played.model(request(said("a")))

    played.give_back(first)
    played.give_back(first)

    assert lines(played, *[request(said("a"))] * 2) == [1, 2]


def test_lists_are_never_used_up() -> None:
    """A client may ask for its models as often as it likes."""
    played = player(entry(1, None, method="GET"), entry(2, None, method="GET"))
    asked = ModelRequest("GET", "/v1/messages", b"", GENERIC)

    assert lines(played, *[asked] * 4) == [1, 2, 2, 2]


def test_an_answer_that_broke_off_is_played_and_never_reported() -> None:
    """Nobody knows whether it is needed."""
    played = player(entry(1, said("a"), partial=True), entry(2, said("b"), partial=True))

    assert lines(played, request(said("a")), request(said("a"))) == [1, 1]
    assert (played.use().unused, played.use().left) == (0, ())


def test_half_an_answer_lets_the_whole_one_be_had_once_more() -> None:
    """The client left and asked again; whether we saw it leave is a matter of luck."""
    played = player(entry(1, said("a"), partial=True), entry(2, said("a")))

    assert lines(played, request(said("a")), request(said("a"))) == [2, 2]


def test_strict_order_holds() -> None:
    """Entries must be asked for one after the other, retries aside."""
    entries = entry(1, said("a")), entry(2, said("b"), partial=True), entry(3, said("c"))
    played = player(*entries, rules=CassetteRules(order="strict"))

    assert kind_of_miss(played, request(said("c"))) == "cassette_order"
    asked = [request(said("a")), request(said("a"), retry=1), request(said("c"))]
    assert lines(played, *asked) == [1, 1, 3]


def test_unused_answers_are_told_and_are_no_failure() -> None:
    """For models the usual policy is to warn."""
    played = player(entry(4, said("a")), entry(7, said("b")))
    played.model(request(said("a")))

    use = played.use()

    assert (use.entries, use.used, use.unused, use.left) == (2, 1, 1, (7,))
    assert use.warn_unused
    assert played.failures() == ()


def test_unused_answers_fail_where_the_suite_says_so() -> None:
    """The message lists them in short."""
    (failure,) = player(entry(4, said("a")), rules=CassetteRules(unused="fail")).failures()

    assert failure.type == "cassette_unused"
    assert failure.message == (
        'c.jsonl: 1 of 1 recorded answers was not used: line 4 POST /v1/messages m, 1 message, "a"'
    )


@pytest.mark.parametrize("name", ["model", "/v1/messages", "POST /v1/messages"])
def test_a_rule_of_the_suite_lets_requests_match_and_is_told(name: str) -> None:
    """A run lists the entries that matched only through it."""
    rules = CassetteRules(match={name: MatchRule(ignore=("$.user",), replace={"day .": "[day]"})})
    one: Json = {"user": 1, "messages": ["day 1"]}
    played = player(entry(1, one), entry(2, one), rules=rules)

    assert lines(played, request(one), request({"user": 2, "messages": ["day 2"]})) == [1, 2]
    assert played.use().overridden == (2,)


def test_the_rule_of_a_path_comes_before_that_of_all_models() -> None:
    """The more exact name counts."""
    rules = CassetteRules(match={"model": MatchRule(ignore=("$.a",)), "/v1/messages": MatchRule()})

    assert kind_of_miss(player(entry(1, {"a": 1}), rules=rules), request({"a": 2}))


def test_a_rule_that_models_cannot_have_is_refused() -> None:
    """Parts of a body are found by their digests, so none can be a subset."""
    with pytest.raises(UsageError, match="'match: subset' is not for requests to a model"):
        player(rules=CassetteRules(match={"model": MatchRule(match="subset")}))


def test_each_profile_reads_the_same_entries() -> None:
    """An entry that was given to one is not given to another."""
    loose = Profile("loose", 1, (Rule("[0-9]", "#"),))
    played = player(entry(1, said("1")), entry(2, said("2")))
    any_digit = ModelRequest("POST", "/v1/messages", orjson.dumps(said("3")), loose)

    assert lines(played, request(said("1")), any_digit) == [1, 2]
    assert kind_of_miss(played, any_digit) == "cassette_exhausted"


def test_secrets_are_compared_by_what_stands_for_them() -> None:
    """A cassette with a salt holds placeholders, also under a telling name at the top."""

    def hide(value: Json) -> Json:
        if isinstance(value, dict):
            return {key: "[X]" if key == "api_key" else hide(item) for key, item in value.items()}
        if isinstance(value, list):
            return [hide(item) for item in value]
        return value.replace("hunter22", "[X]") if isinstance(value, str) else value

    recorded = entry(1, {"api_key": "[X]", "messages": [{"content": "it is [X]"}]})
    played = Player(Cassette("c", "0" * 64, (), salt="5a", models=(recorded,)), mask=hide)
    asked: dict[str, Json] = {"api_key": "abc", "messages": [{"content": "it is hunter22"}]}

    assert lines(played, request(asked)) == [1]
    assert "hunter22" not in _message(played, request({**asked, "more": ["hunter22"]}))


def test_places_are_the_same_on_every_machine() -> None:
    """Requests, calls of tools and of servers are compared with their places named."""
    recorded = entry(1, said("in /tmp/there/a"))
    places = {"workspace": "/tmp/here"}
    cassette = Cassette("c", "0" * 64, (), models=(recorded,), places={"workspace": "/tmp/there"})

    assert lines(Player(cassette, places=places), request(said("in /tmp/here/a"))) == [1]


def test_a_long_session_is_read_part_by_part() -> None:
    """Entries that share their messages all find their answers."""
    talk: list[Json] = [{"role": "user", "content": f"message {n}"} for n in range(60)]
    sessions: Sequence[Json] = [{"messages": talk[: n + 1]} for n in range(60)]
    played = player(*[entry(n + 1, body) for n, body in enumerate(sessions)])

    assert lines(played, *map(request, reversed(sessions))) == list(range(60, 0, -1))


class Walked(list[ModelEntry]):
    """Entries that count how often one walks through all of them."""

    walks = 0

    def __iter__(self) -> Iterator[ModelEntry]:
        self.walks += 1
        return super().__iter__()


def test_many_paths_do_not_make_many_walks_through_the_cassette() -> None:
    """Each path finds its own entries at once, by the rule that holds for all of them."""
    rules = CassetteRules(match={"model": MatchRule(ignore=("$.n",))})
    entries = Walked(ModelEntry(n, "POST", f"/v1/r{n}", {"n": n}) for n in range(50))
    tape = ModelTape(entries, rules, Label("c.jsonl"), Eyes(None, {}))
    asked = [ModelRequest("POST", f"/v1/r{n}", b'{"n": -1}', GENERIC) for n in range(50)]

    assert [tape.take(one).line for one in reversed(asked)] == list(reversed(range(50)))
    assert tape.overridden == set(range(50))
    assert entries.walks < 5


def _message(played: Player, asked: ModelRequest) -> str:
    with pytest.raises(CassetteMiss) as miss:
        played.model(asked)
    return f"{miss.value} {miss.value.details}"
