"""Judging an experiment: checks first, then blind judges, or a person; nothing is asked twice."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from judging_kit import (
    LOCKS,
    RECORDING,
    Bench,
    answering,
    attempt,
    experiment,
    heard,
    pair,
    record,
    task,
    write_judge,
)
from runledger.errors import Interrupted, StoreError, SuiteError, UsageError
from runledger.harness.judge_experiment import WITHDRAWN, Judged, JudgeOptions, judge_experiment
from runledger.ledger.attempt import Standing
from runledger.ledger.criterion import Criterion
from runledger.ledger.experiment import Condition, Marks, Prefix
from runledger.ledger.findings import BenchRecord
from runledger.process.supervisor import Supervisor
from runledger.store.lines import LineLog

CHECKED = Criterion("pool", "names the pool", contains="LockPool")


def bench(
    path: Path, source: str, *criteria: Criterion, answers: tuple[str, str] = ("a", "b")
) -> Bench:
    """Make a run of one task in two conditions, with a judge of this source."""
    judges = {"j1": write_judge(path, "judge.py", source)}
    asked = experiment(path, tasks=[task("t1", *criteria)], judges=judges)
    return Bench(path, pair(asked, *answers))


def many(path: Path, source: str, tasks: int) -> Bench:
    """Make a run of several tasks in two conditions, each answer another."""
    judges = {"j1": write_judge(path, "judge.py", source)}
    asked = experiment(path, tasks=[task(f"t{n}") for n in range(tasks)], judges=judges)
    places = [(one.id, name) for one in asked.tasks for name in ("without", "with")]
    return Bench(path, record(asked, {place: f"answer {n}" for n, place in enumerate(places)}))


def test_a_judge_hears_nothing_of_the_condition(tmp_path: Path) -> None:
    """Seed 004 section 4: no name, tag, tool or self-report reaches a judge; the facts all do."""
    answers = (
        "I have no mcp__lens__get_context here (condition WITHOUT).\nIt works without a lock.\n"
        "Total tool calls: 9\nFiles read: 7\n",
        "From <lens_context>notes</lens_context>, the LENS context and the `with` condition:\n"
        "It works with a lock; acme_grep and the Bash tool agree.\nTotal tool calls: 2\n",
    )
    judges = {"j1": write_judge(tmp_path, "judge.py", RECORDING)}
    said = {("t1", "without"): answers[0], ("t1", "with"): answers[1]}
    used = {"without": ["Bash"], "with": ["acme_grep", "Bash"]}
    run = Bench(tmp_path, record(experiment(tmp_path, judges=judges), said, used))
    judged = run.judge()
    questions = heard(tmp_path)
    everything = json.dumps(questions, ensure_ascii=False)

    assert judged == Judged(asked=2)
    assert len(questions) == 2
    assert all(set(one) == {"task", "criterion", "output"} for one in questions)
    for telling in ("lens", "WITHOUT", "`with`", "acme_grep", "Bash", "tool calls", "Files read"):
        assert telling.lower() not in everything.lower().replace("works without", "")
    assert "It works without a lock." in everything
    assert "It works with a lock" in everything


def test_a_judge_hears_nothing_of_tools_that_one_condition_used(tmp_path: Path) -> None:
    """Seed 004 section 4: nor of the name in other words, nor of how many calls were made."""
    conditions = (Condition("plain", baseline=True), Condition("graph-context"))
    judges = {"j1": write_judge(tmp_path, "judge.py", RECORDING)}
    told = (
        "I asked LensSearch and then lens_query; Glob agreed, Read did not. In the graph context "
        "run I made 4 tool calls in total and read 2 files."
    )
    said = {("t1", "plain"): "It takes a lock.", ("t1", "graph-context"): told}
    used = {"plain": ["Read"], "graph-context": ["LensSearch", "lens_query", "Glob", "Read"]}
    asked = experiment(tmp_path, conditions=conditions, judges=judges)
    Bench(tmp_path, record(asked, said, used)).judge()

    assert sorted(one["output"] for one in heard(tmp_path)) == [
        "I asked […] and then […]; […] agreed, Read did not. In the […] run I made […] in total "
        "and read 2 files.",
        "It takes a lock.",
    ]


def test_tools_of_attempts_beside_the_record_are_hidden(tmp_path: Path) -> None:
    """Who judges while an experiment runs knows the tools of what was judged before."""
    run = bench(tmp_path, RECORDING, answers=("Grep says so", "so says Grep"))
    run.judge(others=(attempt("t0", "with", None, tools=frozenset({"Grep"})),))

    assert sorted(one["output"] for one in heard(tmp_path)) == ["[…] says so", "so says […]"]


def test_a_judge_hears_nothing_of_nasty_names(tmp_path: Path) -> None:
    """Names with signs, of several scripts and with spaces are taken out as well."""
    names = ("rag+.v2", "Ωmega-kb")
    tag = "kb*[notes]"
    conditions = (
        Condition(names[0], baseline=True, forbid=Marks(mcp_servers=("kb server", "база"))),
        Condition(names[1], prefix=Prefix(("kb",), tag), expect=Marks(used=("kb.look|up",))),
    )
    said = " ; ".join((*names, tag, f"</{tag}>", "KB SERVER", "БАЗА", "mcp__база__x", "kb.look|up"))
    judges = {"j1": write_judge(tmp_path, "judge.py", RECORDING)}
    asked = experiment(tmp_path, conditions=conditions, judges=judges)
    run = Bench(
        tmp_path, record(asked, {("t1", name): f"{said} {n}" for n, name in enumerate(names)})
    )
    run.judge()

    assert sorted(one["output"] for one in heard(tmp_path)) == [
        " ; ".join(["[…]"] * 8) + f" {n}" for n in (0, 1)
    ]


def test_checks_come_first_and_need_no_judge(tmp_path: Path) -> None:
    """A machine tells what it can, from the whole answer, and nobody is asked about it."""
    run = bench(tmp_path, RECORDING, CHECKED, LOCKS, answers=("LockPool in lens", "nothing"))
    judged = run.judge()

    assert judged == Judged(checked=2, asked=2)
    assert run.words["t1", "without", "pool", "check"] == "met"
    assert run.words["t1", "with", "pool", "check"] == "missed"
    assert {one["criterion"]["id"] for one in heard(tmp_path)} == {"locks"}


def test_judging_again_is_free(tmp_path: Path) -> None:
    """Nothing is asked and nothing is written the second time."""
    run = bench(tmp_path, RECORDING, CHECKED, LOCKS)
    run.judge()
    before = (run.path / "verdicts.jsonl").read_bytes()

    assert run.judge() == Judged(checked=2, cached=2)
    assert (run.path / "verdicts.jsonl").read_bytes() == before
    assert len(heard(tmp_path)) == 2


def test_equal_answers_are_asked_about_once(tmp_path: Path) -> None:
    """Two runs that say the same have the same verdict, at the cost of one."""
    run = bench(tmp_path, RECORDING, answers=("the same", "the same"))

    assert run.judge() == Judged(asked=1, cached=1)
    assert len(heard(tmp_path)) == 1
    assert [*run.words.values()] == ["met", "met"]


def test_a_changed_judge_is_asked_again(tmp_path: Path) -> None:
    """Its file is part of the question's key, and its new word counts."""
    run = bench(tmp_path, RECORDING)
    run.judge()
    write_judge(tmp_path, "judge.py", answering(verdict="missed"))

    assert run.judge() == Judged(asked=2)
    assert {*run.words.values()} == {"missed"}


def test_every_judge_is_asked(tmp_path: Path) -> None:
    """Two judges give two verdicts on each criterion, even if they are the same program."""
    words = write_judge(tmp_path, "judge.py", RECORDING)
    asked = experiment(tmp_path, judges={"j1": words, "j2": words})
    run = Bench(tmp_path, pair(asked, "a", "b"))

    assert run.judge(jobs=4) == Judged(asked=4)
    assert {judge for *_, judge in run.words} == {"j1", "j2"}


def test_questions_come_in_an_order_drawn_from_the_seed(tmp_path: Path) -> None:
    """Tasks and conditions are mixed, so that a judge that drifts favours none."""
    run = many(tmp_path, RECORDING, tasks=6)
    run.judge()
    order = [one["output"] for one in heard(tmp_path)]

    assert len(order) == 12
    assert order != sorted(order, key=lambda output: int(output.split()[1]))


def test_a_made_up_quote_voids_a_verdict_and_it_is_asked_again(tmp_path: Path) -> None:
    """The verdict is kept as void, and does not count."""
    run = bench(tmp_path, answering(verdict="met", quote="never said"))

    assert run.judge() == Judged(asked=2, void=2, left=2)
    assert {one.void for one in run.record.verdicts} == {"the quote is not in the answer"}
    write_judge(tmp_path, "judge.py", answering(verdict="met"))
    assert run.judge() == Judged(asked=2)
    assert {one.void for one in run.record.verdicts} == {None}


def test_a_made_up_quote_is_told_with_its_place(tmp_path: Path) -> None:
    """Judge, task, criterion and the quote are told; of which condition it is, nobody hears."""
    quote = "never said " * 50
    run = bench(tmp_path, answering(verdict="met", quote="\x1b[2J" + quote), answers=("a", "a"))
    run.judge()
    (told,) = run.told

    assert told.startswith("judge j1, task t1, criterion locks: its quote is not in the answer: ")
    assert "never said never said" in told
    assert len(told) < 200
    assert "\x1b" not in told


def test_of_many_made_up_quotes_the_first_are_told_and_the_others_counted(tmp_path: Path) -> None:
    """Five are told for each judge; faults are told beside them."""
    run = many(tmp_path, answering(verdict="met", quote="never said"), tasks=6)

    assert run.judge(jobs=2) == Judged(asked=12, void=12, left=12)
    *told, rest = run.told
    assert len(told) == 5
    assert all("its quote is not in the answer" in one for one in told)
    assert rest == "judge j1: 7 more verdicts are void for a quote that is not in the answer"


def test_rubbish_is_told_and_the_other_questions_go_on(tmp_path: Path) -> None:
    """A fault names judge, task and criterion, and what was printed; it is a void verdict."""
    source = (
        "ill = question['output'] == 'a'\n"
        "print('no idea' if ill else json.dumps({'verdict': 'partial'}))"
    )
    run = bench(tmp_path, source)

    assert run.judge() == Judged(asked=2, faults=1, left=1)
    (told,) = run.told
    assert told.startswith("judge j1, task t1, criterion locks: its output is not one JSON object")
    assert 'printed: "no idea' in told
    assert run.words == {
        ("t1", "without", "locks", "j1"): None,
        ("t1", "with", "locks", "j1"): "partial",
    }


def test_a_judge_with_faults_alone_is_given_up(tmp_path: Path) -> None:
    """After five of them it is not asked any more; what it was not asked is left."""
    run = many(tmp_path, "open('asked', 'a').write('.'); sys.exit(1)", tasks=6)
    judged = run.judge()

    assert judged == Judged(asked=5, faults=5, left=12, given_up=("j1",))
    assert (tmp_path / "asked").read_text() == "....."
    assert run.told[-1] == "judge j1 is given up: 5 faults, and not one good answer"


def test_a_judge_that_can_answer_is_not_given_up(tmp_path: Path) -> None:
    """Ten faults are borne with once there was a good answer."""
    run = many(tmp_path, "sys.exit(1)", tasks=5)
    source = (
        "first = not os.path.exists('asked'); open('asked', 'a').write('.')\n"
        "print(json.dumps({'verdict': 'met'}) if first else '')"
    )
    write_judge(tmp_path, "judge.py", source)
    judged = run.judge()

    assert judged == Judged(asked=10, faults=9, left=9)


def test_criteria_that_nobody_judges_are_told_with_the_ways_out(tmp_path: Path) -> None:
    """Nothing is silently left without a verdict."""
    asked = experiment(tmp_path, tasks=[task("t1", CHECKED, LOCKS)])
    run = Bench(tmp_path, pair(asked, "LockPool", "b"))
    with pytest.raises(UsageError) as found:
        run.judge()

    told = str(found.value)
    assert "experiment.yaml: nobody judges the criteria t1/locks;" in told
    assert all(way in told for way in ("scoring.judges", "check", "--manual"))
    assert run.words["t1", "without", "pool", "check"] == "met"


def test_only_runs_that_count_are_judged(tmp_path: Path) -> None:
    """Discarded blocks, unfinished ones, and runs that timed out without a word are left alone."""
    judges = {"j1": write_judge(tmp_path, "judge.py", RECORDING)}
    asked = experiment(tmp_path, tasks=[task(f"t{n}") for n in range(4)], judges=judges)
    lost = Standing("discarded", "crashed", "it crashed")
    attempts = (
        attempt("t0", "without", "counts"),
        attempt("t0", "with", "", timed_out=True),
        attempt("t1", "without", "partner of a discarded run"),
        attempt("t1", "with", "x", standing=lost),
        attempt("t2", "without", "alone so far"),
        attempt("t3", "without", "first round", standing=Standing("retried")),
        attempt("t3", "without", "second attempt", number=2),
        attempt("t3", "with", {"found": "an object"}),
    )
    run = Bench(tmp_path, BenchRecord("r", asked, 7, plan=(), attempts=attempts))
    run.judge()

    assert sorted(one["output"] for one in heard(tmp_path)) == [
        "counts",
        "second attempt",
        '{"found":"an object"}',
    ]


def test_progress_is_told(tmp_path: Path) -> None:
    """Each answer moves it on."""
    run = many(tmp_path, RECORDING, tasks=2)
    seen: list[tuple[int, int]] = []
    with Supervisor() as supervisor:
        judge_experiment(
            run.path,
            run.record,
            JudgeOptions(jobs=2),
            supervisor=supervisor,
            tell=run.told.append,
            progress=lambda done, of: seen.append((done, of)),
        )

    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_run_that_somebody_judges_already_is_refused(tmp_path: Path) -> None:
    """Two at once would ask everything twice; the user can wait."""
    run = bench(tmp_path, RECORDING)
    run.judge()
    holder = LineLog(run.path / "verdicts.jsonl", alone=True)
    try:
        with pytest.raises(UsageError, match="is being judged by another process"):
            run.judge()
    finally:
        holder.close()

    assert run.judge() == Judged(cached=2)


def test_a_log_that_cannot_be_written_is_no_fault_of_the_user(tmp_path: Path) -> None:
    """Only a judge at work is something to wait for."""
    run = bench(tmp_path, RECORDING)
    (run.path / "verdicts.jsonl").symlink_to(tmp_path / "nowhere" / "verdicts.jsonl")
    with pytest.raises(StoreError):
        run.judge()


def test_a_judge_has_the_time_that_it_is_given(tmp_path: Path) -> None:
    """The fault names the limit and the flag."""
    run = bench(tmp_path, "time.sleep(1000)", answers=("a", "a"))

    assert run.judge(timeout_s=0.5) == Judged(asked=1, faults=1, left=2)
    assert "it did not finish within 0.5 s; --judge-timeout" in run.told[0]


def test_an_interruption_keeps_what_was_judged(tmp_path: Path) -> None:
    """Verdicts are on disk as they come; a second go asks only the rest."""
    source = (
        "with open('count', 'a') as file: file.write('.')\n"
        "if os.path.getsize('count') == 3 and os.path.exists('hang'):\n"
        f"    os.kill(int(open('hang').read()), {signal.SIGUSR1:d}); time.sleep(1000)\n"
        "print(json.dumps({'verdict': 'met'}))"
    )
    run = many(tmp_path, source, tasks=3)
    (tmp_path / "hang").write_text(str(os.getpid()))  # the third judge tells us, and hangs
    with Supervisor() as supervisor:
        stop = supervisor.stop
        before = signal.signal(signal.SIGUSR1, lambda *_: stop.request(signal.SIGINT))
        try:
            with pytest.raises(Interrupted):
                run.judge_under(supervisor)
        finally:
            signal.signal(signal.SIGUSR1, before)

    assert len(run.words) == 2
    (tmp_path / "hang").unlink()
    assert run.judge() == Judged(asked=4, cached=2)


def test_secrets_in_what_a_judge_says_stay_off_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A judge has the caller's environment, and may print it."""
    monkeypatch.setenv("JUDGE_API_KEY", "hunter2-hunter2-x9")
    source = "print(json.dumps({'verdict': 'met', 'reasoning': os.environ['JUDGE_API_KEY']}))"
    run = bench(tmp_path, source)
    run.judge()

    assert "hunter2" not in (run.path / "verdicts.jsonl").read_text()


def test_a_person_fills_in_a_sheet(tmp_path: Path) -> None:
    """The first time it is written, later it is read; empty boxes are counted, changes noted."""
    asked = experiment(tmp_path, tasks=[task("t1", CHECKED, LOCKS)])
    run = Bench(tmp_path, pair(asked, "LockPool", "b"))
    sheet = run.path / "judging.md"

    assert run.judge(manual=True) == Judged(checked=2, left=2, sheet=sheet, written=True)
    blank = sheet.read_text()
    assert run.judge(manual=True) == Judged(checked=2, left=2, sheet=sheet)

    sheet.write_text(blank.replace("[ ] partial", "[x] partial"))
    assert run.judge(manual=True) == Judged(checked=2, asked=4, sheet=sheet)
    assert run.words["t1", "with", "locks", "manual"] == "partial"
    assert run.words["t1", "with", "pool", "manual"] == "partial"
    assert run.judge() == Judged(checked=2)

    sheet.write_text(blank)
    assert run.judge(manual=True).left == 2
    assert {one.void for one in run.record.verdicts if one.judge == "manual"} == {WITHDRAWN}


def test_a_sheet_with_two_ticks_changes_nothing(tmp_path: Path) -> None:
    """What cannot be understood is told, and nothing of the sheet is taken."""
    run = bench(tmp_path, RECORDING)
    run.judge(manual=True)
    sheet = run.path / "judging.md"
    sheet.write_text(sheet.read_text().replace("- [ ]", "- [x]"))
    with pytest.raises(SuiteError, match=r"judging\.md:\d+: met and partial and missed are ticked"):
        run.judge(manual=True)

    assert run.words == {}


def test_a_sheet_with_an_edited_answer_changes_nothing(tmp_path: Path) -> None:
    """The line is told, and no tick is taken."""
    run = bench(tmp_path, RECORDING, answers=("It takes a lock.", "It takes none."))
    run.judge(manual=True)
    sheet = run.path / "judging.md"
    ticked = sheet.read_text().replace("- [ ] met", "- [x] met")
    sheet.write_text(ticked.replace("It takes none.", "It takes one."))
    with pytest.raises(SuiteError, match=r"judging\.md:\d+: this line is not as it was written"):
        run.judge(manual=True)

    assert run.words == {}
    sheet.write_bytes(ticked.replace("\n", "  \r\n").encode())
    assert run.judge(manual=True) == Judged(asked=2, sheet=sheet)


def test_an_outdated_sheet_is_refused_and_kept(tmp_path: Path) -> None:
    """Ticks of a person's are never overwritten."""
    run = bench(tmp_path, RECORDING)
    run.judge(manual=True)
    text = (run.path / "judging.md").read_text()
    run.found = pair(run.found.experiment, "a", "another answer")
    with pytest.raises(UsageError, match="out of date"):
        run.judge(manual=True)

    assert (run.path / "judging.md").read_text() == text


def test_nothing_to_judge_is_no_fault(tmp_path: Path) -> None:
    """Before any block is whole, judging does nothing."""
    run = Bench(tmp_path, record(experiment(tmp_path), {("t1", "with"): "alone"}))

    assert run.judge() == Judged()
