"""Patterns of our own over bytes, run on RE2: in linear time, whatever the text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

MEMORY = 64 << 20  # RE2 takes only what it needs of it; with less, large patterns become slow


@lru_cache(maxsize=1024)
def linear(pattern: bytes) -> re.Pattern[bytes]:
    """Compile a pattern; what comes back is used as one of `re`, but has no look-around."""
    import re2  # only what redacts pays for it

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes as they are: nothing can be invalid
    options.max_mem = MEMORY
    options.log_errors = False  # it would write to our standard error
    return cast("re.Pattern[bytes]", re2.compile(pattern, options))
