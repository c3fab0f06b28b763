"""What we do for an ACP agent when it asks us: files and commands, where the user offers them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from ...ledger.value import Json
from ...wire.jsonrpc import INTERNAL_ERROR, Connection, Request, RpcError, serve_nothing
from .. import Post
from .files import Files
from .shapes import as_object

if TYPE_CHECKING:
    from .terminals import Terminal, Terminals

Params: TypeAlias = Mapping[str, Json]


class Hands:
    """Serve the requests of one session; whatever is not offered is refused."""

    def __init__(self, post: Post, directory: str, connection: Connection) -> None:
        self._connection = connection
        self._waiting: list[tuple[Request, Terminal]] = []
        self._terminals: Terminals | None = None
        self._served: dict[str, Callable[[Params], Json]] = {}
        files = Files(directory)
        if post.agent.fs:
            self._served |= {"fs/read_text_file": files.read, "fs/write_text_file": files.write}
        if post.agent.terminal:
            from .terminals import Terminals  # who does not offer them does not pay for them

            self._offer(Terminals(post.supervisor, post.env, files))

    def serve(self, request: Request) -> None:
        """Answer a request: now, or when the command that it waits for has ended."""
        try:
            if self._terminals and request.method == "terminal/wait_for_exit":
                self._waiting.append((request, self._terminals.find(as_object(request.params))))
                self._answer_waiting()
            else:
                self._connection.give(request, self._serve(request))
        except RpcError as error:
            self._connection.refuse(request, error)
        except OSError as error:  # a name that is too long, a disk that is full
            refusal = RpcError(INTERNAL_ERROR, str(error.strerror or error))
            self._connection.refuse(request, refusal)

    def close(self) -> None:
        """End the commands that still run, and answer nothing more."""
        terminals, self._terminals = self._terminals, None
        if terminals:
            self._connection.child.unwatch(terminals.on_end)
            terminals.close()

    def _offer(self, terminals: Terminals) -> None:
        self._terminals = terminals
        self._served |= {
            "terminal/create": terminals.create,
            "terminal/output": lambda params: terminals.find(params).output(),
            "terminal/kill": lambda params: terminals.find(params).kill(),
            "terminal/release": terminals.release,
        }
        self._connection.child.watch(terminals.on_end, self._see_ends)

    def _serve(self, request: Request) -> Json:
        served = self._served.get(request.method)
        return served(as_object(request.params)) if served else serve_nothing(request)

    def _see_ends(self) -> None:
        if self._terminals:
            self._terminals.hush()
        self._answer_waiting()

    def _answer_waiting(self) -> None:
        ended = [pair for pair in self._waiting if pair[1].over.is_set()]
        self._waiting = [pair for pair in self._waiting if not pair[1].over.is_set()]
        for request, terminal in ended:
            self._connection.give(request, terminal.status)
