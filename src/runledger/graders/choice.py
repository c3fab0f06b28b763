"""What the name of a grader on the command line stands for: a function, or a program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TypeAlias

from .. import registry
from ..errors import UsageError
from ..ledger.fingerprint import show_name
from . import Place
from .verdict import Fault

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_IN_FILE = re.compile(rf"(?P<file>.+\.py)(?::{_DOTTED})?")
_IN_MODULE = re.compile(rf"{_DOTTED}:{_DOTTED}")


@dataclass(frozen=True, slots=True)
class Function:
    """A Python function: `file.py`, `file.py:function` or `package.module:function`."""

    address: str
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A program, as it is started."""

    path: str


Choice: TypeAlias = Function | Program


def choice_of(name: str, caller: str) -> Choice:
    """Say what a name stands for; a file goes before a program of the same name on the PATH."""
    if found := _IN_FILE.fullmatch(name):
        return Function(name, found["file"])
    if _IN_MODULE.fullmatch(name):
        return Function(name)
    if "/" not in name and Path(caller, name).is_file():
        return Program(f"./{name}")
    return Program(name)


def sign(name: str) -> str:
    """Give the name that a grader signs with: without directories, and none of our own graders'."""
    own = name if _IN_MODULE.fullmatch(name) else PurePath(name).name or name
    return f"./{own}" if own in registry.BUILT_IN["graders"] else own


def check_grader_choice(name: str, place: Place) -> None:
    """Raise UsageError for a grader that is not there, or that cannot be imported or started."""
    problem = _problem(choice_of(name, place.caller), place)
    if problem:
        raise UsageError(f"grader {show_name(name)}: {problem}")


def _problem(choice: Choice, place: Place) -> str:
    if isinstance(choice, Program):
        return _program_problem(choice.path, place.caller)
    if choice.file is not None and not Path(place.caller, choice.file).is_file():
        return f"there is no file {choice.file}"
    from .python import load_function  # a program needs none of it

    try:
        load_function(choice.address, place)
    except Fault as fault:
        trace = fault.seen.get("stderr", "")
        return f"{fault}\n{trace}".rstrip()
    return ""


def _program_problem(name: str, caller: str) -> str:
    import os
    import shutil

    if "/" not in name:
        return "" if shutil.which(name) else f"there is no such file or program; {_WAYS}"
    file = Path(caller, name)
    if file.is_dir():
        return f"it is a directory; {_WAYS}"
    if not file.exists():
        return f"there is no such file; {_WAYS}"
    if not os.access(file, os.X_OK):
        return (
            "the file may not be executed; begin it with a line such as "
            f"#!/usr/bin/env node, and run: chmod +x {name}"
        )
    return ""


_WAYS = "name a .py file, package.module:function, or a program"
