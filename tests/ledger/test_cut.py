"""Long texts are cut between words, so that no part of a secret is left."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.ledger.cut import beginning, ending
from runledger.ledger.fingerprint import preview, show_name
from runledger.ledger.grade import MESSAGE_CHARS, Failure, assertion_failure, bounded
from runledger.ledger.parting import windows
from runledger.process.pipes import Tail
from runledger.store.redact.redactor import Redactor
from runledger.wire.host import telling

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
WIDTH = 120
AROUND = st.text(alphabet="ab, \n\"'[]{}(){}é。-=:", max_size=2 * WIDTH)
CUTS: dict[str, Callable[[str], str]] = {
    "beginning": lambda text: beginning(text, WIDTH),
    "ending": lambda text: ending(text, WIDTH),
    "preview": lambda text: preview(text, WIDTH),
    "preview below": lambda text: preview({"a": [text]}, WIDTH),
    "name": lambda text: show_name(text, WIDTH),
    "window": lambda text: windows(f"{text}?", f"{text}!", WIDTH)[0],
    "window before": lambda text: windows(f"? {text}", f"! {text}", WIDTH)[0],
    "tail": lambda text: tail_of(text),
    "host's beginning": lambda text: telling.beginning(text, WIDTH),
    "host's ending": lambda text: telling.ending(text, WIDTH),
}


def tail_of(text: str) -> str:
    """Put a text through a tail that keeps some of its beginning and of its end."""
    tail = Tail(WIDTH // 2, WIDTH // 2)
    tail.add(text.encode())
    return tail.text()


def left_of(secret: str, text: str) -> list[str]:
    """List the pieces of eight characters of a secret that a text holds."""
    pieces = [secret[at : at + 8] for at in range(len(secret) - 7)]
    return [piece for piece in pieces if piece in text]


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@given(before=AROUND, after=AROUND)
def test_a_token_at_a_cut_is_kept_whole_or_not_at_all(
    cut: Callable[[str], str], before: str, after: str
) -> None:
    """Whole, it is redacted; in part, nobody would know it."""
    shown = cut(f"{before} {TOKEN} {after}")

    assert not left_of(TOKEN, Redactor().text(shown))


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_a_token_at_any_offset_of_a_cut_leaves_nothing(cut: Callable[[str], str]) -> None:
    """Wherever the cut is, before, in or behind a token."""
    for before in range(2 * WIDTH):
        for after in (0, 40, WIDTH):
            shown = cut("x" * before + " " + TOKEN + "," + "y" * after)
            assert not left_of(TOKEN, Redactor().text(shown))


@pytest.mark.parametrize("line", ["login --password {}", 'a "password": "{}"', "password = {}"])
def test_an_ending_does_not_keep_a_value_whose_name_is_cut_off(line: str) -> None:
    """Nothing but its name tells that this is a secret, so what is kept begins with a line."""
    secret = "x7Kq9Zw2Lm4P"
    text = "and so on\n" + line.format(secret) + " and more\nand the end"
    for width in range(1, len(text)):
        assert secret not in Redactor().text(ending(text, width))


@pytest.mark.parametrize("sign", ["=", ": ", '": "', " = ", ":"])
def test_an_ending_in_a_long_line_drops_a_name_with_its_value(sign: str) -> None:
    """A line that starts too far on is cut at a word, and at what is assigned to it."""
    secret = "x7Kq9Zw2Lm4P"
    text = f'login "password{sign}{secret}" and more'
    for width in range(1, len(text)):
        assert secret not in Redactor().text(ending(text, width))


def test_a_cut_keeps_whole_words() -> None:
    """What fits is shown up to the last word, and a mark tells that there is more."""
    assert beginning("one two three", 9) == "one two …"
    assert beginning("one two three", 8) == "one two…"
    assert beginning("one two three", 13) == "one two three"
    assert ending("one two three four", 14) == "… three four"
    assert ending("one two three four", 10) == "… four"
    assert ending("one two\nthree four", 13) == "…three four"
    assert preview({"n": [1, 2, 3], "title": "reset"}, 18) == '{"n":[1,2,3],"…'


def test_a_text_that_is_one_word_leaves_only_the_mark() -> None:
    """It may be one long token."""
    assert beginning("x" * 100, 50) == ending("x" * 100, 50) == "…"
    assert json.loads(preview("x" * 100, 50).replace("…", '"')) == ""


def test_a_failure_keeps_no_part_of_a_token() -> None:
    """Messages and what was found are cut before they are redacted."""
    for before in range(440, 500):
        failure = assertion_failure(
            "regex", "no", path="$", expected=None, found="x " * (before // 2) + TOKEN + "z" * 50
        )
        assert not left_of(TOKEN, str(failure.details["found"]))

    long = bounded(Failure("f", "x " * (MESSAGE_CHARS // 2 - 10) + TOKEN, {"a": "y" * 10**5}))
    assert not left_of(TOKEN, long.message)
    assert len(long.message) <= MESSAGE_CHARS
