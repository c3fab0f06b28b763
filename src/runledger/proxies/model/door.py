"""Who is let in: the agent alone, because nobody else was told the whole address.

Any program on this machine can connect to a port of loopback, and so can any page in a browser.
Who is turned away cannot spoil a trial: nothing is recorded, used up or passed on for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hmac import compare_digest
from secrets import token_urlsafe
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import web

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")  # by any other name a page was led here to read what we say
TOKEN_BYTES = 18


def draw_token() -> str:
    """Draw what nobody can guess, fit for an address."""
    return f"case-{token_urlsafe(TOKEN_BYTES)}"


@dataclass(frozen=True, slots=True)
class Door:
    """Let in whoever comes by the address that `env` held, and nobody else."""

    env: str
    port: int
    token: str = field(repr=False)

    @property
    def address(self) -> str:
        """Give the address that opens it."""
        return f"http://{HOST}:{self.port}/{self.token}"

    def objection(self, request: web.BaseRequest) -> str | None:
        """Say why a request is turned away; nothing is said of one that is let in."""
        hosts = request.headers.getall("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in [f"{name}:{self.port}" for name in NAMES]:
            return f"the Host header has to be {HOST}:{self.port}, as in ${self.env}"
        if not self._knows_token(request.raw_path):
            return f"the path has to begin with that of ${self.env}: use the whole of it"
        return None

    def target(self, request: web.BaseRequest) -> str:
        """Give path and query of a request that is let in, as upstream would see them."""
        rest = request.raw_path[len(self.token) + 1 :]
        return rest if rest.startswith("/") else f"/{rest}"

    def _knows_token(self, path: str) -> bool:
        first = path.partition("?")[0].split("/", 2)[:2]
        # In constant time: how long a comparison takes would tell how much of a guess is right.
        return compare_digest("/".join(first).encode(errors="replace"), f"/{self.token}".encode())
