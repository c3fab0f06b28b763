"""Record examples/unmodified/claude anew, with the scripted model in the place of a real one.

    RUNLEDGER_AGENTS=… PYTHONPATH=tests:tests_real .venv/bin/python -m record_example

The suite is not touched: a copy of it asks the scripted model, and when every case passed, what
that recorded replaces the cassettes.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from bench import HERE
from gate import Gate
from scripted_model.server import ModelServer

EXAMPLE = HERE.parent / "examples" / "unmodified" / "claude"


def record_example(place: Path) -> int:
    """Record a copy of the example, and take its cassettes over; give the exit code."""
    copy = Gate(EXAMPLE).copy(place / "claude")
    with ModelServer() as model:
        done = copy.lead_to(model.url).run("--mode", "record", ANTHROPIC_API_KEY="none")
    sys.stderr.write(done.err + done.out)
    if done.code == 0:
        shutil.copytree(copy.path / "cassettes", EXAMPLE / "cassettes", dirs_exist_ok=True)
    return done.code


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        raise SystemExit(record_example(Path(place)))
