"""Words in a record that no agent chose: they stay, whatever an agent calls its secret.

Records are read by them. Else an agent that calls `grader_error` its password would be spared what
follows from one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..ledger.event import Failed, Graded, Happening, Raw
from ..ledger.result import GRADER_ERROR
from ..ledger.value import Json

Clean: TypeAlias = Callable[[Json], Json]
"""Take out of what the suite's author wrote what was known to be secret before the trial."""

_KINDS = ("assertion", "budget")  # details of failures, by which a view finds what they are about


def words_of_event(what: Happening, clean: Clean) -> dict[str, Json]:
    """Give the words of ours in an event's fields, each in its place."""
    match what:
        case Failed(failure):
            return {"failure": _failure({"type": failure.type, "details": failure.details}, clean)}
        case Graded(grade):
            return {"grade": {"grader": clean(grade.grader)}}
        case Raw(direction):
            return {"direction": direction}
    return {}


def words_of_row(fields: Mapping[str, Any]) -> dict[str, Json]:
    """Give the words of ours in the ending of a trial."""
    words: dict[str, Json] = {
        "status": fields["status"],
        "exit": {"signal": fields["exit"]["signal"]},
    }
    return words | {"unjudged": fields["unjudged"]} if "unjudged" in fields else words


def words_of_result(
    line: Mapping[str, Any], cleaned: Mapping[str, Any], clean: Clean
) -> dict[str, Json]:
    """Give the words of ours in a result that was cleaned, and the input that it is known by."""
    words: dict[str, Json] = {
        "id": line["id"],
        "input": clean(line["input"]),
        "trajectory": [_names_of_step(step) for step in line["trajectory"]],
        "exitInfo": {"signal": line["exitInfo"]["signal"]},
        "status": line["status"],
        "failures": [_failure(one, clean) for one in line["failures"]],
    }
    if "errors" in line:
        words["errors"] = [*map(_marked, line["errors"], cleaned["errors"])]
    return words | {"condition": line["condition"]} if "condition" in line else words


def laid_over(there: Mapping[str, Json], words: Mapping[str, Json]) -> dict[str, Json]:
    """Lay words over the fields that are there: objects key by key, lists one by one."""
    return {**there, **{name: _laid(there.get(name), words[name]) for name in words}}


def _laid(there: Json, word: Json) -> Json:
    if isinstance(there, Mapping) and isinstance(word, Mapping):
        return laid_over(there, word)
    if isinstance(there, list) and isinstance(word, list):
        return [*map(_laid, there, word)]
    return word


def _names_of_step(step: Mapping[str, Json]) -> Json:
    return {"type": step["type"], "stepId": step["stepId"]}


def _failure(fields: Mapping[str, Any], clean: Clean) -> Json:
    told = {name: clean(fields["details"][name]) for name in _KINDS if name in fields["details"]}
    return {"type": fields["type"], "details": told}


def _marked(before: str, now: str) -> str:
    """Put the mark of a grader's error before one that had it."""
    hidden = before.startswith(GRADER_ERROR) and not now.startswith(GRADER_ERROR)
    return f"{GRADER_ERROR}{now}" if hidden else now
