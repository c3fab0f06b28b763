"""Programs that an experiment names: are they there?"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

PYTHON = "{python}"


def program_problem(command: Sequence[str], directory: str) -> str | None:
    """Say why a command that is run in a directory could not be started."""
    program = command[0].replace("{suite}", directory)
    if program == PYTHON:
        return _script_problem(command[1:], directory)
    if "{" in program:
        return None  # known only when it is run
    return (
        _path_problem(program, directory) if "/" in program else _name_problem(program, directory)
    )


def _script_problem(words: Sequence[str], directory: str) -> str | None:
    script = next((word for word in words if not word.startswith("-")), None)
    if script is None or "{" in script or not script.endswith(".py"):
        return None
    if words[0] == script and not Path(directory, script).is_file():
        return f"there is no file {script} in the experiment's directory"
    return None


def _path_problem(program: str, directory: str) -> str | None:
    there = Path(directory, program)
    if not there.is_file():
        return f"there is no program {program}; a path is relative to the experiment's directory"
    if not os.access(there, os.X_OK):
        return f"{program} is not executable: use chmod +x, or write ['{PYTHON}', {there.name}]"
    return None


def _name_problem(program: str, directory: str) -> str | None:
    if shutil.which(program) is not None:
        return None
    beside = Path(directory, program).is_file()
    hint = f"; for the file beside the experiment write ./{program}" if beside else ""
    return f"no program {program or 'without a name'} is on the PATH{hint}"
