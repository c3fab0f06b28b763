"""Where the answers of a trial come from, and where they go: recorded, real, or being recorded."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..capture.workspace import Ground
from ..errors import CassetteError
from ..ledger.suite import Suite, record_command
from ..ledger.task import Task
from ..suite.tree import label_of
from ..tools import ToolSource
from .furnish import secrets_of_cassettes

if TYPE_CHECKING:
    from ..store.cassette.recording import Recorder
    from ..store.replay.player import Player
    from ..tools.toolbox import Toolbox

SHORTEST_PLACE = 4  # a shorter path stands in too many texts by chance


@dataclass(frozen=True, slots=True)
class Deck:
    """The answers of one trial: for its tools, and for all other servers that it is offered."""

    source: ToolSource
    player: Player | None = None
    recorder: Recorder | None = None


OpenDeck: TypeAlias = Callable[[Task, Ground], Deck]


def decks_for(suite: Suite, toolbox: Toolbox | None) -> OpenDeck:
    """Give the function that opens the answers of a task; it raises CassetteError."""
    if toolbox is None:
        return partial(_replay, suite, secrets_of_cassettes(suite, os.environ))
    if suite.mode == "record":
        return partial(_record, suite, toolbox, secrets_of_cassettes(suite, os.environ))
    return lambda task, ground: Deck(toolbox.open())


def _replay(suite: Suite, secrets: Sequence[str], task: Task, ground: Ground) -> Deck:
    from ..store.cassette.load import (
        load_cassette,  # agents with tools of their own pay nothing for it
    )
    from ..store.cassette.masking import mask_for
    from ..store.replay.player import Player
    from ..tools.replay import Replay

    file, shown = _cassette_of(suite, task)
    cassette = load_cassette(file, shown)
    command = record_command(label_of(Path(suite.directory)), task.id)
    mask = mask_for(secrets, cassette)
    player = Player(cassette, suite.cassettes, command, mask, _places(suite, ground))
    return Deck(Replay(player), player=player)


def _record(
    suite: Suite, toolbox: Toolbox, secrets: Sequence[str], task: Task, ground: Ground
) -> Deck:
    from ..store.cassette.masking import masking_for
    from ..store.cassette.recording import Recorder, salt_of
    from ..tools.record import Record

    file, shown = _cassette_of(suite, task)
    masking = masking_for(secrets, salt_of(file) or os.urandom(8).hex())
    recorder = Recorder(file, shown, masking, _places(suite, ground))
    return Deck(Record(toolbox.open(), recorder), recorder=recorder)


def _places(suite: Suite, ground: Ground) -> dict[str, str]:
    """Name the directories that are elsewhere when a case is replayed on another machine."""
    if not suite.proxies.models and not suite.proxies.servers:
        return {}
    home = ground.home or os.environ.get("HOME", "")
    found = {"workspace": ground.directory, "home": home, "suite": suite.directory}
    return {name: path for name, path in found.items() if len(path) >= SHORTEST_PLACE}


def _cassette_of(suite: Suite, task: Task) -> tuple[Path, str]:
    if task.cassette is None:  # which a suite loaded for replay or record cannot lack
        raise CassetteError(task.id, None, "the case has no cassette")
    return Path(suite.directory, task.cassette), task.cassette
