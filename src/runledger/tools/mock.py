"""A search that finds the same few documents everywhere, for demos that name it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..ledger.fingerprint import preview
from ..ledger.value import Json

DOCUMENTS: Mapping[str, str] = {
    "Resetting a password": "Choose Security in the settings, then Reset password.",
    "Refunds": "An order is refunded within 14 days of delivery, to the card that paid for it.",
    "Rate limits": "An account may send 60 requests a minute; more are answered with status 429.",
    "Exporting your work": "Choose Export in a project's menu to get all of it as one archive.",
    "Inviting a colleague": "An owner invites people by mail address on the Members page.",
}
MOST_HITS = 3


def mock_search_docs(args: Json) -> Json:
    """Find the documents that share most words with {"q": text}, best first."""
    query = args.get("q") if isinstance(args, Mapping) else None
    if not isinstance(query, str):
        raise ValueError(f'"q" must be a text, found {preview(query, 60)}')
    wanted = _words(query)
    scored = [(len(wanted & _words(f"{title} {text}")), title) for title, text in DOCUMENTS.items()]
    best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])[:MOST_HITS]
    return {"hits": [{"title": title, "text": DOCUMENTS[title]} for _, title in best]}


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"\w+", text.lower()) if len(word) > 2)
