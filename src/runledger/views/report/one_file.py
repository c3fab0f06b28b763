"""A report as one file that needs nothing else: a template, a style, a script and packed lines."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # loaded when a report is written: importing it takes a while
    from jinja2 import Template

SHARED = "runledger.views.report"
"""Where the assets are that all reports use, each in the package's folder `page`."""
SHARED_SCRIPTS = (
    "text", "blocks", "unpack", "frame", "address", "table", "item", "keys", "page",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """What a report has of its own: a package's page.html and page.css, and these scripts."""

    package: str
    scripts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Room:
    """How many bytes of packed lines a file may hold."""

    packed: int  # so that a browser opens the file at once
    plain: int  # the same once unpacked: what packs well must not fill its memory


def assemble(source: Source, overview: object, packed: bytes) -> str:
    """Write the file; its policy allows just its one style and its one script."""
    style, script = _style(source), _script(source)
    return _template(source).render(
        overview=overview,
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
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


@cache
def _template(source: Source) -> Template:
    """Load page.html of a report, once; what it extends and imports is its own or shared."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    packages = dict.fromkeys((source.package, SHARED))
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, "page") for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html")


def _style(source: Source) -> str:
    return f"{_asset(SHARED, 'look.css')}\n{_asset(source.package, 'page.css')}"


def _script(source: Source) -> str:
    """Read the scripts: first those that say what the report is, last the one that begins it."""
    own = [_asset(source.package, f"{name}.js") for name in source.scripts]
    return "\n".join([*own, *(_asset(SHARED, f"{name}.js") for name in SHARED_SCRIPTS)])


def _asset(package: str, name: str) -> str:
    from importlib.resources import files  # lazily: importing it takes a while

    return files(package).joinpath("page", name).read_text("utf-8")


def _hash(source: str) -> str:
    return "sha256-" + b64encode(sha256(source.encode()).digest()).decode()
