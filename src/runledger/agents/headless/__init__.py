"""Agents that are started as commands, one for each turn, and print what they do.

command   what is started, with the prompt in its place
match     the rules of an adapter on one line of output
steps     what a line means
turn      the lines of one turn
result    its answer, its errors and what it used
driver    one task in the hands of such an agent
"""

from __future__ import annotations

from .command import problem_with
from .driver import HeadlessDriver

__all__ = ["HeadlessDriver", "problem_with"]
