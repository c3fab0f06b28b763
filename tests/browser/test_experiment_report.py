"""The report of an experiment in a real browser: what a person sees, and what nobody can do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Locator, expect

from browser.benches import answering, hostile, with_losses
from browser.conftest import Opener, Report, check_shown_as_text
from runledger.ledger.attempt import Slot
from runledger.views.experiment import html
from runledger.views.report.one_file import Room
from views.experiment_kit import Bench, bench, discarded, experiment, findings, retried

pytestmark = pytest.mark.browser

FIVE = ("without", "with", "more", "most", "all-of-it")


def ids(report: Report) -> list[str]:
    """List the tasks that are drawn, in order."""
    return report.page.locator("#rows .c-task").all_inner_texts()


def answers(report: Report) -> Locator:
    """Find the columns in which answers stand."""
    return report.page.locator("#task-page .run")


def judged(made: Bench, **changes: object) -> Bench:
    """Change what the first judged run of task t1 was told, and add it up again."""
    verdicts = list(made.record.verdicts)
    at = next(n for n, one in enumerate(verdicts) if one.slot.task_id == "t1" and one.judge == "j1")
    verdicts[at] = replace(verdicts[at], **changes)  # type: ignore[arg-type]
    record = replace(made.record, verdicts=tuple(verdicts))
    return Bench(record, findings(record))


def test_the_verdict_comes_first(shown: Opener) -> None:
    """The page begins with the word, the sentence and the gate that it rests on."""
    page = shown(bench()).page

    expect(page.locator("h1 .badge")).to_have_text("Go")
    expect(page.locator("h1").first).to_have_text(
        "Gowith scores 16.7 points higher than without (95% interval 3.2 to 30.1, 6 tasks)."
    )
    expect(page.locator("#gates tbody td")).to_have_text(
        ["Score: at least 0 pts", "with", "✓go", "+20.8 pts", "+7.8 to +33.8 pts"]
    )
    expect(page.locator("footer")).to_contain_text("glm-5")


@pytest.mark.parametrize(
    ("verdict", "word"), [("fail", "No-go"), ("inconclusive", "Inconclusive"), (None, "No gate")]
)
def test_every_verdict_has_its_word(shown: Opener, verdict: str | None, word: str) -> None:
    """A badge says what the gates came to, and that there were none."""
    made = bench()
    found = replace(made.findings, verdict=verdict, sentence=f"{word}: nothing is known.")  # type: ignore[arg-type]

    page = shown(Bench(made.record, found)).page

    expect(page.locator("h1 .badge")).to_have_text(word)
    expect(page.locator("h1").first).to_have_text(f"{word}nothing is known.")


def test_an_unfinished_experiment_says_so(shown: Opener) -> None:
    """Nobody takes what was interrupted for the whole."""
    page = shown(bench(more={"status": "interrupted"})).page

    expect(page.locator(".unsettled")).to_have_text("Interrupted: 12 of 12 runs done.")


def test_the_plot_has_a_row_for_each_task(shown: Opener) -> None:
    """Largest gain first, a diamond for the mean, and lines at zero and at the gate's limit."""
    page = shown(bench()).page
    plot = page.locator("figure.forest")

    expect(plot.locator("li a")).to_have_text(["t3", "t5", "t6", "t2", "t1", "t4"])
    assert plot.locator("svg.plot g circle").count() == 6
    expect(plot.locator("p.mean")).to_contain_text("+20.8")
    expect(plot.locator("svg.mean polygon")).to_have_count(1)
    expect(plot.locator("line.zero")).to_have_count(1)
    expect(plot.locator("text.limit")).to_have_text("gate ≥ 0")
    expect(plot.locator("figcaption")).to_contain_text("4 wins, 0 losses, 2 ties")


@pytest.mark.parametrize("tasks", [6, 60, 320])
def test_the_plot_lines_up_with_its_rows(shown: Opener, tasks: int) -> None:
    """Each point stands on the height of its task's row, the mean on that of its word."""
    page = shown(with_losses(bench(tasks))).page
    centre = "all => all.map(one => { const box = one.getBoundingClientRect();"
    centre += " return box.top + box.height / 2; })"

    for named, drawn in (("li", "svg.plot g circle"), ("p.mean", "svg.mean")):
        rows = page.locator(f".forest {named}").evaluate_all(centre)
        points = page.locator(f".forest {drawn}").evaluate_all(centre)
        assert len(rows) == len(points) > 0
        assert all(abs(row - point) < 1 for row, point in zip(rows, points, strict=True))


def test_several_trials_give_a_task_an_interval(shown: Opener) -> None:
    """Where trials repeat a task, its point has a range."""
    assert shown(bench(trials=3)).page.locator("svg.plot .range").count() == 6


def test_the_plot_says_in_words_what_it_shows(shown: Opener) -> None:
    """Those who do not see it hear the tasks, the ends and the mean."""
    plot = shown(bench()).page.get_by_role("img", name="Differences of scores, with less without")

    expect(plot.locator("desc")).to_have_text(
        "6 tasks, 4 wins, 0 losses, 2 ties; differences from 0.0 to +33.3 points; mean +20.8, "
        "95% interval +7.8 to +33.8 pts."
    )


def test_a_row_of_the_plot_leads_to_its_task(shown: Opener) -> None:
    """One click on a point's row opens the answers."""
    report = shown(bench())

    report.page.locator(".forest li a", has_text="t3").click()

    expect(report.page.locator("#task-title")).to_have_text("t3")


def test_both_answers_stand_side_by_side(shown: Opener) -> None:
    """On a wide screen the baseline is on the left, the condition beside it."""
    report = shown(bench(), "#task=t3")
    left, right = (one.bounding_box() for one in answers(report).all())

    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]
    expect(answers(report).locator("h3")).to_have_text(["withoutbaseline", "with"])
    expect(answers(report).nth(1)).to_contain_text("65%")
    expect(answers(report).nth(1)).to_contain_text("reports 10")


def test_answers_are_stacked_on_a_narrow_screen(shown: Opener) -> None:
    """Where two do not fit beside each other, one stands below the other."""
    report = shown(bench(), "#task=t3", viewport={"width": 400, "height": 800})
    above, below = (one.bounding_box() for one in answers(report).all())

    assert above is not None
    assert below is not None
    assert above["x"] == below["x"]
    assert above["y"] + above["height"] <= below["y"]


def test_criteria_are_marked_by_a_sign_and_a_word(shown: Opener) -> None:
    """Nobody has to tell red from green."""
    page = shown(bench(), "#task=t2").page
    second = page.locator(".criteria tbody tr").nth(1)

    expect(second.locator("td").nth(1).locator(".mark")).to_have_text(["✓met", "◐partial"])
    third = page.locator(".criteria tbody tr").nth(2)
    expect(third.locator("td").first.locator(".mark")).to_have_text(["✕missed", "✕missed"])
    expect(page.locator(".criteria tbody th").first).to_contain_text("checked: contains")


def test_a_void_verdict_says_why(shown: Opener) -> None:
    """What does not count is shown, with its reason."""
    made = judged(bench(), void="the quote is not in the output", quote="made up")

    page = shown(made, "#task=t1").page

    expect(page.locator(".criteria .mark.unfinished")).to_have_text("∅void")
    expect(page.locator(".criteria .cut")).to_have_text(
        "Does not count: the quote is not in the output"
    )


def test_quotes_are_marked_in_the_answer(shown: Opener) -> None:
    """What a judge quotes is highlighted, with the criterion that it speaks for."""
    report = shown(bench(), "#task=t3")
    marks = answers(report).nth(1).locator("mark.quote")

    expect(marks).to_have_text(
        ["It names the file src/part3_1.py.c1", "It names the file src/part3_2.py.c2"]
    )
    expect(marks.first).to_have_class("quote passed")


@pytest.mark.parametrize(
    ("answer", "quote", "marked"),
    [
        ("one two  three\nfour five", "two three four", "two  three\nfour"),
        ("it calls lens_context here", "calls […] here", "calls lens_context here"),
        ("a.b(c)* [d] {e}|f$", "b(c)* [d] {e}|f$", "b(c)* [d] {e}|f$"),
        ("x <b>bold</b> y", "<b>bold</b>", "<b>bold</b>"),
        ("nothing of it", "quite another text", None),
        ("nothing of it", "[…] […]", None),
    ],
)
def test_a_quote_is_found_as_judges_are_held_to_it(
    shown: Opener, answer: str, quote: str, marked: str | None
) -> None:
    """Spaces do not matter, what was hidden from a judge may be anything, no sign is magic."""
    made = answering(bench(), answer)
    verdicts = tuple(replace(one, quote=quote) for one in made.record.verdicts
                     if one.judge == "j1" and one.criterion == "c2")  # fmt: skip

    report = shown(Bench(replace(made.record, verdicts=verdicts), made.findings), "#task=t1")

    found = answers(report).nth(1).locator("mark.quote")
    texts = found.evaluate_all("all => all.map(one => one.firstChild.textContent)")
    assert texts == ([] if marked is None else [marked])


def test_quotes_that_overlap_are_marked_piece_by_piece(shown: Opener) -> None:
    """Each stretch tells all that it speaks for, and no word is lost or doubled."""
    made = answering(bench(), "alpha beta gamma delta")
    quotes = {"c2": "alpha beta gamma", "c3": "beta gamma delta"}
    verdicts = tuple(replace(one, quote=quotes[one.criterion]) for one in made.record.verdicts
                     if one.judge == "j1")  # fmt: skip

    report = shown(Bench(replace(made.record, verdicts=verdicts), made.findings), "#task=t1")

    marks = answers(report).nth(1).locator("mark.quote")
    expect(marks).to_have_text(["alpha ", "beta gammac2", " deltac3"])
    assert [one.get_attribute("data-criteria") for one in marks.all()] == [
        '["c2"]', '["c2","c3"]', '["c3"]',
    ]  # fmt: skip


def test_a_quote_leads_to_its_place(shown: Opener) -> None:
    """A click on what a judge quotes unfolds the answer and goes there."""
    long = "\n".join(f"line {n}" for n in range(200)) + "\nIt names the file src/part1_2.py.\n"
    report = shown(answering(bench(), long), "#task=t1")
    row = report.page.locator(".criteria tbody tr").nth(1)

    row.locator("td").nth(1).locator(".said").first.click()

    focused = report.page.locator("mark.quote:focus")
    expect(focused).to_contain_text("src/part1_2.py")
    expect(focused).to_be_in_viewport()


def test_five_conditions_have_four_plots_and_five_answers(shown: Opener) -> None:
    """Every condition is held against the one baseline, on one scale."""
    report = shown(bench(conditions=FIVE))
    zeros = report.page.locator("line.zero").evaluate_all(
        "all => all.map(one => one.getAttribute('x1'))"
    )
    assert len(zeros) == 4
    assert len({*zeros}) == 1

    report.page.locator("#rows a").first.click()

    expect(answers(report).locator("h3 bdi")).to_have_text([*FIVE])


def test_the_outcome_of_one_condition_can_be_chosen(shown: Opener) -> None:
    """With several conditions the chips speak of any of them, or of the one that is asked for."""
    report = shown(bench(conditions=FIVE))

    report.page.locator("#beside").select_option("with")
    report.page.locator("[data-chip=win]").click()

    assert sorted(ids(report)) == ["t2", "t3", "t5", "t6"]
    assert report.page.url.endswith("#way=win&beside=0")


@pytest.mark.parametrize(
    ("chip", "expected"),
    [
        ("all", ["t1", "t2", "t3", "t4", "t5", "t6"]),
        ("differs", ["t2", "t3", "t5"]),
        ("win", ["t2", "t3"]),
        ("loss", ["t5"]),
        ("tie", ["t1", "t4"]),
        ("unjudged", ["t6"]),
    ],
)
def test_chips_filter_by_outcome(shown: Opener, chip: str, expected: list[str]) -> None:
    """Each way that a task can go is one press away."""
    report = shown(with_losses(bench()))

    report.page.locator(f"[data-chip={chip}]").click()

    assert sorted(ids(report)) == expected


def test_what_is_not_judged_stands_first(shown: Opener) -> None:
    """Then come the tasks that differ most."""
    assert ids(shown(with_losses(bench())))[:2] == ["t6", "t3"]


@pytest.mark.parametrize(
    ("query", "expected"), [("t4", ["t4"]), ("part 2 WHO", ["t2"]), ("zz", [])]
)
def test_the_search_looks_in_ids_and_prompts(
    shown: Opener, query: str, expected: list[str]
) -> None:
    """All words must be found, whatever their case."""
    report = shown(bench())

    report.page.locator("#search").fill(query)

    assert ids(report) == expected
    expect(report.page.locator("#nothing")).to_be_visible(visible=not expected)


def test_a_head_sorts_and_sorts_the_other_way(shown: Opener) -> None:
    """Scores come highest first, then lowest first."""
    report = shown(bench())
    head = report.page.locator("#heads th", has_text="without").get_by_role("button")

    head.click()
    highest = ids(report)[0]
    head.click()

    assert (highest, ids(report)[0]) == ("t1", "t3")


def test_all_goes_without_a_mouse(shown: Opener) -> None:
    """Search, go down the list, open a task, go on, come back to its row."""
    page = shown(bench()).page
    page.keyboard.press("/")
    page.keyboard.type("parser")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("#task-title")).to_have_text("t5")

    page.keyboard.press("n")
    expect(page.locator("mark.quote:focus")).to_have_count(1)
    page.keyboard.press("j")
    expect(page.locator("#task-title")).to_have_text("t6")
    page.keyboard.press("Escape")

    expect(page.locator("#rows tr:focus .c-task")).to_have_text("t6")
    expect(page.locator("#search")).to_have_value("parser")


def test_discards_are_told_and_lead_to_their_task(shown: Opener) -> None:
    """What does not count is listed with its cause, in the list and at its task."""
    asked = experiment()
    extra = [discarded(asked, Slot("t2", "with", 1), "violated", "it had mcp__lens__get_context"),
             retried(asked, Slot("t4", "without", 1))]  # fmt: skip
    page = shown(bench(extra=extra)).page
    section = page.locator("#validity .sheet", has=page.get_by_role("heading", name="Discards"))
    expect(section.locator("tbody td")).to_have_text(
        ["t2", "with", "1", "1", "broke expect or forbid", "it had mcp__lens__get_context"]
    )

    section.locator("a").click()

    expect(page.locator(".discards li")).to_have_text(
        "with trial 1, attempt 1: discarded: broke expect or forbid (it had mcp__lens__get_context)"
    )


def test_a_disagreement_leads_to_its_trial(shown: Opener) -> None:
    """Where judges differ one sees the answer that they differ on."""
    page = shown(bench(trials=2)).page
    section = page.locator("#validity .sheet", has=page.get_by_role("heading", name="Disagree"))

    section.locator("tr", has=page.locator("td:nth-child(3) bdi:text-is('2')")).first.locator(
        "a"
    ).click()

    expect(page.locator('[role="tab"][aria-selected="true"]')).to_contain_text("Trial 2")


def test_a_run_that_said_nothing_says_so(shown: Opener) -> None:
    """An empty answer is no empty box."""
    made = answering(bench(), "")
    attempts = tuple(replace(one, timed_out=one.output == "") for one in made.record.attempts)

    report = shown(Bench(replace(made.record, attempts=attempts), made.findings), "#task=t1")

    expect(answers(report).nth(1)).to_contain_text("It timed out, and said nothing.")


def test_a_task_that_has_not_run_says_so(shown: Opener) -> None:
    """There is a prompt, and no empty columns."""
    made = bench(more={"attempts": (), "verdicts": (), "status": "planned"})

    page = shown(made, "#task=t1").page

    expect(page.locator("#task-page")).to_contain_text("No run of this task counts yet.")
    expect(page.locator("#task-page")).to_contain_text("Where is part 1 of the parser")


@pytest.mark.parametrize("at", ["list", "task", "trial"])
def test_hostile_text_runs_nothing(shown: Opener, at: str) -> None:
    """Whatever stands in every field is shown as text; the policy has nothing to stop."""
    report = shown(hostile())
    page = report.page
    if at != "list":
        page.locator("#rows a", has_text="onerror").click()
        expect(page.locator("#task-title")).to_be_visible()
    if at == "trial":
        page.locator('[role="tab"]').nth(1).click()
        expect(page.locator('[role="tab"][aria-selected="true"]')).to_contain_text("Trial 2")
    page.keyboard.press("e")

    check_shown_as_text(report)


@pytest.mark.parametrize("made", [bench, hostile, lambda: bench(conditions=FIVE)])
@pytest.mark.parametrize("opens", [False, True])
def test_nothing_sticks_out_of_a_narrow_screen(shown: Opener, made: object, opens: bool) -> None:
    """At 360 pixels nobody has to scroll the page sideways."""
    assert callable(made)
    page = shown(made(), viewport={"width": 360, "height": 740}).page
    if opens:
        page.locator("#rows a").first.click()
        expect(page.locator("#task-title")).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_two_hundred_tasks_are_one_dense_plot(shown: Opener) -> None:
    """All rows are drawn, low enough to be seen together, and each still leads to its task."""
    report = shown(bench(200))
    plot = report.page.locator("figure.forest.dense")
    assert plot.locator("li").count() == plot.locator("svg.plot g circle").count() == 200
    box = plot.bounding_box()
    assert box is not None
    assert box["height"] < 1500
    assert len(ids(report)) == 200

    plot.locator("li").nth(3).click()

    expect(report.page.locator("#task-title")).to_be_visible()
    assert answers(report).count() == 2


def test_what_was_left_out_is_told(open_text: Opener) -> None:
    """A task without its answers says where they are, and so does the list."""
    made = bench(60)
    room = Room(packed=8_000_000, plain=20_000)
    page = open_text(html.render(made.record, made.findings, room)).page
    expect(page.locator("#left-out")).to_contain_text("They are in runs/")

    page.locator("#rows a").last.click()

    expect(page.locator("#task-page")).to_contain_text("were left out")


def test_paper_is_light_and_unfolded(shown: Opener) -> None:
    """Print is dark on light, and a long answer is printed whole."""
    long = "\n".join(f"line {n}" for n in range(200))
    page = shown(answering(bench(), long), "#task=t1", color_scheme="dark").page

    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 29, 27)"
    expect(page.locator("#task-page")).to_contain_text("line 199")


def test_without_scripts_the_verdict_still_stands(shown: Opener) -> None:
    """Verdict, plot and tables are part of the page itself, which says where the rest is."""
    page = shown(bench(), java_script_enabled=False).page

    expect(page.locator("h1 .badge")).to_have_text("Go")
    assert page.locator(".forest li").count() == 6
    expect(page.locator("noscript p")).to_contain_text("results.md")
