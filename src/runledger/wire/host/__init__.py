"""Programs of ours that run a user's Python, each a process: a thread cannot be killed.

tools     the functions of a tool module
grader    a function that judges
agent     a function that is the agent

They are started with the directory of this package, which they need for their own modules only,
and with the address of the user's code: `tools.py`, `package.module` or `package.module:function`.
They work where they are started, which is where that code is; an agent is given its home instead.
They keep standard input and output to themselves: what the user's code prints goes to standard
error.
"""

from __future__ import annotations

import sys
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["tools", "grader", "agent"]

_ROOT = __file__.removesuffix("/runledger/wire/host/__init__.py")
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from runledger.wire.host.{kind} import main; del sys.path[0]; main(*sys.argv[2:])"
)


def command_of(kind: Kind, address: str, *home: str) -> list[str]:
    """Give the command that starts a host; -P, since our own directory is not the user's."""
    return [sys.executable, "-P", "-c", _BOOT.format(kind=kind), _ROOT, address, *home]
