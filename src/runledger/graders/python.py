"""Ask a Python function of the user's, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from ..errors import AgentError
from ..ledger.question import Question, question_fields
from ..ledger.value import Json
from ..process.deadline import Deadline
from ..wire.servant import START_S, NoAnswer, Servant, Turn
from . import Place
from .hosts import Hosts
from .verdict import Fault, Verdict, verdict_in


def ask_function(address: str, question: Question, place: Place) -> Verdict:
    """Give a function the question and read its verdict, or raise the fault that it has."""
    with _host(address, place) as host:
        try:
            answer = host.ask("grade", {"question": question_fields(question)}, _turn(place))
        except RecursionError:
            raise Fault("the trial is nested too deep to be handed over") from None
    return verdict_in(answer)


def load_function(address: str, place: Place) -> None:
    """Import a function where it will judge, or raise the fault that says why it cannot be."""
    with _host(address, place) as host:
        host.start(_turn(place))


def _turn(place: Place) -> Turn:
    """Give a question all the time that it and a start may need: no trial's end cuts it short."""
    return Turn("the grader", place.timeout_s, Deadline.after(place.timeout_s + 2 * START_S))


@contextmanager
def _host(address: str, place: Place) -> Iterator[Servant]:
    """Lend a host of the function; what it has to complain of is a fault of the grader."""
    with ExitStack() as stack:
        hosts = place.hosts or stack.enter_context(Hosts(place.supervisor, place.caller))
        try:
            yield stack.enter_context(hosts.lend(address))
        except NoAnswer as fault:
            seen: dict[str, Json] = {"stderr": fault.data} if fault.data else {}
            raise Fault(str(fault), seen) from None
        except AgentError as fault:
            raise Fault(str(fault)) from None
