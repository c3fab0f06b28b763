"""What the formats know but this version does not do yet: refused aloud, never ignored."""

from __future__ import annotations

from .document import SuiteConfig


def why_unavailable(config: SuiteConfig) -> str | None:
    """Say that the sandbox of a suite does nothing yet, and what to do instead."""
    if config.sandbox == "none":
        return None
    return f"sandbox {config.sandbox} is not available in this version yet; use none"
