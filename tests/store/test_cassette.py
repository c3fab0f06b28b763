"""Reading cassettes."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from runledger.errors import CassetteError
from runledger.store.cassette.entry import AgentStamp
from runledger.store.cassette.load import Cassette, Entry, load_cassette

CATS = '{"tool":"search_docs","args":{"query":"cats"},"ok":true,"result":{"hits":[1]}}'
FAILED = '{"tool":"create_issue","args":{},"ok":false,"error":"no such project"}'


def cassette(directory: Path, content: str | bytes) -> Cassette:
    """Write a cassette and read it."""
    file = directory / "t1.jsonl"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_cassette(file, "cassettes/t1.jsonl")


def refusal(directory: Path, content: str | bytes) -> CassetteError:
    """Write a cassette and say why it is refused."""
    with pytest.raises(CassetteError) as error:
        cassette(directory, content)
    return error.value


def test_an_entry_has_its_line_call_and_answer(tmp_path: Path) -> None:
    """Entries come in the order of the file, with line numbers for people."""
    assert cassette(tmp_path, f"{CATS}\n{FAILED}\n").entries == (
        Entry(1, "search_docs", {"query": "cats"}, True, {"hits": [1]}, None),
        Entry(2, "create_issue", {}, False, None, "no such project"),
    )


def test_a_cassette_is_known_by_its_path_in_the_suite_and_its_hash(tmp_path: Path) -> None:
    """The path is the one users know, the hash is of the bytes in the file."""
    read = cassette(tmp_path, CATS)

    assert (read.path, read.sha256) == ("cassettes/t1.jsonl", sha256(CATS.encode()).hexdigest())


def test_an_unnamed_cassette_is_shown_by_its_file(tmp_path: Path) -> None:
    """Without a name for users, the file's own path is shown."""
    (tmp_path / "a.jsonl").touch()

    assert load_cassette(tmp_path / "a.jsonl").path == str(tmp_path / "a.jsonl")


def test_an_empty_file_is_a_cassette_without_entries(tmp_path: Path) -> None:
    """A case that calls no tool has an empty cassette."""
    assert cassette(tmp_path, "").entries == ()


def test_blank_lines_and_crlf_are_fine_and_lines_still_count(tmp_path: Path) -> None:
    """Line numbers are those an editor shows."""
    read = cassette(tmp_path, f"\r\n{CATS}\r\n \t\r\n\n{FAILED}")

    assert [entry.line for entry in read.entries] == [2, 5]


def test_a_header_is_no_entry(tmp_path: Path) -> None:
    """It says which agent was recorded, and where."""
    header = (
        '{"v":1,"kind":"header","agent":{"name":"claude","version":"2.1"},"salt":"00",'
        '"places":{"workspace":"/w"}}'
    )

    read = cassette(tmp_path, f"{header}\n{CATS}")

    assert [entry.line for entry in read.entries] == [2]
    assert (read.agent, read.places) == (AgentStamp("claude", "2.1"), {"workspace": "/w"})


def test_the_salt_of_a_cassette_stands_in_its_header(tmp_path: Path) -> None:
    """Without a header, or in one without a salt, there is none."""
    salted, plain = '{"v":1,"kind":"header","salt":"5a17"}', '{"v":1,"kind":"header"}'

    assert cassette(tmp_path, f"{salted}\n{CATS}").salt == "5a17"
    assert cassette(tmp_path, f"{plain}\n{CATS}").salt is None
    assert cassette(tmp_path, CATS).salt is None


def test_two_salts_in_one_cassette_are_refused(tmp_path: Path) -> None:
    """Nobody could tell which placeholders are whose, as after joining two files."""
    headers = [f'{{"v":1,"kind":"header","salt":"{salt}"}}' for salt in ("a", "b")]

    assert "different salts" in str(refusal(tmp_path, f"{headers[0]}\n{CATS}\n{headers[1]}"))


def test_two_agents_in_one_cassette_are_refused(tmp_path: Path) -> None:
    """A cassette is of one agent at one version."""
    headers = [f'{{"v":1,"kind":"header","agent":{{"name":"{name}"}}}}' for name in ("a", "b")]

    assert "different agents" in str(refusal(tmp_path, f"{headers[0]}\n{CATS}\n{headers[1]}"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "not JSON: Expecting value at column 1"),
        ("[1]", "an entry must be an object, not a list"),
        ("null", "an entry must be an object, not null"),
        ('{"tool":"a","tool":"b","args":{},"ok":true,"result":1}', "duplicate key 'tool'"),
        ('{"tool":"a","arg":{},"ok":true,"result":1}', "unknown key 'arg'; did you mean args?"),
        ('{"Tool":"a","args":{},"ok":true,"result":1}', "unknown key 'Tool'; did you mean tool?"),
        ('{"tool":"a","args":{},"ok":true,"result":1,"xyz":0}', "unknown key 'xyz' (known: tool,"),
        ('{"args":{},"ok":true,"result":1}', "the key 'tool' is missing"),
        ('{"tool":"a","ok":true,"result":1}', "the key 'args' is missing"),
        ('{"tool":"a","args":{},"result":1}', "the key 'ok' is missing"),
        ('{"tool":"a","args":{},"ok":true}', "the key 'result' is missing"),
        ('{"tool":1,"args":{},"ok":true,"result":1}', "'tool' must be a text, not a number"),
        ('{"tool":"a","args":[],"ok":true,"result":1}', "'args' must be an object, not a list"),
        ('{"tool":"a","args":"{}","ok":true,"result":1}', "'args' must be an object, not a text"),
        ('{"tool":"a","args":{},"ok":1,"result":1}', "'ok' must be true or false, not a number"),
        ('{"tool":"a","args":{},"ok":null,"result":1}', "'ok' must be true or false, not null"),
        ('{"tool":"a","args":{},"ok":true,"result":1,"error":"x"}', "'error' stands beside"),
        ('{"tool":"a","args":{},"ok":true,"result":NaN}', "NaN is not JSON"),
        ('{"v":1,"kind":"header","salt":7}', "'salt' must be a text, not a number"),
        ('{"v":2,"kind":"header"}', "version 2 of the format is not known here"),
        ('{"v":true,"kind":"header"}', "version true of the format is not known here"),
        ('{"v":1,"kind":"modle"}', 'unknown kind "modle"; did you mean model?'),
        ('{"v":1}', "unknown kind null (known: header, blob, mcp, model)"),
        ('{"v":1,"kind":[]}', "unknown kind []"),
        ('{"v":1,"kind":"header","slat":"1"}', "unknown key 'slat'; did you mean salt?"),
        ('{"v":1,"kind":"header","agent":"x"}', "'agent' must be an object, not a text"),
        ('{"v":1,"kind":"header","agent":{}}', "agent: the key 'name' is missing"),
        ('{"v":1,"kind":"header","places":{"w":1}}', "places: 'w' must be a text, not a number"),
    ],
)
def test_a_wrong_line_is_refused_by_its_number(tmp_path: Path, line: str, message: str) -> None:
    """The error names the cassette, the line and what is wrong with it."""
    error = refusal(tmp_path, f"{CATS}\n\n{line}\n{CATS}\n")

    assert (error.path, error.line) == ("cassettes/t1.jsonl", 3)
    assert str(error).startswith(f"cassettes/t1.jsonl:3: {message}")


def test_a_cassette_cut_off_anywhere_within_its_last_line_is_refused(tmp_path: Path) -> None:
    """A file that ends within an entry is a torn cassette, wherever it was torn."""
    whole = f"{CATS}\n{FAILED}".encode()
    start = len(CATS) + 2  # after the second line's first byte

    for end in range(start, len(whole)):
        error = refusal(tmp_path, whole[:end])
        assert error.line == 2
        assert "the file ends within this line" in str(error)


def test_a_character_cut_in_half_is_refused(tmp_path: Path) -> None:
    """A cut within a character of several bytes is told as such."""
    line = json.dumps({"tool": "a", "args": {"q": "é"}, "ok": False}, ensure_ascii=False).encode()

    error = refusal(tmp_path, line[: line.index(b"\xc3") + 1])

    assert "not UTF-8 at byte 30; the file ends within this line" in str(error)


def test_an_error_may_be_null_beside_ok_and_a_result_beside_an_error(tmp_path: Path) -> None:
    """Recorders that always write every key are understood."""
    good = '{"tool":"a","args":{},"ok":true,"result":null,"error":null}'
    bad = '{"tool":"a","args":{},"ok":false,"result":null,"error":{"code":7}}'

    first, second = cassette(tmp_path, f"{good}\n{bad}").entries

    assert (first.ok, first.result, first.error) == (True, None, None)
    assert (second.ok, second.result, second.error) == (False, None, {"code": 7})


@pytest.mark.parametrize("name", [".", "missing.jsonl"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    """A directory or a missing file is an error of the cassette, not a traceback."""
    with pytest.raises(CassetteError, match=r"^shown\.jsonl: cannot be read: "):
        load_cassette(tmp_path / name, "shown.jsonl")
