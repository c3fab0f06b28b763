"""Agents that speak the Agent Client Protocol, version 1, on standard input and output.

driver, session   one process a task; its turns, from the greeting to the last answer
talk, greeting    what is heard and said, under the deadline
turn, calls       what updates mean: messages, thoughts, plans, and each tool call once
words, usage      content as text, model errors; tokens and cost
hands             what we do when it asks: consent, files, terminals
faults, scales    what went wrong, in a failure's words; how much memory it all takes
shapes            looking into JSON that may have any shape
"""

from __future__ import annotations

from .driver import AcpDriver

__all__ = ["AcpDriver"]
