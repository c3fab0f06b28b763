"""One round of the storm: a suite of agents drawn at random, and a runner that is troubled."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from kit import clean_environment, write_suite
from scene import PLANTED, TELL, After, Scene, holds

from .menu import DEEDS, TOOLS, source_of
from .trouble import NONE, Trouble, drawn, left_over

TRIES = 8  # the last ones are left in peace


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays in a round, and how."""

    kinds: tuple[str, ...]
    mode: str
    reuse: bool
    workspace: bool
    trials: int
    jobs: int

    @property
    def code(self) -> int:
        """Give the exit code that is right in the end."""
        return int(any(DEEDS[kind].ends != "passed" for kind in self.kinds))


@dataclass(frozen=True, slots=True)
class Told:
    """What a round came to."""

    cases: int
    commands: int
    troubles: tuple[str, ...]
    peak_mb: float


def cast_of(random: Random) -> Cast:
    """Draw who plays."""
    mode = random.choice(("replay", "replay", "live", "record"))
    reuse = random.random() < 0.3
    fit = [
        kind for kind, deed in DEEDS.items() if mode in deed.modes and not (reuse and deed.alone)
    ]
    return Cast(
        kinds=tuple(random.choices(fit, k=random.randrange(4, 13))),
        mode=mode,
        reuse=reuse,
        workspace=not reuse and random.random() < 0.3,
        trials=2 if mode != "record" and random.random() < 0.2 else 1,
        jobs=random.choice((1, 2, 2, 4, 8)),
    )


class Weather(Scene):
    """A scene with a temporary directory of its own, so that what is left in it can be seen."""

    @property
    def temporary(self) -> Path:
        """Give the temporary directory."""
        return self.path / "tmp"

    def environment(self) -> dict[str, str]:
        """Give the environment of the command."""
        return clean_environment(**{PLANTED: self.secret, "TMPDIR": str(self.temporary)})

    def stage(self, cast: Cast) -> None:
        """Write the suite."""
        self.temporary.mkdir()
        document: dict[str, Any] = {
            "agent_command": ["{python}", "{suite}/agent.py"],
            "agent_reuse": cast.reuse,
            "mode": cast.mode,
            "cases_path": "cases.jsonl",
            "tool_registry": ["search", "breaks", "leaves", "sleeps"],
            "tool_module": "tools.py",
            "grace_ms": self.grace_ms,
            "env": {"pass": [PLANTED], "set": {"RL_TEST_MARK": self.mark}},
        }
        if cast.workspace:
            document["workspace"] = {"from": "fixtures"}
        suite = write_suite(self.path / "suite", TELL + source_of(cast.kinds), **document)
        (suite.path / "fixtures").mkdir()
        (suite.path / "fixtures" / "note.txt").write_text("to be copied\n")
        (suite.path / "tools.py").write_text(TOOLS)
        ids = list(_ids(cast.kinds))
        lines = (self._case(id, kind) for id, kind in zip(ids, cast.kinds, strict=True))
        (suite.path / "cases.jsonl").write_text("".join(lines))
        self.limits_ms = {
            id: DEEDS[kind].limit_ms for id, kind in zip(ids, cast.kinds, strict=True)
        }

    def _case(self, id: str, kind: str) -> str:
        deed = DEEDS[kind]
        name = f"cassettes/{id}.jsonl"
        tape = "".join(json.dumps(one) + "\n" for one in deed.cassette)
        (self.path / "suite" / name).write_text(tape)
        budgets = {"max_wall_ms": deed.limit_ms, **deed.keys.get("budgets", {})}
        case = {"id": id, "input": {"kind": kind}, "cassette": name, **deed.keys}
        return json.dumps({**case, "budgets": budgets}) + "\n"


def _ids(kinds: Sequence[str]) -> Iterator[str]:
    yield from (f"c{number}-{kind}" for number, kind in enumerate(kinds))


def play(place: Path, random: Random) -> Told:
    """Play a round until its run is whole; AssertionError if anything does not hold."""
    scene, cast = Weather(place), cast_of(random)
    scene.stage(cast)
    met: list[Trouble] = []
    try:
        return _played(scene, cast, random, met)
    except Exception as error:
        error.add_note(f"{cast}\nmet: {', '.join(trouble.name for trouble in met)}")
        raise


def _played(scene: Weather, cast: Cast, random: Random, met: list[Trouble]) -> Told:
    peak_mb = 0.0
    while len(met) < TRIES:
        met.append(drawn(random) if len(met) < TRIES // 2 else NONE)
        after = met[-1].meet(scene, *_words(scene, cast))
        peak_mb = max(peak_mb, after.told.get("peak_mb", 0.0))
        _meanwhile(after, cast, met[-1])
        if after.code == cast.code:
            _at_last(after, cast)
            if not any(trouble.litters for trouble in met):
                _nothing_lies_about(scene)
            troubles = tuple(trouble.name for trouble in met)
            return Told(len(cast.kinds) * cast.trials, len(met), troubles, peak_mb)
    raise AssertionError(f"not done: {after.code}\n{after.out}\n{after.err}")


def _words(scene: Scene, cast: Cast) -> tuple[str, ...]:
    """Begin a run, or go on with it if there is one."""
    runs = list(scene.path.glob(".agentci/runs/*/*/manifest.json"))
    how = ("--resume", str(runs[0].parent)) if runs else ("-k", str(cast.trials))
    return "run", "suite", "-j", str(cast.jobs), *how


def _meanwhile(after: After, cast: Cast, trouble: Trouble) -> None:
    """Check what holds after every command, whatever it ran into."""
    left = left_over(after.scene)
    assert not left, (left, trouble)
    for run in after.runs:
        if not (run / "manifest.json").exists():  # there was no run yet
            assert not (run / "run.jsonl").exists(), run
            shutil.rmtree(run)
    assert after.code in {cast.code, *trouble.codes}, (after.code, trouble, cast, after.err)
    if after.code not in (137, -9):  # killed, it may have left a line that resuming mends
        holds(after, code=after.code)
    assert not after.told.get("left_open"), after.told


def _at_last(after: After, cast: Cast) -> None:
    """Check that every case ended as it had to, once, and that nothing lies about."""
    expected = dict(zip(_ids(cast.kinds), (DEEDS[kind].ends for kind in cast.kinds), strict=True))
    holds(after, code=cast.code, **expected)
    summary = after.summary
    assert summary["status"] in ("passed", "failed"), summary
    assert not summary["totals"]["unfinished"], summary
    for id, kind in zip(expected, cast.kinds, strict=True):
        assert after.case(id)["leaky"] or not DEEDS[kind].leaky, after.case(id)


def _nothing_lies_about(scene: Weather) -> None:
    litter = [*scene.temporary.rglob("*"), *scene.path.glob(".agentci/**/*.tmp")]
    assert not litter, litter
