"""A model API on loopback, in front of the real one or in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import UsageError
from ...ledger.proxy import ModelProxy
from .. import Station

if TYPE_CHECKING:
    from .server import ModelServer


def open_model(proxy: ModelProxy, station: Station, via: str | None = None) -> ModelServer:
    """Open a model API for one trial; its `url` is what the agent is to be given.

    `via` tells it apart from others of the trial, in the cassette.
    """
    try:
        from .server import ModelServer  # aiohttp is costly, and may not be there
    except ModuleNotFoundError as error:
        if error.name != "aiohttp":
            raise
        raise UsageError(
            f"proxies.model ({proxy.env}) needs aiohttp, which is not installed; "
            "install it: pip install 'runledger[proxy]'"
        ) from None
    return ModelServer(proxy, station, via)
