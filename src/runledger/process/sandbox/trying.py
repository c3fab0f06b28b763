"""Find out whether a sandbox works here, before anything is to run in one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from ...errors import OutsideError, UsageError
from ...ledger.printable import printable
from ..program import Finished, run_program
from ..supervisor import Launch, Supervisor
from . import Sandbox, Sight
from .enclosing import NO_MORE_USERS, enclose

PROGRAM = "bwrap"
OLDEST_FOR_ROOT = "0.8"
TRY_S = 20.0
SHOWN = 500  # characters of what bwrap says
NONE = "or write sandbox: none, and know that the agent may then read and reach what you may"


def open_sandbox(supervisor: Supervisor, *, network: bool) -> Sandbox:
    """Try a sandbox; raise UsageError where bwrap is missing, OutsideError where it is refused."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise UsageError(_missing())
    env = dict(os.environ)
    told = run_program(supervisor, Launch([program, "--version"], "/", env), b"", TRY_S)
    words = told.stdout.decode("utf-8", "replace").split()
    sandbox = Sandbox(program, words[-1] if words else "unknown", network)
    tried = enclose(Launch([sys.executable, "-I", "-S", "-c", ""], "/", env), sandbox, Sight())
    done = run_program(supervisor, tried, b"", TRY_S)
    if done.code != 0:
        raise OutsideError(_refused(done, program))
    return sandbox


def _missing() -> str:
    if sys.platform != "linux":
        return f"sandbox: {PROGRAM} works on Linux only: run in a container there, {NONE}"
    return (
        f"sandbox: {PROGRAM} needs bubblewrap, and there is no {PROGRAM} on the PATH\n"
        f"install it (Debian, Ubuntu: apt-get install bubblewrap), {NONE}"
    )


def _refused(done: Finished, program: str) -> str:
    """Say in the system's words why there is no sandbox, and what to do about it."""
    words = printable(done.stderr.strip()[-SHOWN:]) or f"nothing (exit status {done.code})"
    return f"no sandbox can be set up here: {program} said: {words}\n{_remedy(words)}\n{NONE}"


def _remedy(words: str) -> str:
    """Name what is in the way, as far as it can be seen."""
    if f"option {NO_MORE_USERS}" in words:
        return f"root needs bubblewrap {OLDEST_FOR_ROOT} or newer: install it, run as another user"
    for file, found, setting in _SETTINGS:
        place = Path(file)
        if place.exists() and place.read_text().strip() == found:
            return f"namespaces are switched off for users: sysctl -w {setting}"
    return (
        "in a container it has to be allowed from outside "
        "(docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
        "--security-opt systempaths=unconfined --cap-add SYS_ADMIN, or --privileged)"
    )


_SETTINGS = (
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)
