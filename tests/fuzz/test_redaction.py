"""Wherever a secret stands, and however it is written, it does not come out."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote, quote_plus

from hypothesis import assume, given
from hypothesis import strategies as st

from fuzz.effort import MORE_BRIEFLY
from fuzz.mutations import TEXTS, VALUES
from runledger.ledger.event import Raw
from runledger.ledger.strict_json import dump_line
from runledger.ledger.value import Json, texts_in
from runledger.store.cassette.cleaning import cleaned
from runledger.store.cassette.entry import STREAM, Entry, ModelAnswer, ModelEntry
from runledger.store.cassette.masking import masking_for
from runledger.store.lines import encode
from runledger.store.pieces import Held, Pieces
from runledger.store.redact.environment import secrets_in
from runledger.store.redact.memory import Memory
from runledger.store.redact.redactor import Redactor

Write = Callable[[str], str]
Draw = Callable[[st.SearchStrategy[Any]], Any]

# Letters of both cases and figures, as keys have them; signs that texts escape stand between.
SIGNS = "".join(chr(code) for code in range(0x21, 0x7F)) + " éß中"
SECRETS = st.tuples(
    st.text("abcdefghjkmnpqrstuvwxyz", min_size=2, max_size=4),
    st.text("ABCDEFGHJKLMNPQRSTUVWXYZ", min_size=2, max_size=4),
    st.text("23456789", min_size=2, max_size=4),
    st.text(SIGNS, max_size=12).map(str.strip),
    st.text("qxzQXZ789", min_size=3, max_size=8),
).map("".join)

# How a program may write a secret that it was given.
FORMS: dict[str, Write] = {
    "as it is": lambda secret: secret,
    "in JSON": lambda secret: json.dumps({"a": secret}),
    "in JSON, as it is": lambda secret: json.dumps([secret], ensure_ascii=False),
    "in JSON in JSON": lambda secret: json.dumps({"a": json.dumps([secret])}),
    "quoted": lambda secret: quote(secret, safe=""),
    "quoted for a form": quote_plus,
    "quoted twice": lambda secret: quote(quote(secret, safe=""), safe=""),
    "in base64": lambda secret: b64encode(secret.encode()).decode(),
    "in base64 behind one": lambda secret: b64encode(b"u:" + secret.encode()).decode(),
    "in base64 between": lambda secret: b64encode(b":" + secret.encode() + b"\n").decode(),
    "in base64 for addresses": lambda secret: urlsafe_b64encode(secret.encode()).decode(),
    "in hexadecimal": lambda secret: secret.encode().hex(),
}
# What is not hidden for itself must be hidden for the name that it stands under.
NAMES = st.sampled_from(["password", "api_key", "x-api-key", "access_token", "clientSecret"])
TRACKS = ("text", "partial_json", "thinking")


@st.composite
def planted(draw: Draw, leaf: Json) -> Json:
    """Put a value somewhere into others."""
    value = leaf
    for _ in range(draw(st.integers(0, 4))):
        if draw(st.booleans()):
            value = [*draw(st.lists(VALUES, max_size=2)), value, draw(VALUES)]
        else:
            value = {**draw(st.dictionaries(TEXTS, VALUES, max_size=2)), draw(TEXTS): value}
    return value


def bare(form: str, secret: str) -> str:
    """Write a secret in a form, without what that puts around it."""
    return FORMS[form](secret).strip('{}[]"')


@MORE_BRIEFLY
@given(st.data(), SECRETS, st.sampled_from(sorted(FORMS)), TEXTS, TEXTS)
def test_a_known_secret_never_comes_out(
    data: st.DataObject, secret: str, form: str, before: str, after: str
) -> None:
    """What an environment held is hidden in every form, in prose and anywhere in a value."""
    known = secrets_in({"MY_FLAG": secret}, {})
    assume(secret in known)
    text = f"{before} {FORMS[form](secret)} {after}"
    value = data.draw(planted(text))

    for redactor in (Redactor(known), Redactor(known, salt="5a17")):
        left = redactor.value(value)
        assert "[REDACTED" in encode(left).decode()
        assert not any(bare(form, secret) in one for one in texts_in(left))
        assert bare(form, secret) not in redactor.text(text)


@MORE_BRIEFLY
@given(st.data(), SECRETS, NAMES)
def test_what_stands_under_a_telling_name_never_comes_out(
    data: st.DataObject, secret: str, name: str
) -> None:
    """A name tells, in a value and in JSON inside of a text, and what it told is remembered."""
    told = data.draw(st.sampled_from([{name: secret}, {name: [secret]}, {"a": {name: secret}}]))
    value = data.draw(planted(data.draw(st.sampled_from([told, json.dumps(told)]))))

    left = Redactor().value(value)
    assert not any(secret in one for one in texts_in(left))

    memory = Memory()
    memory.clean({name: secret}, "t1")
    assert secret not in str(memory.clean(f"it is {secret} now", "t1"))


@MORE_BRIEFLY
@given(VALUES, st.lists(SECRETS, max_size=2))
def test_what_was_redacted_stays_as_it_is(value: Json, secrets: Sequence[str]) -> None:
    """Redaction never raises, and once is enough, with or without a salt."""
    for redactor in (Redactor(secrets), Redactor(secrets, salt="5a17")):
        once = redactor.value(value)
        assert redactor.value(once) == once


@MORE_BRIEFLY
@given(st.data(), SECRETS, st.sampled_from(TRACKS), TEXTS)
def test_a_secret_said_in_pieces_is_in_no_piece_of_a_recording(
    data: st.DataObject, secret: str, track: str, before: str
) -> None:
    """A stream that spells a secret out, piece by piece, is recorded without it."""
    pieces = cut_up(data.draw, f"{before} {secret} after")
    frames = tuple(frame(track, piece) for piece in pieces)
    answer = ModelAnswer(200, {"content-type": STREAM}, frames)
    entries = [ModelEntry(0, "POST", "/v1", {"a": 1}, answer), Entry(0, "t", {}, True, secret)]

    model, tool = cleaned(entries, masking_for([secret], "5a17").mask)

    assert isinstance(model, ModelEntry)
    assert isinstance(tool, Entry)
    whole = "".join(map(said_in(track), model.answer.frames))
    assert secret not in whole
    assert secret not in str(tool.result)
    assert "[REDACTED" in whole


@MORE_BRIEFLY
@given(st.data(), SECRETS, TEXTS)
def test_a_secret_said_in_pieces_is_in_no_piece_of_a_record(
    data: st.DataObject, secret: str, before: str
) -> None:
    """Pieces wait until the text is whole, and those of a secret are then hidden."""
    memory = Memory([secret])
    held = Pieces(memory.clean)
    said = [Raw("from_agent", {"a": one}, one) for one in cut_up(data.draw, before + secret)]
    written = [one for raw in said for one in held.hold("t1", Held("", raw))]
    written += held.release("t1")

    left = [memory.clean(one.raw.data, "t1") for one in written]

    assert len(left) == len(said)
    assert secret not in "".join(text for value in left for text in texts_in(value))


def cut_up(draw: Draw, text: str) -> list[str]:
    """Cut a text into pieces."""
    cuts = sorted({0, len(text), *draw(st.lists(st.integers(0, len(text)), max_size=6))})
    return [text[start:end] for start, end in pairwise(cuts)]


def frame(track: str, piece: str) -> bytes:
    """Write an event that says a piece."""
    said: Mapping[str, Json] = {"type": "content_block_delta", "index": 0, "delta": {track: piece}}
    return b"event: content_block_delta\ndata: " + dump_line(said) + b"\n"


def said_in(track: str) -> Callable[[bytes], str]:
    """Make the function that reads the piece of an event."""
    return lambda raw: str(json.loads(raw.partition(b"data:")[2])["delta"].get(track, ""))
