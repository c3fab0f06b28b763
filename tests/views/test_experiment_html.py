"""report.html of an experiment as text: one inert file, in which what is long is cut."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from browser.benches import hostile
from runledger.ledger.attempt import Attempt, Slot
from runledger.ledger.experiment import ExperimentGate
from runledger.views.experiment import html
from runledger.views.experiment.report.axis import Axis, axis_of, ticks_of
from runledger.views.experiment.report.effects import tone_of
from runledger.views.experiment.report.forest import MOST_ROWS, Forest, forests_of
from runledger.views.experiment.report.tasks import TASK_BYTES
from runledger.views.report.one_file import Room
from views.experiment_kit import Bench, attempt, bench, discarded, experiment
from views.test_html import Elements, check_policy, unpacked


def page(made: Bench) -> str:
    """Write the report of an experiment."""
    return html.render(made.record, made.findings)


def plots(made: Bench) -> tuple[Forest, ...]:
    """Draw the plots of an experiment."""
    return forests_of(made.record.experiment, made.findings)


def answering(made: Bench, output: Any) -> Bench:
    """Let every run end with this answer."""
    attempts: tuple[Attempt, ...] = tuple(
        replace(one, output=output) for one in made.record.attempts
    )
    return Bench(replace(made.record, attempts=attempts), made.findings)


def task_line(made: Bench, task_id: str) -> dict[str, Any]:
    """Read the line of a task back out of a report."""
    head, *lines = unpacked(page(made))
    return lines[[row[0] for row in head["rows"]].index(task_id)]


def test_a_gate_on_clusters_asks_for_clusters() -> None:
    """More tasks of the same would not decide."""
    made = bench()
    gates = tuple(
        replace(one, verdict="inconclusive", further_tasks=12, further_clusters=3)
        for one in made.findings.gates
    )
    text = page(Bench(made.record, replace(made.findings, gates=gates)))

    assert "3 further clusters" in text
    assert "further task" not in text


@pytest.mark.parametrize("made", [bench, hostile, lambda: bench(3, ("a", "b", "c"), trials=2)])
def test_it_is_the_same_when_made_again(made: Any) -> None:
    """Nothing of the moment gets into it, it is whole text, and it ends its last line."""
    text = page(made())

    assert page(made()) == text
    assert text.encode("utf-8", "ignore").decode() == text
    assert text.endswith("</html>\n")


def test_hostile_text_adds_no_element() -> None:
    """The page has the same elements whatever is in it, and no attribute that could run."""
    found = Elements(page(hostile())).found

    assert [tag for tag, _ in found].count("script") == 2
    assert not {"img", "iframe", "object", "embed", "base"} & {tag for tag, _ in found}
    names = {name for _, attributes in found for name in attributes}
    assert not [name for name in names if name.startswith("on") or name in ("style", "src")]


def test_every_link_stays_on_the_page() -> None:
    """A hostile id can lead nowhere but to its task."""
    found = Elements(page(hostile())).found
    links = [str(attributes["href"]) for tag, attributes in found if tag == "a"]

    assert links
    assert all(link.startswith("#") for link in links)


def test_the_policy_allows_exactly_what_is_there() -> None:
    """Its hashes are those of the one script and the one style."""
    check_policy(page(bench()))


def test_the_script_makes_no_markup_of_text() -> None:
    """There is no way in it from text to elements, and none to the network."""
    script = Elements(page(bench())).raw["script module"]

    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|fetch\("
    assert not re.findall(ways, script)


def test_an_experiment_without_a_run_has_a_report() -> None:
    """Right after the plan there is nothing to plot, and nothing breaks."""
    text = page(bench(more={"attempts": (), "verdicts": (), "status": "planned"}))

    assert "Not run yet: 0 of 12 runs done." in text
    assert '<figure class="forest' not in text


def test_a_mean_without_an_interval_is_a_point() -> None:
    """Where nothing is known of the spread no diamond pretends to."""
    made = bench()
    effects = tuple(replace(one, ci=None) for one in made.findings.effects)

    text = page(Bench(made.record, replace(made.findings, effects=effects)))

    assert "<polygon" not in text
    assert '<circle class="mean"' in text


def test_a_sentence_loses_only_the_word_that_the_badge_says() -> None:
    """A sentence that begins in another way is told whole."""
    made = bench()

    told = page(Bench(made.record, replace(made.findings, sentence="Nothing: was judged.")))

    assert "Nothing: was judged." in told
    assert 'class="badge pass">Go</span><bdi class="name">with</bdi>' in page(made)


@pytest.mark.parametrize(
    ("metric", "difference", "p", "tone"),
    [
        ("score", 9.0, 0.01, "passed"),
        ("score", -9.0, 0.01, "failed"),
        ("duration_s", -9.0, 0.01, "passed"),
        ("score", 9.0, 0.2, ""),
    ],
)
def test_only_what_is_shown_has_a_colour(
    metric: Any, difference: float, p: float, tone: str
) -> None:
    """Better is green and worse is red, unless chance would do among all that was tested."""
    effect = replace(
        bench().findings.effects[0], metric=metric, p_adjusted=p, difference=difference,
        ci=(difference - 1, difference + 1),
    )  # fmt: skip

    assert tone_of(effect, 0.95) == tone


def test_long_answers_are_cut_and_say_so() -> None:
    """100 kB of an answer are kept, with its whole length."""
    line = task_line(answering(bench(1), "x" * 150_000), "t1")

    assert line["trials"][0]["runs"][0]["answer"] == ["x" * 100_000, 150_000]


def test_a_task_of_many_long_answers_keeps_to_its_bound() -> None:
    """Answers shrink together until the task is of a fair size."""
    line = task_line(answering(bench(1, trials=30), "x" * 90_000), "t1")

    sizes = {len(run["answer"][0]) for trial in line["trials"] for run in trial["runs"]}
    assert sizes == {16_000}
    assert (len(line["trials"]), line["left_out"]) == (30, 0)


def test_trials_beyond_the_bound_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """When short answers do not fit either, the last trials go, and the page says how many."""
    monkeypatch.setattr("runledger.views.experiment.report.tasks.TASK_BYTES", 10_000)

    line = task_line(answering(bench(1, trials=30), "x" * 500), "t1")

    assert len(line["trials"]) + line["left_out"] == 30
    assert 1 <= len(line["trials"]) < 10
    assert TASK_BYTES > 10_000


def test_answers_beyond_the_bound_are_left_out() -> None:
    """Tasks that differ least lose theirs first; every task keeps its row."""
    made = bench(60)

    head, *lines = unpacked(html.render(made.record, made.findings, Room(8_000_000, 20_000)))

    assert len(head["rows"]) == 60
    assert 0 < len(lines) < 20
    assert head["rows"][0][4] == [33.3333]
    assert head["rows"][-1][4] == [0.0]


def test_answers_that_are_no_text_are_laid_out() -> None:
    """An object is shown as JSON, a line for each key."""
    line = task_line(answering(bench(1), {"file": "a.py", "n": 1}), "t1")

    assert line["trials"][0]["runs"][0]["answer"] == '{\n  "file": "a.py",\n  "n": 1\n}'


def test_every_attempt_that_does_not_count_says_why() -> None:
    """A discarded run is told with its cause, and its partner that was well as set aside."""
    asked = experiment(1)
    well = attempt(asked, Slot("t1", "without", 1))
    line = task_line(bench(1, extra=[well, discarded(asked, Slot("t1", "with", 1))]), "t1")

    assert line["failed"] == [
        ["without", 1, 1, "set aside",
         "its block is not whole: another run of it is missing or was discarded"],
        ["with", 1, 1, "discarded: crashed", "crashed, says the test"],
    ]  # fmt: skip


def test_the_axis_spans_all_that_is_drawn() -> None:
    """Differences, intervals, zero and the gate's limit are on it, as far as scores can differ."""
    made = bench(gates=(ExperimentGate("score", min_difference=-40.0),))
    wide = tuple(replace(one, ci=(-300.0, 90.0)) for one in made.findings.effects)

    near = axis_of(made.record.experiment, made.findings)
    far = axis_of(made.record.experiment, replace(made.findings, effects=wide))

    assert near.low < -40 < 33.4 < near.high < 60
    assert (far.low, far.high) == (-100 - 0.04 * 190, 90 + 0.04 * 190)


@pytest.mark.parametrize(("low", "high"), [(-104, 104), (-4, 104), (-0.5, 12), (-11, 11)])
def test_ticks_are_few_and_round(low: float, high: float) -> None:
    """From two to six labels stand below a plot, zero among them."""
    ticks = [*ticks_of(Axis(low, high))]

    assert 2 <= len(ticks) <= 6
    assert "0" in [tick.label for tick in ticks]


@pytest.mark.parametrize(("tasks", "density"), [(6, "roomy"), (40, "roomy"), (200, "dense")])
def test_rows_are_as_high_as_there_is_room(tasks: int, density: str) -> None:
    """Few tasks have their names, many are drawn closely, and none is left out."""
    (plot,) = plots(bench(tasks))

    assert plot.density == density
    assert sum(len(group.rows) for group in plot.groups) == tasks
    assert plot.height < 1400


def test_a_plot_of_very_many_tasks_keeps_both_ends() -> None:
    """What would be too long to draw is left out in the middle, and said to be."""
    made = bench(1)
    (one,) = made.findings.tasks
    many = tuple(replace(one, task_id=f"t{n}", difference=n / 50) for n in range(-2500, 2500))

    (plot,) = plots(Bench(made.record, replace(made.findings, tasks=many)))

    rows = [row for group in plot.groups for row in group.rows]
    assert (len(rows), rows[0].task_id, rows[-1].task_id) == (MOST_ROWS, "t2499", "t-2500")
    assert plot.left_out == "3,000 tasks between them left out of the plot"


def test_rows_of_a_plot_go_down_without_a_gap_between_groups() -> None:
    """Wins stand above ties, ties above losses, each row below the one before."""
    made = bench(9)
    turned = tuple(
        replace(one, difference=-one.difference) if one.task_id == "t3" else one
        for one in made.findings.tasks
    )

    (plot,) = plots(Bench(made.record, replace(made.findings, tasks=turned)))

    assert [group.tone for group in plot.groups] == ["win", "tie", "loss"]
    heights = [row.y for group in plot.groups for row in group.rows]
    assert heights == [34.0 + 24 * place for place in range(9)]


def test_three_hundred_tasks_are_small() -> None:
    """A report of 300 tasks stays well under a megabyte."""
    assert len(page(bench(300)).encode()) < 1_000_000
