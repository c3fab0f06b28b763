"""What is kept of messages: not the ids, which differ between two equal sessions.

`_meta` of a request is not kept: it holds tokens, traces and what the client says of itself. Of
`initialize` only the version of the protocol is kept, so that a new version of an agent, which says
other things of itself, finds the answer all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ...ledger.strict_json import dump_line
from ...ledger.value import ABSENT, Absent, Json
from ...store.cassette.entry import AgentStamp
from ...wire.jsonrpc import Answer, Heard, Notification, Request

PROGRESS = "notifications/progress"
CANCELLED = "notifications/cancelled"
TOKEN = "progressToken"
META = "_meta"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
CLIENT = "io.modelcontextprotocol/clientInfo"
STAMP_LENGTH = 100  # characters of a name or a version

Fields: TypeAlias = dict[str, Json]


def key_of(id: Json) -> bytes:
    """Tell ids apart: 1 is not "1"."""
    return dump_line(id)


def asked(request: Request) -> Json:
    """Give the parameters of a request that a recording is found by."""
    if request.params is None:
        return {}  # the protocol makes no difference
    if not isinstance(request.params, Mapping):
        return request.params
    if request.method == "initialize":
        return {
            name: request.params[name] for name in ("protocolVersion",) if name in request.params
        }
    return {name: value for name, value in request.params.items() if name != META}


def cancelled_by(heard: Heard) -> bytes | None:
    """Tell which request nobody waits for any longer, if it is that which is said."""
    match heard:
        case Notification(method=method, params={"requestId": id}) if method == CANCELLED:
            return key_of(id)
    return None


def stamp_of(request: Request) -> AgentStamp | None:
    """Read who asks, where a request says so."""
    params = request.params if isinstance(request.params, Mapping) else {}
    told = params.get("clientInfo") if request.method == "initialize" else _meta(params).get(CLIENT)
    name, version = (
        (told.get("name"), told.get("version")) if isinstance(told, Mapping) else ("", "")
    )
    if not (isinstance(name, str) and name and isinstance(version, str)):
        return None
    return AgentStamp(name[:STAMP_LENGTH], version[:STAMP_LENGTH])


def token_of(request: Request) -> Json | Absent:
    """Give the token under which a request wants to hear of its progress."""
    params = request.params
    return _meta(params).get(TOKEN, ABSENT) if isinstance(params, Mapping) else ABSENT


def belongs_to(said: Request | Notification, request: Request) -> bool | None:
    """Say whether a message of the server is about a request; None where it does not tell."""
    params = said.params if isinstance(said.params, Mapping) else {}
    if said.method == PROGRESS:
        return params.get(TOKEN, ABSENT) == token_of(request)
    subscription = _meta(params).get(SUBSCRIPTION, ABSENT)
    return None if isinstance(subscription, Absent) else subscription == request.id


def reply_of(answer: Answer) -> Fields:
    """Write down a reply."""
    if answer.error is None:
        return {"result": _marked(answer.result, None)}
    error = answer.error
    more: Fields = {} if error.data is None else {"data": error.data}
    return {"error": {"code": error.code, "message": error.message, **more}}


def remark_of(said: Request | Notification, number: int) -> Fields:
    """Write down what a server says of itself; a number stands for the id of a request."""
    id: Fields = {"id": number} if isinstance(said, Request) else {}
    params = said.params
    if said.method == PROGRESS and isinstance(params, Mapping):
        params = {name: value for name, value in params.items() if name != TOKEN}
    return {**id, "method": said.method} | (
        {} if params is None else {"params": _marked(params, None)}
    )


def reply_to(request: Request, kept: Mapping[str, Json]) -> Fields:
    """Make a reply that was kept the reply to a request."""
    return {"id": request.id} | {name: _marked(kept[name], request.id) for name in kept}


def remark_to(request: Request, kept: Json) -> Fields | None:
    """Make what a server said of itself part of a request; None where that did not ask for it."""
    if not isinstance(kept, Mapping):
        return None
    remark = dict(kept)
    params = remark.get("params")
    if remark.get("method") != PROGRESS:
        return remark | ({} if params is None else {"params": _marked(params, request.id)})
    token = token_of(request)
    if isinstance(token, Absent) or not isinstance(params, Mapping):
        return None
    return remark | {"params": {TOKEN: token, **params}}


def _meta(params: Mapping[str, Json]) -> Mapping[str, Json]:
    meta = params.get(META)
    return meta if isinstance(meta, Mapping) else {}


def _marked(value: Json, id: Json) -> Json:
    """Put an id where a value names the subscription that it is part of."""
    if not isinstance(value, Mapping) or SUBSCRIPTION not in _meta(value):
        return value
    return {**value, META: {**_meta(value), SUBSCRIPTION: id}}
