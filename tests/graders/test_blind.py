"""What judges see of an answer: all of it, but for what gives the condition away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judging_kit import CONDITIONS, LOCKS, experiment, task
from runledger.graders.blind import MARK, Blindfold
from runledger.graders.markers import ORDINARY
from runledger.ledger.criterion import Criterion
from runledger.ledger.experiment import Condition, Marks, Prefix
from runledger.ledger.task import Task
from runledger.ledger.value import Json

LENS = (Condition("lens-off", baseline=True), Condition("lens-on"))
GRAPH = (Condition("plain", baseline=True), Condition("graph-context"))


def seen(
    output: Json,
    conditions: tuple[Condition, ...] = CONDITIONS,
    tools: tuple[str, ...] = (),
    asked: Task | None = None,
    of_some: tuple[str, ...] = (),
) -> str:
    """Give an output as a judge sees it; every condition used these tools, the last one more."""
    asked = asked or task()
    used = {one.name: frozenset(tools) for one in conditions}
    used[conditions[-1].name] |= frozenset(of_some)
    return Blindfold(experiment(conditions=conditions, tasks=[asked]), used).seen(asked, output)


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


@pytest.mark.parametrize(
    "name",
    ["LensSearch", "lens_search", "lens-search", "Lens Search", "WebFetch", "webfetch", "Grep2"],
)
def test_tools_whose_names_are_no_words_go_wherever_they_stand(name: str) -> None:
    """Inner capitals and digits are no ordinary word's, whatever conditions used the tool."""
    tools = ("LensSearch", "WebFetch", "Grep2")

    assert seen(f"I asked {name} about it; {name}: fine.", tools=tools) == (
        f"I asked {MARK} about it; {MARK}: fine."
    )


def test_tools_of_ordinary_words_leave_code_alone() -> None:
    """A tool called read_file is not the function readFile, and str_replace no method of str."""
    text = "readFile(path), then str.replace and web fetch"

    assert seen(text, tools=("read_file", "str_replace", "WebFetch")) == text


def test_a_tool_that_only_some_conditions_used_goes_in_its_own_case() -> None:
    """Who names a tool that the others never called tells the condition."""
    text = "Grep found it; Read did not, and I grep no more"

    assert seen(text, tools=("Read",), of_some=("Grep",)) == (
        f"{MARK} found it; Read did not, and I grep no more"
    )
    assert seen(text, tools=("Read", "Grep")) == text


@pytest.mark.parametrize(
    "own",
    [
        Condition("on", disallowed_tools=("Grep",)),
        Condition("on", disallowed_tools=("Grep(src/*)",)),
        Condition("on", expect=Marks(used=("Grep",))),
        Condition("on", forbid=Marks(tools=("Grep",))),
    ],
)
def test_a_tool_that_only_some_conditions_may_use_goes_in_its_own_case(own: Condition) -> None:
    """What a condition alone must use, or must not, tells; what holds for all does not."""
    text = "Grep found it"
    alike = replace(own, name="off", baseline=True)

    assert seen(text, (Condition("off", baseline=True), own)) == f"{MARK} found it"
    assert seen(text, (alike, own)) == text


def test_a_tool_that_is_expected_here_and_forbidden_there_tells() -> None:
    """Every condition names it, but not alike."""
    marks = Marks(used=("Grep",))
    conditions = (Condition("off", baseline=True, forbid=marks), Condition("on", expect=marks))

    assert seen("Grep found it", conditions) == f"{MARK} found it"


def test_a_telling_tool_that_the_question_names_is_a_word_of_it() -> None:
    """In its own case, as it would be scrubbed: a task that says grep does not mean Grep."""
    asked = task("t1", Criterion("c", "says that Grep is slow"))

    assert seen("Grep is slow", asked=asked, of_some=("Grep",)) == "Grep is slow"
    asked = task("t1", Criterion("c", "says that grep is slow"))
    assert seen("Grep is slow", asked=asked, of_some=("Grep",)) == f"{MARK} is slow"


def test_the_last_word_of_an_mcp_tool_is_a_word() -> None:
    """A binary search is one, though mcp__lens__search is of one condition alone."""
    assert seen("a binary search by mcp__lens__search", of_some=("mcp__lens__search",)) == (
        f"a binary search by {MARK}"
    )


@pytest.mark.parametrize(
    "name",
    [
        "graph-context",
        "graph context",
        "graph_context",
        "GraphContext",
        "graphContext",
        "Graph  Context",
        "graph\ncontext",
        "graph\u2011context",
        "graph\u2013context",
        "graph\u00a0context",
        "graph.context",
        "graph\\_context",
        "graph%20context",
        "GRAPH-CONTEXT",
    ],
)
def test_a_condition_of_ordinary_words_goes_with_any_separator(name: str) -> None:
    """The words graph and context are ordinary, graph context is a name."""
    conditions = (
        Condition("plain", baseline=True),
        Condition("on", prefix=Prefix(("p",), "GraphContext")),
    )

    for named in (GRAPH, conditions):
        assert seen(f"In the {name} run.", named) == f"In the {MARK} run."
    assert seen("a graph of the context", GRAPH) == "a graph of the context"


def test_files_of_the_same_words_stay() -> None:
    """A slash is no separator: what an answer cites is what it is judged by."""
    assert seen("see src/graph/context.py", GRAPH) == "see src/graph/context.py"


def test_names_that_sentences_are_full_of_go_as_labels() -> None:
    """With a space, no-cache is a name where it is labelled as one, and so are with and without."""
    conditions = (Condition("no-cache", baseline=True), Condition("step-1"), Condition("with"))
    prose = "there is no cache in step 1 with no cache"

    assert seen(prose, conditions) == prose
    assert seen("In the no cache run, `step 1`, NO CACHE, the with run", conditions) == (
        f"In the {MARK} run, `{MARK}`, {MARK}, the {MARK} run"
    )
    assert seen("condition: no cache", conditions) == f"condition: {MARK}"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "I made 4 tool calls in total and read 2 files.",
            f"I made {MARK} in total and read 2 files.",
        ),
        ("no tool calls", MARK),
        ("(12 tool uses)", f"({MARK})"),
        ("after **1,204** tool calls", f"after {MARK}"),
        ("in twenty-one separate tool-calls", f"in {MARK}"),
        ("One tool\ncall sufficed", f"{MARK} sufficed"),
        ("3 lens_query tool calls", MARK),
        ("3 `Read` tool calls", MARK),
        ("its tool calls are slow; 4 files, 3 calls", "its tool calls are slow; 4 files, 3 calls"),
        ("version4 tool calls", "version4 tool calls"),
    ],
)
def test_how_many_tool_calls_an_agent_says_it_made_goes(text: str, left: str) -> None:
    """Seed 004 section 3: counts are no part of an answer; files may be what was asked for."""
    assert seen(text, tools=("Read", "lens_query")) == left


def test_tool_calls_stay_where_the_task_is_about_them() -> None:
    """A limit of 5 tool calls may be what is asked for."""
    asked = task("t1", Criterion("c", "states the limit on tool calls"))

    assert seen("5 tool calls at most", asked=asked) == "5 tool calls at most"


@pytest.mark.parametrize("unseen", [*"\u00ad\u200b\u200c\u200d\u200e\u2060\ufeff"])
def test_signs_that_nobody_sees_hide_no_name(unseen: str) -> None:
    """A judge sees neither them nor what they would hide; a count is found as well."""
    text = "le~ns, ~LENS~: lens~_context ~fine\nTool~ calls: 4".replace("~", unseen)

    assert seen(text) == f"{MARK}, {MARK}: {MARK} fine\n"
    assert seen({f"le{unseen}ns": text}) == f'{{"{MARK}":"{MARK}, {MARK}: {MARK} fine\\n"}}'


def test_a_name_with_unseen_signs_of_its_own_goes() -> None:
    """Some scripts need them inside words."""
    conditions = (
        Condition("off", baseline=True),
        Condition("\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
    )

    assert (
        seen("\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 so", conditions)
        == f"{MARK} so"
    )


@pytest.mark.parametrize(
    "tag",
    [
        "%3Clens_context%3E",
        "%3c%2flens_context%3e",
        "%3Clens_context%20a=1%3E",
        "&lt;/lens_context&gt;",
        "\\u003clens_context\\u003e",
        "<lens-context>",
        "<Lens Context n='1'>",
    ],
)
def test_tags_go_in_other_codings_too(tag: str) -> None:
    """An address, a page and a JSON text write angle brackets in ways of their own."""
    assert seen(f"https://example.org/?q={tag}&x=1") == f"https://example.org/?q={MARK}&x=1"


def test_a_name_behind_a_percent_sign_goes() -> None:
    """An address may put quotes or spaces around it."""
    assert seen("?q=%22lens%22%20lens_context") == f"?q=%22{MARK}%22%20{MARK}"


def test_patterns_of_tools_stand_for_all_their_names() -> None:
    """A * stands for what a name may go on with; a pattern of ordinary words stands for nothing."""
    marks = Marks(tools=("acme_*", "get_*", "*", "Bash(git *)"), mcp_servers=("postgres-*",))
    conditions = (Condition("off", baseline=True, forbid=marks), Condition("on", forbid=marks))

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


def test_a_verb_that_only_one_condition_used_as_a_tool_keeps_its_sense() -> None:
    """Agents with tools such as write and list would lose half of their prose."""
    prose = "They write to the list and ask the lens."

    assert seen(prose, of_some=("write", "list", "lens")) == prose.replace("lens", MARK)
