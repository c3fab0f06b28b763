"""What of an HTTP exchange may be kept."""

from __future__ import annotations

import pytest

from runledger.store.cassette.public import public_path


@pytest.mark.parametrize(
    ("path", "public"),
    [
        ("/v1/messages?beta=true", "/v1/messages?beta=true"),
        ("/v1beta/models/g:stream?alt=sse&key=AIzaX", "/v1beta/models/g:stream?alt=sse"),
        ("/v1beta/models?key=AIzaX", "/v1beta/models"),
        ("/x?API%5FKEY=1&b=2", "/x?b=2"),
        ("/x?access_token=1&b=%20&b=2", "/x?b=%20&b=2"),
        ("/x?page_token=7&api-version=2024", "/x?page_token=7&api-version=2024"),
        ("/x?", "/x?"),
        ("/x", "/x"),
    ],
)
def test_a_path_is_public_without_the_keys_in_its_query(path: str, public: str) -> None:
    """All else in it stays as it came."""
    assert public_path(path) == public
