"""Find a user's code: a file, a module, or a function in one."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from .telling import Failed

if TYPE_CHECKING:
    from types import ModuleType


def at_home(address: str, home: str) -> str:
    """Name a file by its place in its home directory; a module is found by its name."""
    place, colon, _ = address.rpartition(":")
    return os.path.join(home, address) if _is_file(place if colon else address) else address  # noqa: PTH118


def import_from(address: str) -> ModuleType:
    """Import `file.py` or `package.module`."""
    if _is_file(address):
        return _import_file(address)
    from importlib import import_module

    return import_module(address)


def _is_file(address: str) -> bool:
    return address.endswith(".py") or "/" in address


def _import_file(path: str) -> ModuleType:
    """Import a file under its own name, so that what it defines can be pickled."""
    from importlib.util import module_from_spec, spec_from_file_location

    stem = os.path.basename(path).removesuffix(".py")  # noqa: PTH119
    name = f"suite_{stem}" if stem in sys.modules else stem
    spec = spec_from_file_location(name, os.path.abspath(path))  # noqa: PTH100
    if spec is None or spec.loader is None:
        raise Failed(f"{path} is not a Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def function_at(address: str, usual: str) -> Any:
    """Import `file.py`, `file.py:name` or `package.module:name`; without a name, the usual one."""
    place, colon, name = address.rpartition(":")
    module = import_from(place if colon else address)
    name = name if colon else usual
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise Failed(f"{place or address} has no function {name}")
    return found
