"""Which values of an environment are secrets, and the forms in which they are found."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from runledger.store.redact.environment import secrets_below, secrets_in
from runledger.store.redact.redactor import Redactor

SECRET = 'p/Q+r "s"\\t=ü&9z'


def wrapped(width: int, end: str) -> str:
    """Write the secret in base64 so that lines of a width break in its middle."""
    code = b64encode(b"x" * (width * 3 // 4 - 8) + SECRET.encode() + b"x" * width).decode()
    return end.join(code[at : at + width] for at in range(0, len(code), width))


FORMS = {
    "raw": SECRET,
    "json": json.dumps(SECRET),
    "json, not ascii": json.dumps(SECRET, ensure_ascii=False),
    "json twice": json.dumps(json.dumps(SECRET)),
    "json thrice": json.dumps(json.dumps(json.dumps(SECRET))),
    "escaped slashes": json.dumps(SECRET).replace("/", "\\/"),
    "quote": quote(SECRET),
    "quote all": quote(SECRET, safe=""),
    "quote_plus": quote_plus(SECRET),
    "quote, lower case": quote(SECRET, safe="").replace("%2F", "%2f").replace("%C3", "%c3"),
    "quote twice": quote(quote(SECRET, safe=""), safe=""),
    "base64": b64encode(SECRET.encode()).decode(),
    "base64, urlsafe": urlsafe_b64encode(SECRET.encode()).decode(),
    "base64, no padding": b64encode(SECRET.encode()).decode().rstrip("="),
    "basic 1": b64encode(f"a:{SECRET}".encode()).decode(),
    "basic 2": b64encode(f"ab:{SECRET}\n".encode()).decode(),
    "basic 3": urlsafe_b64encode(f"abc:{SECRET}xy".encode()).decode(),
    "base64, 64 columns": wrapped(64, "\n"),
    "base64, 76 columns": wrapped(76, "\r\n"),
    "base64, short last line": wrapped(76, "\n")[: 76 + 1 + 16],
    "base64, 76 columns, in json": wrapped(76, "\\n"),
    "hexadecimal": SECRET.encode().hex(),
    "hexadecimal, upper case": SECRET.encode().hex().upper(),
    "base64, quoted": quote(b64encode(SECRET.encode()).decode(), safe=""),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_known_secret_is_found_in_every_form(form: str) -> None:
    """However a program writes the value, it does not pass."""
    found = Redactor([SECRET]).text(f"<{FORMS[form]}>")

    assert found.strip('<>\\"') == "[REDACTED]"


@pytest.mark.parametrize("form", FORMS)
def test_a_known_secret_is_found_inside_values(form: str) -> None:
    """The quick look at the encoded value misses no form."""
    value = {"a": [{"b": f"<{FORMS[form]}>"}]}

    assert Redactor([SECRET]).value(value) != value


@pytest.mark.parametrize("text", [wrapped(76, "\n"), "\n".join(["0a1b2c3d" * 8] * 20_000)])
def test_other_wrapped_base64_stays(text: str) -> None:
    """Images, certificates and long lists of hashes are no secrets."""
    assert Redactor(["another-s3cret"]).text(text) is text


def test_forms_of_escaping_are_one_secret() -> None:
    """Escaped or quoted, the same secret keeps its mark."""
    redact = Redactor([SECRET], salt="s").text

    assert {redact(form) for form in (SECRET, quote(SECRET, safe=""))} == {redact(SECRET)}


def test_values_of_passed_and_of_telling_variables_are_secrets() -> None:
    """What is passed counts whatever its name; of the rest, what has a telling name."""
    passed = {"MY_FLAG": "s3cr3t-flag-value"}
    caller = {"GITHUB_TOKEN": "correcthorse", "EDITOR_THEME": "d4rk-theme-9", "PATH": "/bin:/opt"}

    assert secrets_in(passed, caller) == ("s3cr3t-flag-value", "correcthorse")


@pytest.mark.parametrize(
    "value",
    ["1234567890", "production", "true", "https://example.com/v1", "en_GB.UTF-8", "short1"],
)
def test_dull_values_that_are_passed_are_no_secrets(value: str) -> None:
    """Words, numbers, addresses and locales stay readable."""
    assert secrets_in({"SETTING": value}, {}) == ()


def test_a_path_that_is_there_is_no_secret(tmp_path: Path) -> None:
    """A variable may name a file of credentials; the name is not the secret."""
    assert secrets_in({}, {"GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path)}) == ()


@pytest.mark.parametrize("name", ["PATH", "HOME", "USER", "SHELL", "LC_ALL", "TMPDIR", "PWD"])
def test_what_every_agent_gets_is_no_secret(name: str) -> None:
    """The variables of the allow-list are never hidden."""
    assert secrets_in({name: "/nowhere/a1b2c3d4"}, {name: "/nowhere/a1b2c3d4"}) == ()


def test_the_password_of_an_address_is_a_secret_of_its_own() -> None:
    """A program may print the password that it took from a connection address."""
    address = "postgres://app:s3cr3t%2Fpw@db/x"

    assert secrets_in({"DB": address}, {}) == (address, "s3cr3t%2Fpw", "s3cr3t/pw")


def test_texts_and_lines_inside_a_value_are_secrets_too() -> None:
    """A service account is JSON that holds a key of several lines."""
    key = (
        "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----"
    )
    found = secrets_in({}, {"CREDENTIALS": json.dumps({"type": "service", "private_key": key})})

    assert {key, "MIIEvQIBADANBgkqhkiG9w0B"} <= set(found)
    assert "service" not in found


def test_what_stands_under_telling_names_is_known_elsewhere() -> None:
    """A key in a case's input is hidden in prose too; short and dull values are not."""
    values = [{"api_key": "correct-horse-battery"}, {"auth": {"token": ["abc", "production"]}}]

    assert secrets_below(values) == ("correct-horse-battery",)


def test_a_pass_beside_a_user_is_known_elsewhere() -> None:
    """The names beside it make it a password."""
    values = [{"login": "a", "pass": "correct-horse"}, {"score": 1, "pass": "not-a-secret"}]

    assert secrets_below(values) == ("correct-horse",)
