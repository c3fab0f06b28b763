"""The protocol of an experiment's run: all that its author wrote, in one file beside its record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import UsageError
from ..ledger.experiment import Protocol
from ..ledger.fingerprint import fingerprint, hash_changes
from ..ledger.sound import WRONG, sound, what_is_wrong
from ..ledger.value import Json
from .lines import encode
from .plain import read_plain

PROTOCOL = "protocol.yaml"
SCHEMA_VERSION = 1
REDACTED = "[REDACTED"
Clean: TypeAlias = Callable[[Json], Json]

_HEADING = "# The experiment as it was run; RunLedger reads it again, so leave it as it is."


def protocol_text(protocol: Protocol, seed: int, clean: Clean) -> str:
    """Write protocol.yaml; `clean` takes secrets out of what the author wrote."""
    told = _without_secrets(protocol, clean)
    fields: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "sha256": protocol.sha256,
        "directory": protocol.directory,
        "seed": seed,
        "experiment": told.experiment,
        "suffixes": told.suffixes,
        "adapter": told.adapter,
        "tasks": told.tasks,
    }
    return f"{_HEADING}\n{_dumped(_plain(fields))}"


def _without_secrets(protocol: Protocol, clean: Clean) -> Protocol:
    """Take secrets out, but for names of conditions, by which attempts are found again."""

    def cleaned(value: Any) -> Any:
        return clean(value)

    experiment = dict(cleaned(protocol.experiment))
    if isinstance(conditions := protocol.experiment.get("conditions"), Mapping):
        experiment["conditions"] = dict(zip(conditions, cleaned(conditions).values(), strict=True))
    return replace(
        protocol,
        experiment=experiment,
        suffixes=dict(zip(protocol.suffixes, cleaned(protocol.suffixes).values(), strict=True)),
        adapter=cleaned(protocol.adapter),
        tasks=cleaned(list(protocol.tasks)),
    )


def protocol_hash(
    experiment: Json, suffixes: Mapping[str, str], tasks: Sequence[Json], adapter: Json
) -> str:
    """Hash all that an author wrote, wherever it lies."""
    return fingerprint(
        {
            "experiment": experiment,
            "suffixes": dict(suffixes),
            "tasks": list(tasks),
            "adapter": adapter,
        }
    )


def is_redacted(protocol: Protocol) -> bool:
    """Say whether secrets were taken out of a protocol, so that nobody can run by it."""
    parts = [protocol.experiment, protocol.suffixes, protocol.adapter, list(protocol.tasks)]
    return REDACTED.encode() in encode(parts)  # in names, too


def changes_between(before: Protocol, now: Protocol, clean: Clean) -> Iterator[str]:
    """Name what an author changed; `clean` takes out the secrets, which a protocol never has."""
    return hash_changes(_parts(before), _parts(_without_secrets(now, clean)), "changed")


def _parts(protocol: Protocol) -> dict[str, str]:
    """Hash every part of a protocol that can be named."""
    found = {f"{name} of the experiment": value for name, value in protocol.experiment.items()}
    found["the text after the prompt"] = dict(protocol.suffixes)
    found["the adapter"] = protocol.adapter
    found |= {f"task {task['id']}": task for task in protocol.tasks}
    return {name: fingerprint(value) for name, value in found.items()}


def read_protocol(path: Path) -> tuple[Protocol, int]:
    """Read the protocol in a run directory, and the seed of its plan."""
    file = path / PROTOCOL
    try:
        fields = _loaded(read_plain(file))
        if not isinstance(fields, dict) or fields.get("schema_version") != SCHEMA_VERSION:
            raise UsageError(f"{file} is damaged, or of another version of RunLedger")
        protocol = sound(_protocol_from(fields))
        _refuse_changed(protocol, file)
        return protocol, int(fields["seed"])
    except FileNotFoundError:
        raise UsageError(f"{path} is not the run of an experiment: it has no {PROTOCOL}") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except WRONG as error:
        raise UsageError(f"{file} is damaged: {what_is_wrong(error)}") from error


def _refuse_changed(protocol: Protocol, file: Path) -> None:
    """Refuse a protocol that is not what was run; of one without its secrets nobody can tell."""
    kept = protocol.experiment, protocol.suffixes, protocol.tasks, protocol.adapter
    if not is_redacted(protocol) and protocol_hash(*kept) != protocol.sha256:
        raise UsageError(
            f"{file} was changed after its run: it does not have the hash that it tells; "
            "restore it, or change the experiment's own file and run that"
        )


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

    text, loader = raw.decode("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, loader)):
            raise ValueError("it holds aliases, which are never written here")  # maybe a bomb
        return yaml.load(text, loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error).partition("\n")[0]) from error
