"""What went wrong in a user's code, told in bounds."""

from __future__ import annotations

import re
import sys

OURS = __file__.removesuffix("telling.py")
MOST_TEXT = 4000
WORD = r"[^\s\"'`(){}\[\]<>,]"


class Failed(Exception):
    """Say what is wrong with the user's code, or with what it was given or gave."""


def told(fault: BaseException) -> str:
    """Say in a line what went wrong."""
    if isinstance(fault, SystemExit):
        return f"SystemExit: the code called sys.exit({beginning(repr(fault.code), 100)})"
    try:
        text = beginning(str(fault), MOST_TEXT)
    except Exception:
        text = "its message cannot be shown"
    if isinstance(fault, Failed):
        return text
    name = type(fault).__name__
    return f"{name}: {text}" if text else name


def trace(fault: BaseException) -> str:
    """Print a traceback for the user, from the user's own code on, and give its last lines."""
    if isinstance(fault, (Failed, SystemExit)):
        return ""
    from traceback import format_exception

    frame = fault.__traceback__
    while frame and frame.tb_frame.f_code.co_filename.startswith((OURS, "<frozen ", "<string>")):
        frame = frame.tb_next
    try:
        text = ending("".join(format_exception(type(fault), fault, frame)), MOST_TEXT)
        sys.stderr.write(text)
    except Exception:
        return ""
    return "\n".join(text.splitlines()[-6:])


def beginning(text: str, width: int) -> str:
    """Drop the word at the cut: half a token is a secret that no rule of the runner's knows."""
    if len(text) <= width:
        return text
    return re.sub(rf"(?<!{WORD}){WORD}++\Z", "", text[: width - 1]) + "…"


def ending(text: str, width: int) -> str:
    """Keep the end of a text, from a whole line or word on."""
    if len(text) <= width:
        return text
    kept = text[len(text) - width + 1 :]
    return "…" + re.sub(rf"\A(?:.*\n(?=\s*\S)|{WORD}*)", "", kept)
