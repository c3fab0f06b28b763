"""What passes the door out, and what does not."""

from __future__ import annotations

import json
import re
from base64 import b64encode

import pytest

from runledger.ledger.value import Json
from runledger.store.redact import assignments
from runledger.store.redact.placeholder import MARK, comparable, holds_placeholder
from runledger.store.redact.redactor import Redactor

GITHUB = "ghp_" + "a1B2" * 9
KEY_BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
BEGIN, END = ("-----" + word + " RSA PRIVATE " + "KEY-----" for word in ("BEGIN", "END"))
PUTTY = "PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 2\n"

HIDDEN = [
    ("password=hunter2", "password=[REDACTED]"),
    ("password: hunter2.", "password: [REDACTED]."),
    ("password = 'any thing'", "password = '[REDACTED]'"),
    ("DB_PASSWORD=correcthorse", "DB_PASSWORD=[REDACTED]"),
    ("api_key: a1b2c3d4e5", "api_key: [REDACTED]"),
    ("login --password hunter2 --user x", "login --password [REDACTED] --user x"),
    ("login --token=abcd", "login --token=[REDACTED]"),
    ('login --token "a b"', 'login --token "[REDACTED]"'),
    ('["--token", "ab"]', '["--token", "[REDACTED]"]'),
    ('{"name": "API_KEY", "value": "ab"}', '{"name": "API_KEY", "value": "[REDACTED]"}'),
    ('"token": "ab", "n": 1', '"token": "[REDACTED]", "n": 1'),
    ('"token": "ab', '"token": "[REDACTED]'),
    ('"token": "a\\"b", "x": "y"', '"token": "[REDACTED]", "x": "y"'),
    ('"token": "a\\\\", "x": "y"', '"token": "[REDACTED]", "x": "y"'),
    ('{\\"token\\": \\"ab\\", \\"x\\": 1}', '{\\"token\\": \\"[REDACTED]\\", \\"x\\": 1}'),
    ('"secrets": {"a": ["b", 1]}, "x": "y"', '"secrets": {"a": ["[REDACTED]", 1]}, "x": "y"'),
    ("https://h/x?token=ab&page=2", "https://h/x?token=[REDACTED]&page=2"),
    ("https://h/x?a=1&api_key=a%2Fb#top", "https://h/x?a=1&api_key=[REDACTED]#top"),
    ("postgres://app:pw@db/x", "postgres://app:[REDACTED]@db/x"),
    ("redis://:p#w@db", "redis://:[REDACTED]@db"),
    ("https:\\/\\/u:pw@h", "https:\\/\\/u:[REDACTED]@h"),
    ("https://h/b?sv=1&sig=" + "a1" * 20 + "%3D&x", "https://h/b?sv=1&sig=[REDACTED]&x"),
    ("Authorization: Bearer abc", "Authorization: Bearer [REDACTED]"),
    ("curl -H 'Authorization: Basic dTpw' h", "curl -H 'Authorization: Basic [REDACTED]' h"),
    ("sent Bearer a1b2c3d4e5f6 to it", "sent Bearer [REDACTED] to it"),
    ("Cookie: a=b; c=d\nHost: h", "Cookie: [REDACTED]\nHost: h"),
    ("<password>abcd</password>", "<password>[REDACTED]</password>"),
    ("a\\npassword=hunter2\\nb", "a\\npassword=[REDACTED]\\nb"),
    ('headers["token"] = "ab"', 'headers["token"] = "[REDACTED]"'),
    ("OPENAI_KEY=correcthorse", "OPENAI_KEY=[REDACTED]"),
    ('MYSQL_PASS = "any thing"', 'MYSQL_PASS = "[REDACTED]"'),
    ("request_token=a1b2c3d4e5", "request_token=[REDACTED]"),
    ('{"user": "a", "pass": "b"}', '{"user": "a", "pass": "[REDACTED]"}'),
    ("{'pass': 'b', 'login': 'a'}", "{'pass': '[REDACTED]', 'login': 'a'}"),
    ("auth: {username: a, pass: hunter2}", "auth: {username: a, pass: [REDACTED]}"),
    ("USER=a PASS=hunter2", "USER=a PASS=[REDACTED]"),
    ("user: a\\npass: hunter2\\n", "user: a\\npass: [REDACTED]\\n"),
    ("user=a&pass=b", "user=a&pass=[REDACTED]"),
    ("the password is: hunter2", "the password is: [REDACTED]"),
    ("its password is hunter2.", "its password is [REDACTED]."),
    ("the API key was 'a1b2c3d4e5'", "the API key was '[REDACTED]'"),
    ("machine h login a password correct", "machine h login a password [REDACTED]"),
    ("machine h\nlogin a\npassword correct", "machine h\nlogin a\npassword [REDACTED]"),
    ("machine h\\nlogin a\\npassword correct", "machine h\\nlogin a\\npassword [REDACTED]"),
    ("login a password hunter2", "login a password [REDACTED]"),
    ("curl -u a:correct http://h", "curl -u a:[REDACTED] http://h"),
    ("curl -s --user 'a:correct' h", "curl -s --user 'a:[REDACTED]' h"),
    ('["curl", "-u", "a:correct"]', '["curl", "-u", "a:[REDACTED]"]'),
    ("fetch -u a:hunter2 h", "fetch -u a:[REDACTED] h"),
    ("PASSWORD\thunter2", "PASSWORD\t[REDACTED]"),
    ("PASSWORD\\thunter2\\n", "PASSWORD\\t[REDACTED]\\n"),
    ("password    hunter2", "password    [REDACTED]"),
    ("&quot;token&quot;:&quot;a&amp;b&quot;,", "&quot;token&quot;:&quot;[REDACTED]&quot;,"),
    ("%22token%22%3A%22a%2Fb%22%2C", "%22token%22%3A%22[REDACTED]%22%2C"),
    ("%22user%22%3A1,%22pass%22%3A%22b%22", "%22user%22%3A1,%22pass%22%3A%22[REDACTED]%22"),
    ("%2522token%2522%253A%2522ab%2522", "%2522token%2522%253A%2522[REDACTED]%2522"),
    (f'Digest nc=1, response="{"0a1b" * 8}", x', 'Digest nc=1, response="[REDACTED]", x'),
    ("with SSWS 00a1B2c3D4e5", "with SSWS [REDACTED]"),
    (f"{PUTTY}{'a1B2' * 16}\nabc=\nPrivate-MAC: 0a", f"{PUTTY}[REDACTED]\nPrivate-MAC: 0a"),
    (f"{PUTTY}{'a1B2' * 16}", f"{PUTTY}[REDACTED]"),
    (f"k: {BEGIN}\n{KEY_BODY}\n{END}\nrest", "k: [REDACTED]\nrest"),
    (f"{BEGIN}\\n{KEY_BODY}\\n{END}\\n, rest", "[REDACTED]\\n, rest"),
    (f"{BEGIN}\n{KEY_BODY}", "[REDACTED]"),
    (f"so:\n{KEY_BODY}\n{KEY_BODY}\nabc=\n{END}\nrest", "so:\n[REDACTED]\nrest"),
]

PROSE = [
    "the token is invalid",
    "password: must be 8 characters",
    "password: required!",
    "secret: yes",
    "token: str",
    "token: Optional[str] = None",
    "def login(password: str, token: int = 12345678) -> None:",
    "connect(password=password, token=self.token)",
    "token = get_token(abc12345)",
    "password = os.environ['X1']",
    "api_key: ${API_KEY}",
    "export TOKEN=$TOKEN",
    "--token <token>",
    "--password --verbose",
    "secret: sha256",
    "Basic authentication and Bearer tokens",
    "token: /etc/tokens/one.txt",
    "password: https://example.com/reset1",
    '"token": 12345678, "password": null',
    '"token":"Hello","logprob":-0.25',
    '"max_tokens": "100", "next_page_token": "a1b2c3d4e5"',
    "http://localhost:8080/a@b and http://h:80?mail=a@b.c",
    "git@github.com:org/repo.git",
    "cookie: yes",
    "cookie: chocolate chip",
    "token: cat",
    "SORT_KEY=abcdef1 CACHE_KEY: a1b2c3d4e5 PRIMARY_KEY='id'",
    '{"pass": "yes", "fail": "no"} pass: hunter2',
    '{"user": "a", "pass": true} and pass: 3, fail: 2',
    "the password is: required",
    'password is "invalid", the token was correct, token is None',
    "if token is other_token2 or password is not None:",
    "log in with a login name and password authentication",
    "use the login form, password reset and token exchange",
    "user: a\n--- PASS: TestLogin2x (0.00s) bypass: hunter2",
    "docker run -u 1000:1000 --user nobody:nogroup image",
    "user\tpassword\temail\nname    token    scope",
    "&quot;token&quot;:12, %22password%22%3Anull",
    f"response={'0a1b' * 7} and response=ok",
    "Public-Lines: 1\nAAAA\nPrivate-MAC: 0a1b",
    '"password": {"type": "string", "description": "Your password"}',
    '"password": ""',
]


@pytest.mark.parametrize(("text", "shown"), HIDDEN)
def test_a_secret_beside_its_name_is_hidden(text: str, shown: str) -> None:
    """Names tell in assignments, options, addresses, headers and JSON at any depth."""
    assert Redactor().text(text) == shown


@pytest.mark.parametrize("text", PROSE)
def test_prose_and_code_stay(text: str) -> None:
    """A name alone does not make what follows a secret."""
    assert Redactor().text(text) is text


def test_everything_below_a_telling_key_is_hidden_but_numbers_and_keys() -> None:
    """Only texts are secrets, and empty ones are not."""
    value: Json = {"credentials": {"user": "u", "pins": [1, "2", None, True, ""]}, "user": "u"}

    assert Redactor().value(value) == {
        "credentials": {"user": "[REDACTED]", "pins": [1, "[REDACTED]", None, True, ""]},
        "user": "u",
    }


def test_a_scheme_of_authentication_stays() -> None:
    """The record shows how an agent authenticates, and redacts to itself."""
    shown = {"Authorization": "Bearer [REDACTED]"}

    assert Redactor().value({"Authorization": "Bearer abc"}) == shown
    assert Redactor().value(shown) is shown


@pytest.mark.parametrize(
    "value",
    [
        {"env": [{"name": "API_KEY", "value": "ab"}]},
        {"argv": ["login", "--token", "ab"]},
        {"argv": ["curl", "-s", "-u", "u:abab"]},
        {"auth": {"username": "u", "pass": "ab"}},
        {"text": json.dumps({"a": json.dumps({"token": "ab"})})},
    ],
)
def test_a_secret_in_a_list_a_pair_or_nested_json_is_hidden(value: dict[str, object]) -> None:
    """A name may stand beside its value in several ways."""
    shown = json.dumps(Redactor().value(value))  # type: ignore[arg-type]

    assert "[REDACTED]" in shown
    assert "ab" not in shown.replace("API", "")


@pytest.mark.parametrize(
    "value",
    [
        {"token": "Hello", "logprob": -0.25},
        {"properties": {"password": {"type": "string", "description": "Your password"}}},
        {"pass": "yes", "reasoning": "the user's tests pass: all"},
        {"argv": ["docker", "-u", "nobody:nogroup", "--user", ["a"], None]},
        {"usage": {"max_tokens": "many"}, "sha": "0a1b2c3d" * 5},
    ],
)
def test_a_clean_value_comes_back_as_the_same_object(value: dict[str, object]) -> None:
    """Nothing is copied for nothing."""
    assert Redactor().value(value) is value  # type: ignore[arg-type]


def test_a_secret_keeps_its_identity_wherever_it_is_found() -> None:
    """The same token under a key, in a header, in an address and in JSON has one mark."""
    texts = [
        "?token=a1/b2c3d4&x",
        "Authorization: Bearer a1/b2c3d4",
        '{"token": "a1\\/b2c3d4"}',
        "https://u:a1%2Fb2c3d4@h",
    ]
    value = {"access_token": "a1/b2c3d4", "texts": texts}

    marks = re.findall(r"[0-9a-f]{8}(?=\])", json.dumps(Redactor(salt="s").value(value)))

    assert len(marks) == 5
    assert len(set(marks)) == 1


def test_different_secrets_and_different_salts_differ() -> None:
    """A mark tells secrets apart, and tells nothing to who has another cassette."""
    shown = {
        Redactor(salt=salt).text(f"password={secret}")
        for salt in ("s", "t")
        for secret in ("hunter2", "hunter3")
    }

    assert len(shown) == 4


def test_what_is_compared_leaves_out_the_kind() -> None:
    """A token found by its shape equals the one found by its key."""
    redactor = Redactor(salt="s")

    by_key = redactor.value({"x": {"token": GITHUB}})
    by_shape = redactor.value({"x": {"t": GITHUB}})

    assert comparable(by_key)["x"]["token"] == comparable(by_shape)["x"]["t"]  # type: ignore[index, call-overload]


def test_only_marks_need_a_salt() -> None:
    """A cassette needs its header when it holds a mark, not for a plain placeholder."""
    assert holds_placeholder({"a": [Redactor(salt="s").text(GITHUB)]})
    assert not holds_placeholder({"a": [Redactor().text(GITHUB)], "b": 1})


def test_a_run_directory_shows_no_marks_of_a_cassette() -> None:
    """A replayed secret shows as plainly as a live one."""
    marked = Redactor(salt="s").text(f"use {GITHUB}")

    assert Redactor(salt="t").text(marked) == marked
    assert Redactor().text(marked) == "use [REDACTED]"


@pytest.mark.parametrize("secret", ["REDACTED", "password", "github-fine", "[REDACTED]"])
def test_an_odd_secret_does_not_break_placeholders(secret: str) -> None:
    """A value that stands in our own placeholders is harmless."""
    redactor = Redactor([secret], salt="s")
    once = redactor.text(f"password=hunter2 {GITHUB}")

    assert redactor.text(once) == once
    assert "hunter2" not in once


@pytest.mark.parametrize(
    "secret", ["Winter2026!Secret", "acme_prod_token", "my-api-key", "MyToken"]
)
def test_a_known_secret_may_read_like_a_name(secret: str) -> None:
    """People choose such passwords."""
    assert Redactor([secret]).text(f"in with {secret}!") == "in with [REDACTED]!"


@pytest.mark.parametrize("word", ["password", "Password", "TOKEN", "dbpassword"])
def test_a_known_secret_that_is_a_bare_name_is_let_pass(word: str) -> None:
    """It would be hidden in all that names it."""
    assert Redactor([word]).text(f"the {word} is wrong") == f"the {word} is wrong"


@pytest.mark.parametrize("end", ["", "rest"])
def test_known_secrets_that_overlap_are_hidden_whole(end: str) -> None:
    """Once one of them is hidden, what is left of the other would be known to no rule."""
    redactor = Redactor(["user-1:violet", "violet@giraffe-9" + end])

    assert redactor.text(f"at user-1:violet@giraffe-9{end} now") == "at [REDACTED] now"


def test_many_known_secrets_are_told_apart_in_every_spelling() -> None:
    """Two hundred are looked for at once, and each still has a placeholder of its own."""
    secrets = [f'key/{number}"{number * 7919:07}' for number in range(200)]
    redactor = Redactor(secrets, salt="s")

    plain = [redactor.text(secret) for secret in secrets]
    escaped = [redactor.text(json.dumps(secret)[1:-1].replace("/", "\\/")) for secret in secrets]
    coded = redactor.text(b64encode(secrets[7].encode()).decode())

    assert redactor.text(" ".join(secrets)) == " ".join(plain)
    assert plain == escaped
    assert len(set(plain)) == 200
    assert re.fullmatch(MARK, coded)


def test_deep_values_are_looked_through_or_hidden_whole() -> None:
    """200 levels are looked through; what no reader takes is not let out."""
    deep: object = GITHUB
    for _ in range(100):
        deep = [{"a": deep}]
    assert "[REDACTED]" in json.dumps(Redactor().value(deep))  # type: ignore[arg-type]

    for _ in range(100_000):
        deep = [deep]
    assert Redactor().value(deep) == "[REDACTED]"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "piece",
    [
        *("password=", 'password="', "password=\\", '"password":"', "\\", '\\"', '"token":['),
        *(
            '{"token":{"a":"b"',
            "token:",
            "token: ",
            "--token ",
            "://a:b@",
            "eyJabcdefgh.",
            "Bearer ",
        ),
        *("[REDACTED", "[REDACTED:a:", "M" + "a" * 24 + ".", "aHVudGVyMmh1bnRlcjI", "\0", "\ud800"),
        BEGIN,
        *("bearer:basic+", "token=a1", "user:pass:", "login a password ", "-u a:", "password is "),
        *("password%22%3A%22", "password&quot;:&quot;", "Private-Lines: 1\n", "aHVu" * 16 + "\n"),
    ],
)
def test_hostile_repetition_ends(piece: str) -> None:
    """Time grows with the text, not with its square, and what was redacted stays as it is."""
    redactor = Redactor(["hunter2hunter2"], salt="s")
    once = redactor.text(piece * (60_000 // len(piece)))

    assert redactor.text(once) == once


@pytest.mark.parametrize(
    "crowd",
    ['"token": {' + '"a",' * 10_000, '"token": ' + "[" * 20_000, "max_tokens: " * 1000],
    ids=["strings", "brackets", "names"],
)
def test_a_text_is_hidden_from_where_looking_on_takes_too_long(
    crowd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One telling name before very many strings is one find, but much to do."""
    monkeypatch.setattr(assignments, "MOST_NAMES", 1000)
    for redactor in (Redactor(), Redactor(salt="s")):
        once = redactor.text("fine, password=hunter2x " + crowd + ' "odd1one2"')

        assert once.startswith("fine, password=[REDACTED")
        assert once.endswith("]")
        assert "odd1one2" not in once
        assert redactor.text(once) == once


def test_a_value_of_very_many_texts_is_hidden_whole_under_a_telling_name() -> None:
    """There is no time to look at each; what stands beside it is kept."""
    value = {"token": ["a"] * 210_000, "answer": "fine", "password": None}

    assert Redactor().value(value) == {"token": "[REDACTED]", "answer": "fine", "password": None}


def test_a_text_too_crowded_to_look_through_is_hidden_whole() -> None:
    """A hostile agent must not keep the runner busy; what stands beside it is kept."""
    crowd = "password=" * 20_000
    value = {"crowd": crowd, "answer": "fine", "token": "abcdef"}

    plain = Redactor().value(value)
    first, second = (Redactor(salt="s").text(crowd + end) for end in "ab")

    assert plain == {"crowd": "[REDACTED]", "answer": "fine", "token": "[REDACTED]"}
    assert first != second
    assert Redactor().text(crowd) == "[REDACTED]"
