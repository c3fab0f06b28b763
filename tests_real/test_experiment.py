"""The experiment of examples/bench with claude: six questions, with and without a context."""

from __future__ import annotations

import os
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from bench import LIMIT_S, Json
from claude_lab import MCP_TOOL, ClaudeLab
from kit import survivors
from scripted_model.script import TOKENS_IN, TOKENS_OUT
from scripted_model.server import ModelServer, Request

CONDITIONS = ("with", "without")
STEPS = ("plan", "run", "status", "judge", "report")
END_OF_CONTEXT = "</project_context>"
MODEL, VERSION = "claude-sonnet-5", "2.1.197"  # as this version of claude names them
COST = 0.0006  # of one request, by its price list


class Story:
    """An experiment from its plan to its report, and what the model was asked meanwhile."""

    def __init__(self, lab: ClaudeLab, model: ModelServer) -> None:
        self.lab = lab
        before = len(model.requests)
        self.done = {step: lab.bench(step) for step in STEPS}
        self.requests = model.requests[before:]
        self.lines = {(line["id"], line["condition"]): line for line in lab.lines}

    def runs(self) -> Iterator[tuple[Json, str]]:
        """Name every run by its task and its condition."""
        yield from product(self.lab.questions, CONDITIONS)

    def asked(self, task: Json, condition: str) -> list[Request]:
        """List what the model was asked in one run, without what was asked on the side."""
        run = (task["input"], condition)
        return [one for one in self.requests if one.talk.offers and run_of(one) == run]


def run_of(request: Request) -> tuple[str, str]:
    """Tell the question and the condition of the run that a request belongs to."""
    before, found, after = request.talk.prompt.partition(END_OF_CONTEXT)
    question = (after if found else before).strip().partition("\n\n")[0]
    return question, "with" if found else "without"


@pytest.fixture(scope="class")
def story(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Do the whole experiment, once for all that is asked of it."""
    return Story(ClaudeLab(tmp_path_factory.mktemp("experiment"), model.url), model)


class TestExperiment:
    """All steps on all tasks."""

    def test_every_step_ends_well(self, story: Story) -> None:
        """The verdict is go, and nothing that was started lives on."""
        for step, done in story.done.items():
            assert done.code == 0, (step, done.out, done.err)
        assert "12 of 12 runs done" in story.done["status"].out
        assert story.done["report"].out.startswith("GO")
        assert story.lab.summary["verdict"] == "pass"
        assert list(survivors(story.lab.mark)) == []

    def test_the_files_of_the_contract_are_there(self, story: Story) -> None:
        """One answer for each task and condition, and all that is told of them."""
        run = story.lab.run
        answers = [f"{task['id']}-{name}.md" for task in story.lab.questions for name in CONDITIONS]
        ours = "manifest.json plan.jsonl protocol.yaml report.html results.jsonl results.md"
        more = "run.jsonl runs scenarios.md summary.json verdicts.jsonl"

        assert {path.name for path in run.iterdir()} == {*ours.split(), *more.split()}
        assert {path.name for path in (run / "runs").iterdir()} == {*answers, "timing.csv"}

    def test_conditions_run_one_after_the_other_as_planned(self, story: Story) -> None:
        """Each condition comes first in three tasks, and begins when the one before has ended."""
        orders: dict[str, list[str]] = {}
        for run in story.lab.plan:
            orders.setdefault(run["task_id"], []).append(run["condition"])

        assert Counter(order[0] for order in orders.values()) == {"with": 3, "without": 3}
        assert course(story.lab.events) == {
            id: [(type, one) for one in order for type in ("task_start", "case_end")]
            for id, order in orders.items()
        }

    def test_only_one_condition_is_told_where_to_look(self, story: Story) -> None:
        """The model hears the prompt that the record says was sent."""
        for task, condition in story.runs():
            sent = story.lab.prompts()[task["id"], condition]
            heard = story.asked(task, condition)[0].talk.prompt

            assert heard.strip() == sent.strip()
            assert (END_OF_CONTEXT in sent) is (condition == "with")

    def test_disallowed_tools_are_really_absent(self, story: Story) -> None:
        """Claude does not tell that it has them, and the model is not offered them."""
        sessions = story.lab.sessions()
        offered = {offer.name for one in story.requests for offer in one.talk.offers}

        assert len(sessions) == 12
        for session in sessions.values():
            assert {"Read", "Bash"} <= {*session["tools"]}
            assert {"Task", MCP_TOOL}.isdisjoint(session["tools"])
            assert [server["name"] for server in session["mcp_servers"]] == ["echo"]
        assert "Read" in offered
        assert {"Task", "Agent", MCP_TOOL}.isdisjoint(offered)  # Agent: Task as the model knows it

    def test_counts_are_what_claude_did(self, story: Story) -> None:
        """Calls, files and turns are counted; tokens and cost are what claude tells."""
        for task, condition in story.runs():
            line, asked = story.lines[task["id"], condition], story.asked(task, condition)
            calls, turns = len(asked[-1].talk.heard), len(asked)
            files = calls - (condition == "without")  # which begins with a search

            counts = {"toolCalls": calls, "filesRead": files, "turns": turns}
            tokens = {"tokensIn": TOKENS_IN * turns, "tokensOut": TOKENS_OUT * turns}
            assert line["counts"] == counts
            assert line["usage"] == pytest.approx({**tokens, "costUsd": COST * turns})

    def test_what_claude_reports_stands_beside_what_was_counted(self, story: Story) -> None:
        """It forgets its searches, and the report shows that it does."""
        for line in story.lines.values():
            files = line["counts"]["filesRead"]
            assert line["reported"] == {"toolCalls": files, "filesRead": files}

        told = " ".join(story.done["report"].out.split())
        assert "reported tool calls: 6 of 12 reports agree" in told
        assert "reported files read: 12 of 12 reports agree" in told

    def test_every_run_names_its_model_and_version(self, story: Story) -> None:
        """They are claude's own words, in every line and in what is made of them."""
        named = {(line["model"], line["agentVersion"]) for line in story.lines.values()}

        assert named == {(MODEL, VERSION)}
        assert (story.lab.summary["models"], story.lab.summary["versions"]) == ([MODEL], [VERSION])
        assert ["model_mapping", MODEL] in story.lab.timing

    def test_who_is_told_where_to_look_reads_less_and_states_more(self, story: Story) -> None:
        """Task by task: one file with the context, several without it, and a lower score."""
        for task in story.lab.summary["tasks"]:
            (told,), (cold,) = (task["conditions"][name]["trials"] for name in CONDITIONS)

            assert told["files_read"] == 1 < cold["files_read"]
            assert told["score"] > cold["score"]


def course(events: list[Json]) -> dict[str, list[tuple[str, str]]]:
    """List by task when its runs began and ended."""
    found: dict[str, list[tuple[str, str]]] = {}
    for event in events:
        if event["type"] in ("task_start", "case_end"):
            found.setdefault(event["case_id"], []).append((event["type"], event["condition"]))
    return found


def test_a_forbidden_tool_that_claude_has_voids_the_pair(
    model: ModelServer, tmp_path: Path
) -> None:
    """Seed 004 section 7: its partner does not count; too many discards stop it, with causes."""
    lab = ClaudeLab(tmp_path, model.url).only("retry")
    lab.set(common={"disallowed_tools": [MCP_TOOL], "forbid": {}}, discard={"max": 0})
    lab.document["conditions"]["with"]["forbid"] = {"tools": ["Task"]}

    done = lab.bench("run")
    report = lab.bench("report")

    assert (done.code, report.code) == (3, 3), (done.err, report.err)
    assert standings(lab, "without") == {("counts", None)}
    assert standings(lab, "with") == {("discarded", "violated")}
    assert [one["counted"] for one in lab.summary["conditions"]] == [0, 0]
    assert re.search(r"discarded +with\n +broke expect or forbid +1\n", done.err), done.err
    assert "forbid.tools has Task, and the agent had Task" in done.err
    assert (lab.summary["status"], lab.summary["verdict"]) == ("invalid", "inconclusive")
    assert list(survivors(lab.mark)) == []


def standings(lab: ClaudeLab, condition: str) -> set[tuple[str, str | None]]:
    """Gather how the runs of a condition stand, and why."""
    found = (line["standing"] for line in lab.lines if line["condition"] == condition)
    return {(one["state"], one.get("cause")) for one in found}


@pytest.fixture
def own_model() -> Iterator[ModelServer]:
    """Serve a model that nobody else asks."""
    with ModelServer() as server:
        yield server


def test_a_killed_experiment_asks_claude_only_what_is_left(
    own_model: ModelServer, tmp_path: Path
) -> None:
    """Nothing finished is run twice; the run that was under way is another attempt."""
    lab = ClaudeLab(tmp_path, own_model.url).only("retry", "order").set(order={"parallel_tasks": 1})
    lab.bench("plan")
    questions = {task["id"]: task["input"] for task in lab.questions}
    planned = [(questions[run["task_id"]], run["condition"]) for run in lab.plan]
    own_model.stuck_at, _ = planned[2]
    process = lab.begin("run")
    assert own_model.stalled.wait(LIMIT_S)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = lab.lines
    while list(survivors(lab.mark)):
        time.sleep(0.01)
    own_model.stuck_at = None

    done = lab.bench("run")

    assert done.code == 0, done.err
    assert len(before) == 2
    assert lab.lines[:2] == before
    assert [line["attempt"] for line in lab.lines] == [1, 1, 2, 1]
    assert lab.summary["status"] == "done"
    first = [run_of(one) for one in own_model.requests if one.talk.offers and not one.talk.heard]
    assert Counter(first) == {**dict.fromkeys(planned, 1), planned[2]: 2}
    assert list(survivors(lab.mark)) == []
