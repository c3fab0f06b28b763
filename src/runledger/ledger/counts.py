"""What an agent did, counted from what it was seen to do."""

from __future__ import annotations

from .attempt import Counts
from .event import Event, FinalOutput, Message, Thought, ToolCall, ToolResult
from .files_read import files_read_in
from .trajectory import calls_in


def counts_of(events: tuple[Event, ...], visible: bool) -> Counts:
    """Count tool calls, files read and turns; nothing is known where only the answer is visible."""
    if not visible:
        return Counts()
    return Counts(
        tool_calls=sum(1 for _ in calls_in(events)),
        files_read=len(files_read_in(events)),
        turns=_turns(events),
    )


def _turns(events: tuple[Event, ...]) -> int:
    """Count the stretches of what an agent said or asked for, until tools answered."""
    beginnings: tuple[type, ...] = (Message, Thought, ToolCall)
    if not any(isinstance(event.what, Message) for event in events):
        beginnings = (*beginnings, FinalOutput)  # of protocols in which an agent says nothing else
    turns, speaking = 0, False
    known: set[str] = set()
    for event in events:
        if isinstance(event.what, ToolResult):
            speaking = False
        elif isinstance(event.what, beginnings) and not _told_again(event, known):
            turns += not speaking
            speaking = True
    return turns


def _told_again(event: Event, known: set[str]) -> bool:
    """Say whether an event only tells more of a call that is known; remember it if it is new."""
    if not isinstance(event.what, ToolCall):
        return False
    before = event.what.call_id in known
    known.add(event.what.call_id)
    return before
