"""The protocol of an experiment's run: all that its author wrote, in one file beside its record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import UsageError
from ..ledger.experiment import Protocol
from ..ledger.value import Json

PROTOCOL = "protocol.yaml"
SCHEMA_VERSION = 1
Clean: TypeAlias = Callable[[Json], Json]

_HEADING = "# The experiment as it was run; RunLedger reads it again, so leave it as it is."


def protocol_text(protocol: Protocol, seed: int, clean: Clean) -> str:
    """Write protocol.yaml; `clean` takes secrets out of what the author wrote."""
    fields: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "sha256": protocol.sha256,
        "directory": protocol.directory,
        "seed": seed,
        "experiment": clean(protocol.experiment),
        "suffixes": clean(protocol.suffixes),
        "adapter": clean(protocol.adapter),
        "tasks": clean(protocol.tasks),
    }
    return f"{_HEADING}\n{_dumped(_plain(fields))}"


def read_protocol(path: Path) -> tuple[Protocol, int]:
    """Read the protocol in a run directory, and the seed of its plan."""
    file = path / PROTOCOL
    try:
        fields = _loaded(file.read_bytes())
        if not isinstance(fields, dict) or fields.get("schema_version") != SCHEMA_VERSION:
            raise UsageError(f"{file} was written by another version of RunLedger")
        return _protocol_from(fields), int(fields["seed"])
    except FileNotFoundError:
        raise UsageError(f"{path} is not the run of an experiment: it has no {PROTOCOL}") from None
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise UsageError(f"{file} cannot be read: {error!r}") from error


def _protocol_from(fields: Mapping[str, Any]) -> Protocol:
    return Protocol(
        sha256=fields["sha256"],
        directory=fields["directory"],
        experiment=dict(fields["experiment"]),
        suffixes=dict(fields["suffixes"]),
        tasks=[dict(task) for task in fields["tasks"]],
        adapter=fields["adapter"],
    )


def _plain(value: Json) -> Json:
    """Copy a value so that nothing in it is shared: what is, YAML writes as an alias."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _dumped(value: Json) -> str:
    import yaml  # only experiments pay for it

    class Readable(yaml.SafeDumper):
        """Write texts of several lines as blocks, as a person would."""

    def text(dumper: yaml.SafeDumper, found: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", found, _style(found))

    Readable.add_representer(str, text)
    return yaml.dump(value, Dumper=Readable, sort_keys=False, allow_unicode=True, width=100)


def _style(text: str) -> str | None:
    """Choose how a text is written so that it reads back as it was."""
    if not text.replace("\n", "").isprintable():
        return '"'  # in which every odd character, such as U+0085, is spelled out
    return "|" if "\n" in text.strip() else None


def _loaded(raw: bytes) -> Any:
    import yaml

    try:
        return yaml.load(raw.decode("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ValueError(str(error).partition("\n")[0]) from error
