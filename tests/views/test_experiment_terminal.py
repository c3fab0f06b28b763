"""An experiment in a terminal: its plan, its progress, its verdict, each within 80 columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from compare.rows import HOSTILE
from runledger.ledger.attempt import Counts, Reported
from runledger.ledger.estimate import DryCondition, Estimate
from runledger.ledger.experiment import ExperimentGate
from runledger.ledger.findings import Findings, GateFinding
from runledger.ledger.printable import columns
from runledger.ledger.usage import Usage
from runledger.views.experiment.grid import short
from runledger.views.experiment.terminal import (
    render_discards,
    render_dry_run,
    render_plan,
    render_report,
    render_status,
)
from runledger.views.look import PLAIN, Look
from views.experiment_kit import (
    RUN_ID,
    Bench,
    all_over,
    attempt,
    bench,
    discarded,
    experiment,
    findings,
    retried,
    slots,
    task,
)

EARLIER = Estimate(21_600.0, 1.44, 21.5, RUN_ID, 754.0, 0.5, RUN_ID)


def half_way(**more: Any) -> Bench:
    """Make an experiment that has done seven attempts, one retried, one discarded."""
    asked = experiment()
    extra = [discarded(asked, slots(asked)[0]), retried(asked, slots(asked)[2])]
    record = bench(extra=extra).record
    so_far = replace(record, attempts=record.attempts[:7], status="running", **more)
    return Bench(so_far, findings(so_far))


def reported(ran: Bench, look: Look = PLAIN) -> str:
    """Tell an experiment that ran."""
    return render_report(ran.record, ran.findings, look)


def changed(**more: Any) -> str:
    """Tell an experiment with other findings."""
    ran = bench()
    found: Findings = replace(ran.findings, **more)
    return render_report(ran.record, found)


def too_wide(text: str, width: int = 80) -> list[str]:
    """List the lines that are wider than the terminal."""
    return [line for line in text.splitlines() if columns(line) > width]


def test_a_plan_tells_its_size_and_its_order() -> None:
    """Seed 004 section 2: how many runs, and how often each condition is the first."""
    text = render_plan(bench().record, Estimate(21_600.0, 1.44))

    assert "6 tasks × 2 conditions × 1 trial = 12 runs\n" in text
    assert "drawn with seed 20260215; runs first: without 3 times, with 3 times" in text
    assert "1.44 standard\n" in text
    assert "time: at most 6.0 h, if each run takes as long as it may" in text
    assert "cost: not known" in text


def test_a_plan_learns_from_an_earlier_run() -> None:
    """Points, minutes and money, with the run that they come from."""
    text = render_plan(bench().record, EARLIER, Look(200))

    assert f"21.5 points of score if they spread as in {RUN_ID}" in text
    assert f"time: about 12m 34s, as in {RUN_ID}; at most 6.0 h" in text
    assert f"cost: about $0.5000, as in {RUN_ID}" in text


def test_a_plan_of_one_task_can_show_nothing() -> None:
    """And says so."""
    text = render_plan(bench(1).record, Estimate(3600.0))

    assert "smallest effect: none can be shown, since that takes two tasks at least" in text
    assert "runs first: without never, with once" in text


def test_a_dry_run_shows_all_that_the_agent_is_given() -> None:
    """Seed 004 section 1: the prompt word for word, the command, and names of variables only."""
    long = "where " * 30
    shown = DryCondition(
        name="with",
        command=("claude", "-p", "--model", "my model"),
        directory="/home/me/repo",
        prompt=f"<ctx>\n  a: 1\n\n</ctx>\n{long.strip()}",
        env_names=("HOME", "PATH"),
        note="the prefix command failed",
    )

    assert render_dry_run([shown]) == (
        "with\n"
        "  note: the prefix command failed\n"
        "  command: claude -p --model 'my model'\n"
        "  directory: /home/me/repo\n"
        "  environment: HOME, PATH\n"
        "  prompt:\n"
        "    <ctx>\n"
        "      a: 1\n"
        "\n"
        "    </ctx>\n"
        f"    {long.strip()}\n"
    )


def test_a_prompt_in_a_command_is_not_said_twice() -> None:
    """Its place is shown, and it stands below."""
    shown = DryCondition("with", ("claude", "-p", "Where?\nWhy?"), "/x", "Where?\nWhy?")

    assert "command: claude -p {prompt}\n" in render_dry_run([shown])


def test_a_dry_run_cannot_drive_the_terminal() -> None:
    """A prompt's controls are shown as escapes, and no CI runner obeys a line of it."""
    shown = DryCondition(HOSTILE, (HOSTILE,), HOSTILE, HOSTILE, (HOSTILE,), HOSTILE)
    text = render_dry_run([shown])

    assert not {"\x1b", "\x9b", "\x00", "\u202e"} & {*text}
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_a_status_tells_how_far_a_run_is() -> None:
    """Runs done of planned; a void block is not done."""
    ran = half_way()
    text = render_status(ran.record, ran.findings, now_ms=1_771_150_600_000)

    assert f"lens-context  {RUN_ID}  running (process 4242, for 1m 10s)\n" in text
    assert "5 of 12 runs done" in text
    assert "  without     2   6         3        1          0          0\n" in text
    assert "  with        3   6         4        0          1          0\n" in text
    assert "left: 7 runs, about 4m 39s" in text
    assert "discards: 1; more than 4 stop the experiment" in text
    assert "spent: $0.2787" in text
    assert "last error: t2 without, attempt 1: the output is empty" in text


def test_a_status_of_a_plan_has_nothing_to_tell_yet() -> None:
    """An empty bar."""
    none: dict[str, Any] = {"attempts": (), "verdicts": (), "launches": (), "firsts": ()}
    ran = bench(more={**none, "status": "planned"})
    text = render_status(ran.record, replace(ran.findings, unjudged=0))

    assert text == f"lens-context  {RUN_ID}  planned\n  {'░' * 30}  0 of 12 runs done\n"


def test_a_status_of_a_run_that_ended_names_no_process() -> None:
    """It has none, and what is left to be judged is counted."""
    record = replace(bench().record, verdicts=())
    text = render_status(record, findings(record), now_ms=1_771_150_600_000)

    assert f"{RUN_ID}  done\n" in text
    assert "12 of 12 runs done" in text
    assert "to be judged: 12 runs" in text


def test_a_status_says_why_a_run_stopped() -> None:
    """Too many discards, or money that is spent."""
    ran = half_way(stopped="too many discards")

    assert "stopped: too many discards" in render_status(ran.record, ran.findings)


def test_a_start_that_nobody_can_read_is_left_out() -> None:
    """The rest of the status stands."""
    ran = half_way(launches=(replace(half_way().record.launches[0], started="soon", pid=None),))

    assert render_status(ran.record, ran.findings, now_ms=5).split("\n")[0].endswith("running")


def test_a_report_begins_with_the_verdict() -> None:
    """The word, the experiment, the run, and the verdict in one sentence."""
    lines = reported(bench()).splitlines()

    assert lines[0] == f"GO  lens-context  {RUN_ID}"
    assert lines[1].startswith("  `with` scores 16.7 points higher than `without`")


@pytest.mark.parametrize(
    ("verdict", "word"),
    [("fail", "NO-GO"), ("inconclusive", "INCONCLUSIVE"), (None, "NO GATE")],
)
def test_a_report_says_its_verdict_in_a_word(verdict: Any, word: str) -> None:
    """Texts say go and no-go, or that there is no gate."""
    assert changed(verdict=verdict, sentence="So it is.").startswith(f"{word}  lens-context")


def test_a_report_tells_gates_and_effects() -> None:
    """Each gate with its rule, each effect with what it rests on."""
    text = reported(bench())

    assert "  GO            with, score: at least 0 pts; found +20.8 pts (95% interval" in text
    assert "            without    with  difference       95% interval\n" in text
    assert "  score       65.3%   86.1%   +20.8 pts  +7.8 to +33.8 pts\n" in text
    assert "    sign flips, 6 tasks: p 0.031 (adjusted 0.062); wins/losses/ties 4/0/2;" in text
    assert "ratio ×0.88 (×0.81 to ×0.95)" in text


def test_a_gate_that_is_open_says_what_would_decide_it() -> None:
    """The number of further tasks, if they are like these."""
    gate = ExperimentGate("tool_calls", max_difference=0.0)
    text = changed(gates=(GateFinding(gate, "with", "inconclusive", None, None, 14, "so"),))

    assert "  INCONCLUSIVE  with, tool calls: at most 0; about 14 further tasks would" in text


def test_a_gate_that_is_open_for_want_of_clusters_says_so() -> None:
    """More tasks of the same clusters would not decide."""
    gate = ExperimentGate("tool_calls", max_difference=0.0)
    found = GateFinding(gate, "with", "inconclusive", None, None, 12, further_clusters=3)

    assert "at most 0; about 3 further clusters would" in changed(gates=(found,))


def test_a_report_tells_scores_by_task() -> None:
    """Rounded, with the difference that is not."""
    assert "  t2         60%   85%   +25.0 pts\n" in reported(bench())


def test_a_report_tells_how_far_to_trust_it() -> None:
    """Runs that count, discards, the model, the order, the judges, the reports, the notes."""
    asked = experiment()
    text = reported(bench(extra=[discarded(asked, slots(asked)[0])]), Look(200))

    assert "runs: with: 6 of 6 runs counted, 1 discarded (crashed once)" in text
    assert "model: glm-5; agent's version: 2.1.197" in text
    assert "order: with, score: +18.0 pts where it ran first (3), +15.3 pts where second" in text
    assert "judges: j1 and j2 agree on 21 of 24 verdicts, kappa 0.74 (0.50 to 0.98)" in text
    assert "reported tool calls: 6 of 12 reports agree with the count" in text
    assert "note: `with` was retried more often than `without`" in text


def test_void_verdicts_are_counted_by_judge() -> None:
    """A judge that makes quotes up is not only silent."""
    record = bench(2).record
    void = [replace(one, void="x") if one.judge == "j2" else one for one in record.verdicts]
    record = replace(record, verdicts=tuple(void))
    number = sum(one.void is not None for one in void)

    assert f"judges: j2: {number} verdicts void" in render_report(record, findings(record))
    assert "void" not in reported(bench(2))


def test_unjudged_runs_are_a_dash() -> None:
    """No score is no zero."""
    record = replace(bench(2).record, verdicts=())
    text = render_report(record, findings(record))

    assert "  t1           -     -           -\n" in text
    assert "judges" not in text


def test_what_nobody_knows_is_not_told() -> None:
    """No agent told its model, its calls or its cost."""
    record = bench(2).record
    bare: dict[str, Any] = {"counts": Counts(), "reported": Reported(), "usage": Usage()}
    silent = tuple(replace(one, model=None, version=None, **bare) for one in record.attempts)
    text = render_report(
        replace(record, attempts=silent), findings(replace(record, attempts=silent))
    )

    assert "model: not told; agent's version: not told" in text
    assert "reported" not in text


def test_many_tasks_are_told_by_their_differences() -> None:
    """Forty are shown, and where the others are."""
    text = reported(bench(100))

    assert "… 60 more tasks: results.md has them all" in text
    assert "\n  t1 " not in text
    assert "\n  t3 " in text


def test_many_conditions_are_told_as_far_as_they_fit() -> None:
    """The columns that do not fit are counted."""
    ran = bench(2, [f"condition-number-{number}" for number in range(9)])
    text = reported(ran)

    assert "… 5 more conditions: results.md has them all" in text
    assert not too_wide(text)


def test_several_trials_are_averaged() -> None:
    """A task has one line."""
    assert reported(bench(2, trials=3)).count("\n  t1 ") == 1


def test_an_experiment_that_did_not_end_well_says_so() -> None:
    """Below the verdict."""
    text = reported(bench(more={"status": "invalid", "stopped": "too many discards"}))

    assert "  the run is invalid: too many discards\n" in text


def test_discards_are_a_table_of_causes() -> None:
    """Seed 004 section 7: more than four discards, so look for the root cause."""
    asked = experiment()
    runs = slots(asked)
    extra = [
        discarded(asked, runs[0], "crashed", "exit status 1"),
        discarded(asked, runs[1], "crashed", "exit status 2"),
        discarded(asked, runs[2], "prefix_failed", "no daemon"),
    ]

    assert render_discards(bench(extra=extra).findings.discards) == (
        "  discarded              with  without\n"
        "  crashed                   1        1\n"
        "  prefix command failed     0        1\n"
        "\n"
        "  crashed, last t1 without, attempt 1: exit status 2\n"
        "  prefix command failed, last t2 without, attempt 1: no daemon\n"
    )


def test_no_discards_are_no_table() -> None:
    """Nothing is said of nothing."""
    assert render_discards([]) == ""


@pytest.mark.parametrize("text", [HOSTILE, "word " * 2000, "x" * 5000, "漢字" * 500])
def test_every_text_keeps_to_the_width(text: str) -> None:
    """Whatever an agent, a judge or a program said."""
    ran = all_over(text)
    shown = [
        reported(ran),
        render_status(ran.record, ran.findings, now_ms=0),
        render_plan(ran.record, replace(EARLIER, from_run=text, spread_from=text)),
        render_discards(ran.findings.discards),
    ]

    for one in shown:
        assert not too_wide(one)
        assert not {"\x1b", "\x9b", "\x00", "\u202e"} & {*one}


def test_long_ids_are_cut() -> None:
    """An id may have a hundred characters, and a line eighty columns."""
    ids = ["a" * 100, "b" * 100]
    ran = bench([task(n, id=id) for n, id in enumerate(ids, 1)], ("c" * 100, "d" * 100))

    assert not too_wide(reported(ran))
    assert "a" * 40 + "…" not in reported(ran)
    assert not too_wide(render_status(ran.record, ran.findings))


def test_a_cut_name_is_as_wide_as_it_may_be() -> None:
    """Wide characters count twice."""
    assert short("condition", 12) == "condition"
    assert short("a-condition-with-a-name", 12) == "a-condition…"
    assert columns(short("漢字" * 20, 12)) in (11, 12)


def test_colours_are_only_added() -> None:
    """Without them, the text is the same."""
    ran = bench()
    plain, painted = reported(ran), reported(ran, Look(colour=True))
    for code in ("32", "31", "33", "1", "2", "0"):
        painted = painted.replace(f"\x1b[{code}m", "")

    assert painted == plain


def test_a_timeout_counts_and_is_told() -> None:
    """Seed 004 section 7 lists no timeouts: it stays, as an answer that states nothing."""
    asked = experiment(2)
    record = bench(2).record
    first = attempt(asked, record.attempts[0].slot, timed_out=True, output="", place=1)
    late = replace(record, attempts=(first, *record.attempts[1:]))

    assert "runs: with: 2 of 2 runs counted, 1 timed out" in render_report(late, findings(late))
