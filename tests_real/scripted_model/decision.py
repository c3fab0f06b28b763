"""The script of one who looks before it acts: what a file says decides what comes next."""

from __future__ import annotations

from .script import Call, Conversation, Move, Say, read, write

DECIDE = "decide"
NOTES = "notes.txt"
LEAVE = "go ahead"  # in the notes, and it writes


def decide(talk: Conversation) -> Move:
    """Read the notes, and write a file only where they give leave."""
    if not talk.heard:
        return Call((read(NOTES),))
    if LEAVE not in talk.heard[0]:
        return Say("The notes forbid it.")
    return Say("I wrote made.txt.") if talk.results > 1 else Call((write("made.txt"),))
