"""A model API on loopback, in front of the real one or in its place."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...ledger.proxy import ModelProxy
from .. import Station

if TYPE_CHECKING:
    from .server import ModelServer


def open_model(
    proxy: ModelProxy, station: Station, via: str | None = None, socket: Path | None = None
) -> ModelServer:
    """Open a model API for one trial; its `url` is what the agent is to be given.

    `via` tells it apart from others of the trial, in the cassette. At `socket`, in a directory
    that nobody else may enter, it listens too, for an agent that has a loopback of its own.
    """
    require_aiohttp(proxy)
    from .server import ModelServer  # aiohttp is costly

    return ModelServer(proxy, station, via, socket)


def require_aiohttp(proxy: ModelProxy) -> None:
    """Raise UsageError where the library is not installed that a model API is served with."""
    if find_spec("aiohttp") is None:
        raise UsageError(
            f"proxies.model ({proxy.env}) needs aiohttp, which is not installed; "
            "install it: pip install 'runledger[proxy]'"
        )
