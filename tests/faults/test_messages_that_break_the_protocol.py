"""F18 to F22: lines that are no messages, or not the ones that may come."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from kit import entry
from scene import WELL, After, Scene, holds

RAW = "def raw(data):\n    sys.stdout.buffer.write(data)\n    sys.stdout.flush()\n"
FINAL = b'{"type": "final_output", "output": {"answer": "fine"}}'


def said(scene: Scene, data: bytes, more: str = "") -> After:
    """Run an agent that writes these bytes in place of an answer."""
    return scene.agent(f"raw({data!r})\n{more}", first=RAW).run()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"loading the model ...\n", "not JSON"),
        (b"\xef\xbb\xbf" + FINAL + b"\n", "byte order mark"),
        (b"\0" + FINAL + b"\n", "NUL at column 1"),
        (b'{"type": "log", "message": "a\0b"}\n', "NUL at column"),
        (b"\n", "not JSON"),
    ],
    ids=["prose", "BOM", "NUL before", "NUL within", "nothing"],
)
def test_f18_a_line_that_is_not_json_is_told_where_to_go(
    scene: Scene, line: bytes, reason: str
) -> None:
    """The failure shows the line's beginning and says where logs belong."""
    after = said(scene, line)

    holds(after, code=1, a="protocol_error", b="passed")
    message = after.failure("a")["message"]
    assert reason in message
    assert "print logs to stderr, not stdout" in message
    assert "print logs to stderr, not stdout" in " ".join(after.out.split())


def test_f18_a_line_that_ends_as_on_windows_is_accepted(scene: Scene) -> None:
    """A carriage return before the newline is white space."""
    after = said(scene, FINAL + b"\r\n")

    holds(after, code=0, a="passed", b="passed")


def test_f18_a_secret_in_a_line_that_is_not_json_is_not_shown(scene: Scene) -> None:
    """Neither whole nor cut in the middle where the quotation of the line ends."""
    after = scene.agent('print("logging in:", secret, "x" * 150, secret * 3)').run()

    holds(after, code=1, a="protocol_error", b="passed")
    assert "logging in: [REDACTED" in after.failure("a")["message"]
    assert scene.secret[:20] not in after.failure("a")["message"]


@pytest.mark.parametrize(
    ("line", "end"),
    [
        (b'{"type": "final_output", "output": {"text": "caf\xe9"}}\n', "protocol_error"),
        (b'{"type": "final_output", "output": {"text": "\xed\xa0\x80"}}\n', "protocol_error"),
        (b'{"type": "final_output", "output": {"text": "\\ud800 and \\udfff"}}\n', "passed"),
        (b'{"type": "task_error", "message": "\\ud800", "data": "\\udfff"}\n', "task_error"),
        (b'{"type": "tool_call", "name": "\\ud800", "call_id": "\\udfff", "args": {}}\n', "failed"),
    ],
    ids=["latin-1", "surrogate in bytes", "surrogate in JSON", "in an error", "in a tool's name"],
)
def test_f19_text_that_is_no_unicode_leaves_every_view_valid(
    scene: Scene, line: bytes, end: str
) -> None:
    """It is recorded escaped, whether it came in a message or on standard error."""
    after = said(scene, line, more='os.write(2, b"caf\\xe9 \\xff\\xfe\\n"); sys.exit(0)')

    holds(after, code=0 if end == "passed" else 1, a=end, b="passed")
    valid_views(after)


def valid_views(after: After) -> None:
    """Read every file of a run as what it should be; make the views again, which must be equal."""
    files = {file.name: file.read_bytes() for file in after.run.iterdir() if file.is_file()}
    for text in (content.decode("utf-8") for content in files.values()):
        assert "\ufffd" not in text
    ET.fromstring(files["junit.xml"])
    json.loads(files["summary.json"])
    again = after.scene.command("report", str(after.run))
    assert again.code == 0, again.err
    assert files == {file.name: file.read_bytes() for file in after.run.iterdir()}


def test_f19_bytes_of_any_kind_on_standard_error_are_kept_escaped(scene: Scene) -> None:
    """What an agent complains of last can be read in its failure."""
    after = scene.agent('os.write(2, b"caf\\xe9"); sys.exit(1)').run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    assert after.failure("a")["details"]["stderr"].endswith("caf\\xe9")
    valid_views(after)


def final(value: bytes) -> bytes:
    """Write a final output whose output is this text."""
    return b'{"type": "final_output", "output": ' + value + b"}\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (final(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "nested too deeply"),
        (final(b'{"a":' * 100_000 + b"1" + b"}" * 100_000), "nested too deeply"),
        (final(b'{"a": ' + b"9" * 5_000 + b"}"), "an integer has too many digits"),
        (final(b'{"a": NaN}'), "NaN is not JSON"),
        (final(b'{"a": -Infinity}'), "-Infinity is not JSON"),
        (final(b'{"a": 1e999}'), "is too large"),
        (final(b'{"a": 1, "a": 2}'), "duplicate key 'a'"),
        (b'{"type": "log", "type": "final_output", "output": {}}\n', "duplicate key 'type'"),
    ],
    ids=["lists", "objects", "digits", "NaN", "infinity", "exponent", "twice", "type twice"],
)
def test_f20_json_that_readers_understand_differently_is_refused(
    scene: Scene, line: bytes, reason: str
) -> None:
    """Each is a protocol error in a few words, whatever it would do to a reader."""
    (scene.path / "line").write_bytes(line)
    after = scene.agent('raw(open("../line", "rb").read())', first=RAW).run()

    holds(after, code=1, a="protocol_error", b="passed")
    assert reason in after.failure("a")["message"]
    assert len(after.failure("a")["message"]) < 1000


def test_f21_a_message_in_one_byte_writes_arrives_whole(scene: Scene) -> None:
    """However it is cut up, a line is a line."""
    after = scene.agent(f"for byte in {FINAL!r} + b'\\n': os.write(1, bytes([byte]))").run()

    holds(after, code=0, a="passed", b="passed")
    assert after.result("a")["output"] == {"answer": "fine"}


def test_f21_two_messages_in_one_write_are_two(scene: Scene) -> None:
    """Nor does it matter what comes together."""
    call = b'{"type": "tool_call", "name": "search", "call_id": "c1", "args": {}}'
    both = call + b"\n" + FINAL + b"\n"
    after = scene.agent(f"raw({both!r})", first=RAW).case("a", [entry("search")]).run()

    holds(after, code=0, a="passed", b="passed")
    assert after.case("a")["tool_calls"] == 1


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ('call("search"); call("search")', "call_id 'c1' was used before"),
        ('send("final", output={})', "unknown message type 'final' (known: tool_call, final_out"),
        ("send(None)", "unknown message type None"),
        (f'{WELL}\nsend("tool_call", name="search", call_id="late", args={{}})', "tool_call after"),
        (f"{WELL}\n{WELL}", "final_output after the final output"),
        ('send("tool_call", name="search", call_id=1, args={})', "'call_id' must be a text"),
        ('send("final_output", output="text")', "'output' must be an object, found \"text\""),
        ("print([])", "not a JSON object"),
    ],
    ids=["call id", "type", "no type", "late call", "two outputs", "number", "text", "list"],
)
def test_f22_a_message_that_may_not_come_is_named(scene: Scene, fault: str, words: str) -> None:
    """Each breach of the protocol says what was found."""
    after = scene.agent(fault).case("a", [entry("search")] * 2).run()

    holds(after, code=1, a="protocol_error", b="passed")
    assert words in after.failure("a")["message"]


@pytest.mark.parametrize(
    ("fault", "end"),
    [
        ("call('search', call_id=secret); call('search', call_id=secret)", "protocol_error"),
        ("send(secret)", "protocol_error"),
        ("call('tool-' + secret)", "tool_not_allowed"),
        ("call('search', url='https://host/?token=' + secret)", "cassette_miss"),
        ("send('task_error', message='refused: ' + secret, data={'why': [secret]})", "task_error"),
    ],
    ids=["call id", "type", "tool", "arguments", "error"],
)
def test_f22_a_secret_in_a_failure_is_not_told(scene: Scene, fault: str, end: str) -> None:
    """A message of ours that quotes the agent quotes it without what nobody may know."""
    after = scene.agent(fault).case("a", [entry("search")] * 2).run()

    holds(after, code=1, a=end, b="passed")
    assert "REDACTED" in after.failure("a")["message"]


def test_f22_a_secret_may_be_the_name_of_anything(scene: Scene) -> None:
    """Nor is it told as the key of an object, in whatever an agent says."""
    keyed = """
    send("log", level="info", message="keyed", data={secret: {secret + "!": 1}}, **{secret: 1})
    send("final_output", output={"by": {secret: "x"}})
    """
    after = scene.agent(keyed).run()

    holds(after, code=0, a="passed", b="passed")
    assert "REDACTED" in str(after.result("a")["output"])


def test_f22_a_secret_that_is_called_like_a_field_breaks_no_record(scene: Scene) -> None:
    """An agent may claim any word as its password, and the record can be read all the same."""
    words = ["tool_calls_by_name", "case_id", "failures", "sha256", "stop_reason", "final_output"]
    claim = f"""
    for word in {words!r}:
        send("log", level="info", message="mine", data={{"password": word}})
    {WELL}
    """
    after = scene.agent(claim).run()

    holds(after, code=0, a="passed", b="passed")
    assert after.case("a")["tool_calls_by_name"] == {}
