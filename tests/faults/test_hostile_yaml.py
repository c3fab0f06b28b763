"""F47: suites whose YAML is a bomb, a riddle, or not YAML at all."""

from __future__ import annotations

import pytest

from hostile import check_clean
from scene import Scene, holds

LAUGHS = "a0: &a0 [lol, lol, lol]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)
QUADRATIC = f"big: &big {'x' * 10_000}\nall: [{', '.join(['*big'] * 10_000)}]\n"

# What stands in a case, and the line and the words that tell of it.
WRONG: dict[str, tuple[str, int, str]] = {
    "laughs": (LAUGHS, 1, "anchors and aliases are not allowed"),
    "quadratic": (QUADRATIC, 1, "anchors and aliases are not allowed"),
    "alias-alone": ("id: x\ninput: *nobody\n", 2, ""),
    "merge-key": ("id: x\ninput: {}\n<<: {tags: [a]}\n", 3, "<<"),
    "key-twice": ("id: x\ninput: {}\nid: y\n", 3, "'id' is here twice; it was on line 1"),
    "key-twice-within": ("id: x\ninput:\n  q: 1\n  q: 2\n", 4, "'q' is here twice"),
    "python-object": ("id: x\ninput: !!python/object/apply:os.system ['x']\n", 2, "tag"),
    "python-name": ("id: x\ninput: !!python/name:os.system\n", 2, "tag"),
    "binary": ("id: x\ninput: !!binary aGVsbG8=\n", 2, "tag"),
    "set": ("id: x\ninput: !!set {a, b}\n", 2, "tag"),
    "deep": ("id: x\ninput: " + "[" * 100_000 + "\n", 2, ""),
    "deep-blocks": ("id: x\ninput:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, 300)), 102, ""),
    "tabs": ("id: x\ninput:\n\tq: 1\n", 3, ""),
    "two-documents": ("id: x\ninput: {}\n---\nid: y\n", 3, "second document"),
    "infinity": ("id: x\ninput: {n: .inf}\n", 2, "not a number that JSON knows"),
    "digits": (f"id: x\ninput: {{n: {'9' * 5000}}}\n", 2, "digits"),
    "key-of-null": ("id: x\ninput: {~: 1}\n", 2, "keys are texts"),
    "list-as-a-key": ("id: x\ninput: {[a]: 1}\n", 2, "keys are texts"),
    "id-is-false": ("id: false\ninput: {}\n", 1, "id"),
    "id-is-a-number": ("id: 12\ninput: {}\n", 1, "id"),
    "unknown-key": ("id: x\ninptu: {}\n", 2, "input"),
    "nothing": ("", 1, ""),
    "a-list": ("- id: x\n", 1, ""),
    "nul": ("id: x\ninput: {q: 'a\0b'}\n", 2, "NUL"),
}
WRONG_BYTES: dict[str, tuple[bytes, int | None, str]] = {
    "latin-1": (b"id: x\ninput: {q: caf\xe9}\n", 2, "not UTF-8"),
    "utf-16": ("id: x\n".encode("utf-16"), 1, "not UTF-8"),
    "ten-megabytes": (
        b"id: x\ninput: {q: " + b"x" * 10_000_000 + b"}\n",
        None,
        "larger than 4 MiB",
    ),
}


def test_f47_what_is_wrong_in_a_case_is_named_with_its_line(scene: Scene) -> None:
    """All are found in one go, in little memory, and no agent starts."""
    contents = dict(WRONG_BYTES)
    contents |= {name: (text.encode(), line, told) for name, (text, line, told) in WRONG.items()}
    for name, (content, _, _) in contents.items():
        (scene.suite.path / "cases" / f"{name}.yaml").write_bytes(content)

    after = scene.run()

    holds(after, code=2)
    assert after.runs == []
    check_clean(after.out + after.err)
    for name, (_, line, words) in contents.items():
        place = f"suite/cases/{name}.yaml:{'' if line is None else line}"
        told = [one for one in after.err.splitlines() if one.startswith(place)]
        assert told, (place, after.err)
        assert any(words in one for one in told), (name, words, told)


@pytest.mark.parametrize("bomb", [LAUGHS, QUADRATIC], ids=["laughs", "quadratic"])
def test_f47_a_bomb_in_the_suites_own_file_is_named_with_its_line(scene: Scene, bomb: str) -> None:
    """It costs neither time nor memory."""
    file = scene.suite.path / "suite.yaml"
    file.write_text(f"suite_name: demo\n{bomb}")

    after = scene.run()

    holds(after, code=2)
    assert "suite/suite.yaml:2: anchors and aliases are not allowed" in after.err, after.err


def test_f47_no_stays_text_where_text_is_due(scene: Scene) -> None:
    """Words that older YAML takes for something else are ids, inputs and tags as they stand."""
    words = ("no", "on", "off", "y", "2024-01-01", "1_000", "0b1", "012e", "NO")
    for word in words:
        text = f"id: {word}\ninput: {{q: {word}}}\ntags: [{word}]\ncassette: cassettes/b.jsonl\n"
        (scene.suite.path / "cases" / f"w{words.index(word)}.yaml").write_text(text)

    after = scene.agent(WELL_ECHO, well=WELL_ECHO).run()

    holds(after, code=0, **dict.fromkeys(words, "passed"))
    answers = {event["case_id"]: event for event in after.events if event["type"] == "final_output"}
    assert {word: answers[word]["output"]["q"] for word in words} == {word: word for word in words}


WELL_ECHO = 'send("final_output", output=task["input"])'


def test_f47_a_byte_order_mark_and_windows_line_ends_are_fine(scene: Scene) -> None:
    """Editors write them, and they mean nothing."""
    text = "id: bom\r\ninput: {q: bom}\r\ncassette: cassettes/b.jsonl\r\n"
    (scene.suite.path / "cases" / "bom.yaml").write_bytes(b"\xef\xbb\xbf" + text.encode())

    after = scene.agent(WELL_ECHO).run()

    holds(after, code=0, bom="passed")
