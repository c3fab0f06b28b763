"""The keys a user may write in a profile, with the shape of each value."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .document import Document, Name, Text


class RuleSpec(Document):
    """`rules[]`: a text that varies between identical runs, and what stands for it."""

    pattern: Text
    replace: str
    path: Text | None = None


class ProfileConfig(Document):
    """A profile, as its author wrote it."""

    schema_version: Literal[1] = 1
    name: Name
    version: Annotated[int, Field(ge=1)]
    rules: list[RuleSpec]
