"""Recording and replay know the same secrets: what was told anywhere is hidden everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runledger.errors import CassetteMiss
from runledger.ledger.event import ToolCall, ToolResult
from runledger.ledger.proxy import Profile
from runledger.store.cassette.entry import ModelAnswer, ModelEntry, ModelRequest
from runledger.store.cassette.flaws import flaws_in
from runledger.store.cassette.load import load_cassette
from runledger.store.cassette.masking import mask_for, masking_for
from runledger.store.cassette.recording import Recorder
from runledger.store.redact.environment import MOST_TOLD_CHARACTERS, secrets_below
from runledger.store.redact.listener import secrets_told
from runledger.store.redact.placeholder import hash_with
from runledger.store.redact.recognition import Recognition
from runledger.store.replay.body import read_body
from runledger.store.replay.player import Player

SALT = "5a175a17"
PASSWORD = "Tr0ub4dor&3xx"
PATH = "/v1/messages"
PLAIN = Profile("plain", 1)
OK = ModelAnswer(200, {"content-type": "application/json"}, (b'{"ok":true}',))


def used(**args: Any) -> dict[str, Any]:
    """Make the message of a model that calls a tool."""
    call = {"type": "tool_use", "id": "1", "name": "login", "input": args}
    return {"role": "assistant", "content": [call]}


def saw(text: str) -> dict[str, Any]:
    """Make the message that tells the result of a tool."""
    return {"role": "user", "content": [{"type": "tool_result", "content": text}]}


def said(text: str) -> dict[str, Any]:
    """Make a message of a user."""
    return {"role": "user", "content": text}


def talk(*messages: Any, **fields: Any) -> dict[str, Any]:
    """Make the body of a request."""
    return {"model": "m", **fields, "messages": list(messages)}


def record(
    file: Path, *bodies: Any, answers: tuple[ModelAnswer, ...] = (), secrets: tuple[str, ...] = ()
) -> str:
    """Record requests, and give what stands in the cassette."""
    recorder = Recorder(file, "c.jsonl", masking_for(secrets, SALT))
    for body, answer in zip(bodies, answers or [OK] * len(bodies), strict=True):
        document = read_body(body) if isinstance(body, bytes) else body
        recorder.keep_model(ModelEntry(0, "POST", PATH, document, answer))
    recorder.commit()
    return file.read_text()


def open_player(file: Path, *secrets: str) -> Player:
    """Open a cassette as a trial does."""
    cassette = load_cassette(file)
    return Player(cassette, mask=mask_for(secrets, cassette))


def ask(player: Player, body: Any, path: str = PATH) -> int:
    """Ask once, and give the line of the answer."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return player.model(ModelRequest("POST", path, content, PLAIN)).line


SESSIONS = {
    "told in an argument, said in prose": [
        talk(used(password=PASSWORD), said(f"I used {PASSWORD}, and it worked."))
    ],
    "told beside the conversation": [
        talk(metadata={"password": PASSWORD}, system=f"psql --pw={PASSWORD};")
    ],
    "told in lines of a file": [
        talk(saw(f"DB_PASSWORD={PASSWORD.replace('&', '-')}\nDEBUG=1")),
        talk(
            saw(f"DB_PASSWORD={PASSWORD.replace('&', '-')}\nDEBUG=1"),
            said(f"used `{PASSWORD.replace('&', '-')}`, fine"),
        ),
    ],
    "told in JSON that a tool printed": [
        talk(saw(json.dumps({"password": PASSWORD})), said(f"psql -c {PASSWORD}; done"))
    ],
    "told in an address": [
        talk(saw(f"postgres://bob:{PASSWORD}@db/x"), said(f"({PASSWORD}) is bob's"))
    ],
    "said before it is told": [
        talk(said(f"log in with '{PASSWORD}'.")),
        talk(said(f"log in with '{PASSWORD}'."), used(password=PASSWORD)),
    ],
}


@pytest.mark.parametrize("session", SESSIONS.values(), ids=SESSIONS)
def test_an_identical_session_replays_and_its_secret_is_nowhere(
    tmp_path: Path, session: list[Any]
) -> None:
    """Wherever in a session a name tells of a secret, it is known in all of it, both times."""
    file = tmp_path / "c.jsonl"

    content = record(file, *session)

    assert PASSWORD not in content
    assert PASSWORD.replace("&", "-") not in content
    assert flaws_in(file, ()) == []
    player = open_player(file)
    assert [ask(player, body) for body in session] == [*range(2, 2 + len(session))]


def test_what_a_model_made_up_is_known_in_the_requests_that_follow(tmp_path: Path) -> None:
    """In replay the agent hears the placeholder, and says that in its place."""
    file = tmp_path / "c.jsonl"
    pieces = ('{"pass', 'word": "Tr0ub', 'dor-3xx"}')
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    events = [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
    frames = tuple(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    answer = ModelAnswer(200, {"content-type": "text/event-stream"}, frames)
    first, second = talk(said("make one")), talk(said("make one"), saw("it is Tr0ubdor-3xx!"))

    content = record(file, first, second, answers=(answer, OK))

    assert "Tr0ub" not in content
    player = open_player(file)
    given = player.model(ModelRequest("POST", PATH, json.dumps(first).encode(), PLAIN)).answer
    made_up = json.loads(json.loads(given.frames[0][5:])["delta"]["partial_json"])["password"]
    assert ask(player, talk(said("make one"), saw(f"it is {made_up}!"))) == 3
    assert ask(open_player(file), second) == 3  # or the agent's world tells it the secret again


def test_a_piece_of_what_a_model_says_tells_nothing(tmp_path: Path) -> None:
    """Else the half of a value would be hidden in every request, and replay could not know it."""
    file = tmp_path / "c.jsonl"
    texts = ('{"password": "my-prod-9', '"}')
    deltas = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in texts]
    frames = tuple(b"data: " + json.dumps(delta).encode() + b"\n\n" for delta in deltas)
    answer = ModelAnswer(200, {"content-type": "text/event-stream"}, (*frames, *frames[1:]))

    record(file, talk(said("in my-prod-97 there is")), answers=(answer,))

    assert ask(open_player(file), talk(said("in my-prod-97 there is"))) == 2


def test_a_refusal_shows_no_secret_that_the_request_itself_tells(tmp_path: Path) -> None:
    """Neither in what differs nor in the rule that it offers to paste."""
    file = tmp_path / "c.jsonl"
    record(file, talk(used(password=PASSWORD), said(f"{PASSWORD}, then")))
    other = talk(used(password="An0ther&one"), said("An0ther&one, now"))

    with pytest.raises(CassetteMiss) as miss:
        ask(open_player(file), other)

    assert "An0ther&one" not in f"{miss.value} {miss.value.details}"


def test_what_a_tool_was_told_is_known_to_the_model_level_too(tmp_path: Path) -> None:
    """All levels of a cassette have one knowledge."""
    file = tmp_path / "c.jsonl"
    recorder = Recorder(file, "c.jsonl", masking_for((), SALT))
    recorder.keep(ToolCall("login", "1", {"password": PASSWORD}), ToolResult("1", True, "in"))
    recorder.keep_model(ModelEntry(0, "POST", PATH, talk(said(f"x{PASSWORD}x")), OK))
    recorder.commit()
    player = open_player(file)

    assert PASSWORD not in file.read_text()
    assert player.tool("login", {"password": PASSWORD}).line == 2
    assert ask(player, talk(said(f"x{PASSWORD}x"))) == 3


def test_words_and_references_under_a_telling_name_stay_where_they_stand_else(
    tmp_path: Path,
) -> None:
    """Source code and forms name passwords all the time; answers must stay as they were said."""
    code = 'password: "Password is required", token: "${TOKEN}", api_key: "your-api-key-here"'
    prose = "it says Password is required or ${TOKEN} or your-api-key-here"

    content = record(tmp_path / "c.jsonl", talk(saw(code), said(prose)))

    assert prose in content


def test_a_path_that_holds_a_secret_finds_its_answer(tmp_path: Path) -> None:
    """Paths are compared, and shown, as they are recorded."""
    file = tmp_path / "c.jsonl"
    secret = "s3cr3tvalue99"
    recorder = Recorder(file, "c.jsonl", masking_for((secret,), SALT))
    recorder.keep_model(ModelEntry(0, "POST", f"/v1/{secret}/x", talk(), OK))
    recorder.commit()

    assert ask(open_player(file, secret), talk(), f"/v1/{secret}/x") == 2
    assert ask(open_player(file), talk(), f"/v1/{secret}/x") == 2
    with pytest.raises(CassetteMiss) as miss:
        ask(open_player(file, secret), talk(said("more")), f"/v1/{secret}/x")
    assert secret not in f"{miss.value} {miss.value.details}"
    assert "nearest: line 2" in str(miss.value)


@pytest.mark.parametrize(
    "body",
    [
        b'{"model":"m","a":1,"a":1,"messages":[]}',
        b'{"a":' + b"[" * 300 + b"]" * 300 + b"}",
        b'{"a":' + b"9" * 301 + b"}",
    ],
    ids=["a name twice", "nested deeply", "digits"],
)
def test_what_only_a_lenient_reader_takes_for_json_replays(tmp_path: Path, body: bytes) -> None:
    """It was recorded as a text, and is looked for as one, too."""
    file = tmp_path / "c.jsonl"
    record(file, body)

    assert ask(open_player(file), body) == 1
    with pytest.raises(CassetteMiss) as miss:
        ask(open_player(file), body.replace(b'"a"', b'"b"'))
    assert "ignore: []" not in str(miss.value)


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        (PASSWORD, f"--pw={PASSWORD};"),
        ("Xy12ab!!", "take Xy12ab!!."),
        ("ab/cd+ef12", 'key:"ab/cd+ef12",'),
        ("hunter2secret99", "a,b,c,d,e,f,g,hunter2secret99,h,i,j,k,l,m,n"),
        ("correct horse battery", "correct horse battery"),
    ],
)
def test_a_secret_is_recognised_by_its_hash_among_signs(secret: str, text: str) -> None:
    """Signs around it are passed over, and those in it are not."""
    short = hash_with(SALT)(secret.encode())
    found: list[str] = []

    left = Recognition(SALT, {short}, found.append).value([text, "nothing of the kind"])

    assert left == [text.replace(secret, f"[REDACTED:{short}]"), "nothing of the kind"]
    assert found == [secret]


def test_so_much_is_never_told_that_it_could_not_be_looked_for() -> None:
    """An agent may write a whole file of keys; each pattern has its limit."""
    many = [{"token": f"{number:04}x" * 300} for number in range(500)]
    text = "\n".join(f"TOKEN={number:05}abcdefg9{number}" for number in range(9000))

    for told in (secrets_below(many), secrets_told([text])):
        assert 0 < sum(map(len, told)) <= MOST_TOLD_CHARACTERS
