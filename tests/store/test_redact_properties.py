"""What holds of redaction whatever the value."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from urllib.parse import quote

from hypothesis import example, given, settings
from hypothesis import strategies as st

from runledger.ledger.value import Json
from runledger.store.redact.redactor import Redactor

KNOWN = ('zQ7/x "9"\\k&W', "correct horse battery")
PLAIN, SALTED = Redactor(KNOWN), Redactor(KNOWN, salt="s")
BODY = "a1B2c3D4" * 8

# Each puts a secret into a text or value in a way that must be seen; BODY stands in all others.
PLANTS: dict[str, Callable[[str], Json]] = {
    "known": lambda text: text + " " + KNOWN[0],
    "known, glued": lambda text: text + KNOWN[1] + text,
    "known, escaped": lambda text: json.dumps([text, KNOWN[0]]),
    "known, quoted": lambda text: text + " " + quote(KNOWN[0], safe=""),
    "known, base64": lambda text: text + " " + b64encode(b"u:" + KNOWN[0].encode()).decode(),
    "shape": lambda text: text + " ghp_" + BODY,
    "key": lambda text: {"a": text, "api_key": BODY},
    "below a key": lambda text: {"a": text, "secrets": [{"b": BODY}]},
    "key in json": lambda text: json.dumps({"a": text, "api_key": BODY}),
    "key in json twice": lambda text: json.dumps(json.dumps({"a": text, "api_key": BODY})),
    "assigned": lambda text: text + "\npassword=" + BODY,
    "option": lambda text: text + "\nrun --token " + BODY,
    "query": lambda text: text + "\nhttp://h/?token=" + BODY,
    "header": lambda text: text + "\nAuthorization: Bearer " + BODY,
    "address": lambda text: text + "\nhttp://u:" + BODY + "@h",
}
LEAKS = (
    BODY,
    *KNOWN,
    *(json.dumps(one)[1:-1] for one in KNOWN),
    *(quote(one, safe="") for one in KNOWN),
    b64encode(b"u:" + KNOWN[0].encode()).decode(),
)

BITS = st.sampled_from(
    [
        *(
            "password",
            "token",
            "api_key",
            "secret",
            "=",
            ": ",
            '"',
            "'",
            "\\",
            "\\n",
            "\n",
            " ",
            ",",
        ),
        *("Bearer ", "://", "@", "u:p", "{", "}", "[", "]", "&", "?", "--", "[REDACTED]", "%2F"),
        *("[REDACTED:key:0a1b2c3d]", "a1b2c3d4", "word", "eyJ", "ghp_", "AKIA", BODY, *KNOWN),
        *("-----BEGIN PRIVATE " + "KEY-----", "Cookie: ", "<", ">", "value", "ü", "\ud800", "\0"),
    ]
)
TEXTS = st.lists(BITS, max_size=12).map("".join) | st.text(st.characters(codec=None), max_size=20)
NAMES = st.sampled_from(["a", "token", "password", "name", "value", "max_tokens"]) | TEXTS
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
CLEAN = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from("abc xyz.\n-"), max_size=30),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abcdef"), inner),
    max_leaves=8,
)


@given(VALUES)
@example({KNOWN[0] + "token": "0"})
@settings(max_examples=300)
def test_redaction_twice_is_redaction_once(value: Json) -> None:
    """What was redacted comes back unchanged."""
    for redactor in (PLAIN, SALTED):
        once = redactor.value(value)
        assert redactor.value(once) == once


@given(VALUES)
@example("://" + KNOWN[0] + "@")
@settings(max_examples=300)
def test_a_cassette_shown_in_a_run_is_the_run(value: Json) -> None:
    """Replaying what was recorded shows what recording showed."""
    assert PLAIN.value(SALTED.value(value)) == PLAIN.value(value)


@given(st.sampled_from(sorted(PLANTS)), st.text(st.sampled_from("ab \n\"'{}:,"), max_size=12))
@settings(max_examples=300)
def test_no_planted_secret_survives(plant: str, text: str) -> None:
    """However a secret was planted, it is nowhere in the line."""
    value: Json = {"case_id": "c1", "data": [PLANTS[plant](text)]}
    for redactor in (PLAIN, SALTED):
        line = json.dumps(redactor.value(value))
        assert "[REDACTED" in line
        assert not [leak for leak in LEAKS if leak in line or json.dumps(leak)[1:-1] in line]


@given(CLEAN)
def test_a_clean_value_is_the_same_object(value: Json) -> None:
    """Without a secret nothing is copied."""
    assert PLAIN.value(value) is value
