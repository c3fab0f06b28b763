"""A report as one file that needs nothing else: a template, a style, a script and packed lines."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

SHARED = "runledger.views.report"
"""Where the assets are that all reports use, each in the package's folder `page`."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a report is put together from, all of it text."""

    template: str
    style: str
    script: str


@dataclass(frozen=True, slots=True)
class Room:
    """How many bytes of packed lines a file may hold."""

    packed: int  # so that a browser opens the file at once
    plain: int  # the same once unpacked: what packs well must not fill its memory


def assets(package: str, *names: str) -> str:
    """Read the assets of a package, one after the other."""
    from importlib.resources import files  # lazily: importing it takes a while

    page = files(package).joinpath("page")
    return "\n".join(page.joinpath(name).read_text("utf-8") for name in names)


def scripts(package: str, names: Sequence[str]) -> str:
    """Read the scripts of a package, one after the other."""
    return assets(package, *(f"{name}.js" for name in names))


def assemble(source: Source, overview: object, packed: bytes) -> str:
    """Write the file; its policy allows just its one style and its one script."""
    from jinja2 import Environment, StrictUndefined  # lazily, as above

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.from_string(source.template).render(
        overview=overview,
        style=source.style,
        style_hash=_hash(source.style),
        script=source.script,
        script_hash=_hash(source.script),
        packed=b64encode(packed).decode(),
    )


def packed(head: bytes, lines: Iterable[bytes], room: Room) -> bytes:
    """Deflate the head and, one by one, the lines, as long as there is room for them."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    done = bytearray(packer.compress(head))
    plain, rest = 0, iter(lines)
    while len(done) <= room.packed and plain <= room.plain:
        if (line := next(rest, None)) is None:
            break
        plain += len(line)
        done += packer.compress(line)
    return bytes(done + packer.flush())


def _hash(source: str) -> str:
    return "sha256-" + b64encode(sha256(source.encode()).digest()).decode()
