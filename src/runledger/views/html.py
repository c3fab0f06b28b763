"""report.html: the run for a person who wants to know why, in one file that needs nothing else."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TypeAlias

from ..ledger.run import Summary
from ..store.traces import Trace
from .report.overview import overview_of
from .report.rows import by_need, rows_line
from .report.trials import case_line

PACKED_BYTES = 8_000_000  # of all traces, so that a browser opens the file at once
PLAIN_BYTES = 100_000_000  # of the same once unpacked: what packs well must not fill its memory
SCRIPTS = ("text", "json", "unpack", "rows", "plots", "list", "trace", "case", "page")

Traces: TypeAlias = Callable[[str], Iterable[Trace]]
"""Give the traces of a case by its id."""


def no_traces(case_id: str) -> Iterable[Trace]:
    """Be the traces of a run whose log is not at hand."""
    return ()


def render(summary: Summary, traces: Traces = no_traces) -> str:
    """Write report.html; traces beyond its bounds are left out, those of passing cases first."""
    from jinja2 import Environment, StrictUndefined  # lazily: importing it takes a while

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    style = _asset("page.css")
    script = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return environment.from_string(_asset("page.html")).render(
        overview=overview_of(summary),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        packed=b64encode(_packed(summary, traces)).decode(),
    )


def _packed(summary: Summary, traces: Traces) -> bytes:
    """Deflate the rows and, line by line, the traces, as long as there is room for them."""
    cases = by_need(summary)
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = bytearray(packer.compress(rows_line(summary, cases)))
    plain = 0
    for case in cases:
        if len(packed) > PACKED_BYTES or plain > PLAIN_BYTES:
            break
        line = case_line(case, traces(case.id))
        plain += len(line)
        packed += packer.compress(line)
    return bytes(packed + packer.flush())


def _asset(name: str) -> str:
    from importlib.resources import files  # lazily, as above

    return files("runledger.views.report").joinpath("page", name).read_text("utf-8")


def _hash(source: str) -> str:
    return "sha256-" + b64encode(sha256(source.encode()).digest()).decode()
