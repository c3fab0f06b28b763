"""Try every property of tests/fuzz for minutes: `make fuzz`, `make fuzz MINUTES=30`.

With atheris installed, libFuzzer looks for inputs that reach new code; without it, inputs are
drawn at random. Either way the bytes go through hypothesis into the same properties that
`make test` tries briefly, each in a process of its own. An input that breaks one is kept; to see
it again, run `python tests/fuzz/campaign.py --again PROPERTY FILE`.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
KEPT = HERE.parents[1] / ".hypothesis" / "fuzz"
LONGEST = 16 * 1024  # bytes of one input, of which hypothesis makes values
SEEDS = 50
ANEW = 0.5  # of all inputs
SLOWEST_S = 60  # for one input, on a busy machine: longer is a finding
MOST_MB = 2048
SHOWN = 4000  # characters of what broke
CORPUS = "corpus"
FINDINGS = ("crash-*", "timeout-*", "oom-*")
BROKEN = 77  # how libFuzzer exits when a property is broken
FAILED = 1
TRACEBACK = re.compile(r"Traceback \(most recent call last\):.*", re.DOTALL)
RUNS = re.compile(r"(?:number_of_executed_units:|^runs:)\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one property."""

    name: str
    runs: int
    seconds: float
    finding: Path | None
    said: str

    @property
    def failed(self) -> bool:
        """Say whether the property does not hold, or could not be tried."""
        return self.finding is not None or not self.runs

    @property
    def reason(self) -> str:
        """Give the traceback, or what else was said at the end."""
        found = TRACEBACK.search(self.said)
        return (found[0] if found else self.said)[-SHOWN:]


def main(words: Sequence[str]) -> int:
    """Try all properties, or those that are named, one after the other."""
    asked = _asked(words)
    if asked.again:
        name, file = asked.again
        return _again(name, Path(file))
    if asked.one:
        return _feed(asked.one, asked.seconds)
    names = [one for one in properties() if not asked.only or asked.only in one]
    seconds = max(1, round(asked.minutes * 60 / max(1, len(names))))
    how = "atheris" if _has_atheris() else "inputs drawn at random (atheris is not installed)"
    _say(f"{len(names)} properties, {seconds} s each, with {how}")
    tried = [_told(_tried(name, seconds)) for name in names]
    _say(f"{sum(one.runs for one in tried)} runs, {sum(one.failed for one in tried)} findings")
    return FAILED if any(one.failed for one in tried) or not tried else 0


def properties() -> list[str]:
    """Name every property, by its module and function."""
    _look_here()
    return [f"{module}:{name}" for module in _modules() for name in _tests_in(module)]


def _asked(words: Sequence[str]) -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--minutes", type=float, default=10.0, help="in all")
    reader.add_argument("--only", metavar="TEXT", help="properties whose name holds this")
    reader.add_argument("--again", nargs=2, metavar=("PROPERTY", "FILE"), help="try one input")
    reader.add_argument("--one", help=argparse.SUPPRESS)
    reader.add_argument("--seconds", type=int, default=10, help=argparse.SUPPRESS)
    return reader.parse_args(words)


def _tried(name: str, seconds: int) -> Tried:
    """Try one property in a process of its own, whose files are gone when it is."""
    _sow(_folder(name) / CORPUS)
    before, began = _findings(name), time.monotonic()
    words = [sys.executable, __file__, "--one", name, "--seconds", str(seconds)]
    with tempfile.TemporaryDirectory() as files:
        environment = {**os.environ, "TMPDIR": files}
        done = subprocess.run(words, env=environment, capture_output=True, check=False)
    said = done.stderr.decode("utf-8", "replace") + done.stdout.decode("utf-8", "replace")
    runs = sum(map(int, RUNS.findall(said))) if done.returncode in (0, BROKEN) else 0
    new = sorted(_findings(name) - before)
    return Tried(name, runs, time.monotonic() - began, new[0] if new else None, said)


def _sow(corpus: Path) -> None:
    """Begin with inputs that are long enough to make values of; short ones come to nothing."""
    if not corpus.exists():
        corpus.mkdir(parents=True)
        for number in range(SEEDS):
            (corpus / f"seed-{number}").write_bytes(os.urandom(LONGEST // 4))


def _folder(name: str) -> Path:
    """Give the directory of what is kept: findings, and inputs that are worth going on with."""
    return KEPT / name.replace(":", "-")


def _findings(name: str) -> set[Path]:
    return {file for kind in FINDINGS for file in _folder(name).glob(kind)}


def _told(tried: Tried) -> Tried:
    found = "1 finding" if tried.failed else "no finding"
    _say(f"{tried.name}: {tried.runs} runs in {tried.seconds:.0f} s, {found}")
    if tried.failed:
        _say(tried.reason)
    if tried.finding is not None:
        _say(f"kept: {tried.finding}")
        _say(f"to see it again: python {Path(__file__)} --again {tried.name} {tried.finding}")
    return tried


def _feed(name: str, seconds: int) -> int:
    """Feed one property until the time is over or it breaks."""
    if not _has_atheris():
        return _feed_at_random(_property(name), seconds, _folder(name))
    import atheris

    with atheris.instrument_imports(include=["runledger"]):
        feed = _property(name)
    limits = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-len_control=0"]
    limits += [f"-timeout={SLOWEST_S}", f"-rss_limit_mb={MOST_MB}", "-print_final_stats=1"]
    limits += [f"-artifact_prefix={_folder(name)}/", "-verbosity=0"]
    words = [sys.argv[0], *limits, str(_folder(name) / CORPUS)]
    atheris.Setup(words, feed, custom_mutator=_mutated)
    atheris.Fuzz()
    return 0


def _mutated(known: bytes, most: int, seed: int) -> bytes:
    """Go on from a known input or begin anew: small changes alone come to few different values."""
    import atheris

    draw = random.Random(seed)
    if draw.random() < ANEW:
        return draw.randbytes(min(most, LONGEST // 4))
    found: bytes = atheris.Mutate(known, most)
    return found


def _feed_at_random(feed: Callable[[bytes], object], seconds: int, folder: Path) -> int:
    runs, until = 0, time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            drawn = os.urandom(LONGEST)
            runs += 1
            feed(drawn)
    except Exception:
        (folder / f"crash-{os.urandom(4).hex()}").write_bytes(drawn)
        traceback.print_exc()
        return BROKEN
    finally:
        _complain(f"runs: {runs}")
    return 0


def _again(name: str, file: Path) -> int:
    """Try one input that was kept; what it breaks is raised."""
    _property(name)(file.read_bytes())
    _say(f"{name} holds for {file}")
    return 0


def _property(name: str) -> Callable[[bytes], object]:
    """Find a property, and give what makes its values of bytes and tries it with them."""
    module, _, test = name.partition(":")
    _look_here()
    found: Any = getattr(importlib.import_module(f"fuzz.{module}"), test)
    feed: Callable[[bytes], object] = found.hypothesis.fuzz_one_input
    return feed


def _modules() -> list[str]:
    return sorted(file.stem for file in HERE.glob("test_*.py"))


def _tests_in(module: str) -> Iterator[str]:
    found = importlib.import_module(f"fuzz.{module}")
    for name, test in vars(found).items():
        if name.startswith("test_") and hasattr(test, "hypothesis"):
            yield name


def _look_here() -> None:
    """Let the tests find each other, as pytest does."""
    if str(HERE.parent) not in sys.path:
        sys.path[:0] = [str(HERE.parent)]


def _has_atheris() -> bool:
    return importlib.util.find_spec("atheris") is not None


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _complain(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
