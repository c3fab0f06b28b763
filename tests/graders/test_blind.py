"""What judges see of an answer: all of it, but for what gives the condition away."""

from __future__ import annotations

import pytest

from judging_kit import CONDITIONS, LOCKS, experiment, task
from runledger.graders.blind import MARK, Blindfold
from runledger.graders.markers import ORDINARY
from runledger.ledger.criterion import Criterion
from runledger.ledger.experiment import Condition, Marks, Prefix
from runledger.ledger.task import Task
from runledger.ledger.value import Json

LENS = (Condition("lens-off", baseline=True), Condition("lens-on"))


def seen(
    output: Json,
    conditions: tuple[Condition, ...] = CONDITIONS,
    tools: tuple[str, ...] = (),
    asked: Task | None = None,
) -> str:
    """Give an output as a judge sees it."""
    asked = asked or task()
    return Blindfold(experiment(conditions=conditions, tasks=[asked]), tools).seen(asked, output)


@pytest.mark.parametrize(
    "prose",
    [
        "The map is called without a lock, with a retry on each miss.",
        "There is a race condition without a lock, and a condition with side effects.",
        "It is opened with group permissions and guarded with condition variables.",
        "Without it, with luck: nothing.",
        "with:\n  python-version: 3.11",
        "Read the file; the Task returns; he can read (and write).",
        "read(fd) and write(fd) are system calls",
        "open_with_lock(a) is in src/with/without.py",
        "",
    ],
)
def test_prose_keeps_its_ordinary_words(prose: str) -> None:
    """Conditions called with and without do not turn around what an answer says."""
    assert seen(prose, tools=("Read", "Write", "Bash")) == prose


@pytest.mark.parametrize(
    ("label", "left"),
    [
        ("this is the WITH run, not WITHOUT", f"this is the {MARK} run, not {MARK}"),
        ("condition: with", f"condition: {MARK}"),
        ("Condition = Without, I think", f"Condition = {MARK}, I think"),
        ("I am in condition with.", f"I am in condition {MARK}."),
        ("variant without was slower", f"variant {MARK} was slower"),
        ("the with condition", f"the {MARK} condition"),
        ("the without-arm and the with-group", f"the {MARK}-arm and the {MARK}-group"),
        ("group-without is mine", f"group-{MARK} is mine"),
        ("I ran `with` and 'without'", f"I ran `{MARK}` and '{MARK}'"),
        ("(without) “With” [with]", f"({MARK}) “{MARK}” [{MARK}]"),
        ("**With:** 3 calls", f"**{MARK}:** 3 calls"),
        ("| with | without |", f"| {MARK} | {MARK} |"),
        ("# Without\nfine", f"# {MARK}\nfine"),
        ("## **With**", f"## **{MARK}**"),
    ],
)
def test_ordinary_names_go_where_they_are_labels(label: str, left: str) -> None:
    """Seed 004 section 4: the judge of an answer does not know its condition."""
    assert seen(label) == left


@pytest.mark.parametrize(
    "telling",
    [
        "<lens_context>",
        "</lens_context>",
        '<lens_context source="x" n=1>',
        "<LENS_CONTEXT/>",
        "lens_context",
        "Lens_Context",
        "lens-context",
        "LENS context",
        "lensContext",
        "mcp__lens__get_context",
        "mcp__lens__anything_else",
        "get_context",
        "lens",
        "LENS",
    ],
)
def test_tags_tools_and_servers_go_wherever_they_stand(telling: str) -> None:
    """A judge hears neither of the tag nor of the tools and servers of an experiment."""
    for text in (telling, f"see {telling}.", f"({telling}),{telling}", f"a\n{telling}\nb"):
        left = seen(text)

        assert "lens" not in left.lower()
        assert "context" not in left.lower()
        assert MARK in left
        assert left == text.replace(telling, MARK)


def test_words_that_only_hold_a_name_stay() -> None:
    """Names go as whole words."""
    text = "the lenses of forget_context and blens are unlensed, said Lensky"

    assert seen(text) == text


def test_names_with_separators_go_in_every_spelling() -> None:
    """A condition called lens-on is lens_on and lens on, too."""
    text = "lens-on, Lens_On; lens on! LENS-ON lens-off/lens-on «lens-off»"

    assert seen(text, LENS) == f"{MARK}, {MARK}; {MARK}! {MARK} {MARK}/{MARK} «{MARK}»"


def test_two_ordinary_words_are_no_name_where_a_space_parts_them() -> None:
    """A condition called no-cache does not cost an answer its no cache."""
    conditions = (Condition("no-cache", baseline=True), Condition("new-cache"))

    assert seen("there is no cache", conditions) == "there is no cache"
    assert seen("header no-cache, no_cache", conditions) == f"header {MARK}, {MARK}"


@pytest.mark.parametrize(
    "tag", ["c++", "a.b*c", "[ctx]", "$1\\2", "(?i)x", "naïve-Ω", "контекст", "文脈", "x|y", "a b"]
)
def test_names_of_any_signs_go(tag: str) -> None:
    """Signs that mean something in a pattern, and letters of any script, are taken literally."""
    conditions = (
        Condition("plain", baseline=True),
        Condition("full", prefix=Prefix(("p",), tag)),
    )
    left = seen(f"so {tag} and <{tag}> and </{tag}>, {tag.upper()}.", conditions)

    assert left == f"so {MARK} and {MARK} and {MARK}, {MARK}."


def test_letters_with_accents_go_in_either_form() -> None:
    """An accent may be part of its letter or a sign of its own."""
    conditions = (
        Condition("off", baseline=True),
        Condition("on", prefix=Prefix(("p",), "caf\xe9")),
    )

    assert seen("the cafe\u0301 and the caf\xe9", conditions) == f"the {MARK} and the {MARK}"


def test_dots_of_a_name_are_dots() -> None:
    """A name is no pattern."""
    conditions = (Condition("v1.lens", baseline=True), Condition("x.y"))

    assert seen("v1.lens v1xlens x.y xzy", conditions) == f"{MARK} v1xlens {MARK} xzy"


def test_single_letters_and_numbers_go_beside_the_word_condition_only() -> None:
    """Conditions called a and b leave variables and articles alone."""
    conditions = (Condition("a", baseline=True), Condition("b"), Condition("2"))
    text = "a map of `a` to (b), A and B, group a bit, 2 of [2]"

    assert seen(text, conditions) == text
    assert seen("condition A, group B; arm: b; variant 2", conditions) == (
        f"condition {MARK}, group {MARK}; arm: {MARK}; variant {MARK}"
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I used the Read tool.", f"I used the {MARK} tool."),
        ("the bash tool", f"the {MARK} tool"),
        ("tools: Bash", f"tools: {MARK}"),
        ("Read(a.py), Bash(ls)", f"{MARK}(a.py), {MARK}(ls)"),
        ("`Read` and 'Bash'", f"`{MARK}` and '{MARK}'"),
        ("`read` and bash are fine", "`read` and bash are fine"),
        ("LSP found it", f"{MARK} found it"),
        ("str_replace did it", f"{MARK} did it"),
        ("src/main.py:3 reads main.py", "src/main.py:3 reads main.py"),
    ],
)
def test_tools_that_runs_used_go(text: str, left: str) -> None:
    """A tool of letters only goes where a tool is meant; a file that an agent named never goes."""
    assert (
        seen(text, tools=("Read", "Bash", "LSP", "str_replace", "src/main.py", "main.py")) == left
    )


def test_patterns_of_tools_stand_for_all_their_names() -> None:
    """A * stands for what a name may go on with; a pattern of ordinary words stands for nothing."""
    marks = Marks(tools=("acme_*", "get_*", "*", "Bash(git *)"), mcp_servers=("postgres-*",))
    conditions = (Condition("off", baseline=True, forbid=marks), Condition("on"))

    assert seen("acme_find get_user postgres-main mcp__postgres-x__q", conditions) == (
        f"{MARK} get_user {MARK} {MARK}"
    )
    assert seen("Bash(ls) and bash", conditions) == f"{MARK}(ls) and bash"


def test_a_word_of_the_question_is_an_ordinary_word() -> None:
    """A criterion about the lens daemon can be judged, though a server is called lens."""
    asked = task("t1", Criterion("c", "names the lens daemon"), input="Who starts lens?")

    assert seen("the lens daemon, by `lens`", asked=asked) == f"the lens daemon, by `{MARK}`"


def test_prompt_texts_of_all_conditions_give_nothing_away() -> None:
    """What every prompt must hold stays; what only some may hold goes."""
    marks = Marks(prompt=("the bug",))
    conditions = (
        Condition("off", baseline=True, expect=marks),
        Condition("on", expect=Marks(prompt=("the bug", "Retrieved notes:"))),
    )

    assert seen("Retrieved notes: fix the bug", conditions) == f"{MARK} fix the bug"


def test_the_self_report_goes() -> None:
    """Seed 004 section 3: what an agent counts of itself is no part of its answer."""
    left = seen("It takes a lock.\n\nTotal tool calls: 12\nFiles read: 4\n")

    assert left.strip() == "It takes a lock."


def test_objects_are_seen_as_canonical_json() -> None:
    """Names go from keys and texts, behind escapes too; the self-report goes from every text."""
    said: Json = {
        "z": 'fine\nlens_context\tsays\n## With\n"with"\nTool calls: 3\n',
        "lens": ["condition", {"condition": "with"}],
        "n": 1,
    }
    left = seen(said)

    assert left.startswith(f'{{"{MARK}":["condition",{{"condition":"{MARK}"}}],"n":1,"z":"fine\\n')
    assert "lens" not in left
    assert "With" not in left
    assert "Tool calls" not in left


def test_escapes_in_source_code_are_no_letters() -> None:
    """A name right behind \\n in a literal goes as well."""
    assert seen(r'print("a\nlens_context")') == rf'print("a\n{MARK}")'


def test_names_side_by_side_all_go() -> None:
    """A sign between two names belongs to both."""
    assert seen("lens lens,lens\nlens LENS") == f"{MARK} {MARK},{MARK}\n{MARK} {MARK}"


def test_halves_of_surrogate_pairs_do_no_harm() -> None:
    """A text that no encoding knows is seen all the same."""
    assert seen("a\ud800lens b") == f"a?{MARK} b"


def test_large_answers_are_read_whole() -> None:
    """The name at the end of a hostile answer goes, whatever stands before it."""
    for before in ("<lens_context " * 20_000, "get_contex" * 50_000, "with" * 100_000):
        assert seen(f"{before} mcp__lens__get_context").endswith(MARK)


def test_ordinary_words_are_lower_case() -> None:
    """The list of ordinary words can be looked up in."""
    assert {word.lower() for word in ORDINARY} == ORDINARY
    assert {"with", "without", "on", "off", "old", "new", "before", "after"} <= ORDINARY


def test_the_criterion_of_the_kit_uses_no_name() -> None:
    """The tests above would be void if their question used the names."""
    assert "lens" not in LOCKS.text
