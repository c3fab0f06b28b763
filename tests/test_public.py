"""The public face: names, versions, what importing costs."""

from __future__ import annotations

import subprocess
import sys

import runledger


def test_every_public_name_can_be_imported() -> None:
    """`__all__` is what there is, and there is little of it."""
    for name in runledger.__all__:
        assert getattr(runledger, name) is not None
    assert set(runledger.__all__) == {*runledger.HOMES, "__version__"}
    assert len(runledger.__all__) <= 20


def test_an_unknown_name_is_an_attribute_error() -> None:
    """The lazy exports do not hide a typing mistake."""
    assert not hasattr(runledger, "run_suit")


def loaded_by(words: str) -> set[str]:
    """List the modules that a fresh interpreter has loaded after some words of Python."""
    source = f"import sys; {words}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_does_nothing_and_loads_nothing() -> None:
    """Importing the package pays for no dependency."""
    heavy = {"typer", "rich", "pydantic", "yaml", "jsonschema", "jinja2", "orjson", "re2"}

    assert not heavy & loaded_by("import runledger")


def test_the_version_is_cheap() -> None:
    """`runledger --version` loads neither the parser nor any room."""
    words = "sys.argv[1:] = ['--version']; from runledger.cli import main; main()"
    modules = loaded_by(words)

    assert not {"typer", "rich", "pydantic", "orjson", "runledger.harness"} & modules


def test_a_run_in_ci_loads_neither_rich_nor_jinja() -> None:
    """What a plain run does not use, it does not pay for."""
    words = "from runledger.harness import suite_run; from runledger.cli import show, progress"

    assert not {"rich", "jinja2", "jsonschema", "re2", "asyncio"} & loaded_by(words)
