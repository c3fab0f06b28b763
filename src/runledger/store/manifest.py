"""How a manifest is written as manifest.json, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..ledger.manifest import Enclosure, Manifest, PlannedCase
from ..ledger.sound import WRONG, sound, what_is_wrong
from ..ledger.suite import Thresholds
from ..ledger.value import Json
from .lines import decode
from .plain import read_plain

SCHEMA_VERSION = 1
MANIFEST = "manifest.json"


def manifest_fields(manifest: Manifest) -> dict[str, Json]:
    """Write a manifest as its file shows it."""
    thresholds = manifest.thresholds
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": manifest.run_id,
        "suite_name": manifest.suite_name,
        "mode": manifest.mode,
        "started": manifest.started,
        "versions": dict(manifest.versions),
        "suite": {"directory": manifest.suite_directory, "sha256": manifest.suite_sha256},
        "agent": {"command": list(manifest.command), "sha256": manifest.command_sha256},
        "agent_sha256": manifest.agent_sha256,
        "programs": dict(manifest.programs),
        "baseline": _baseline_fields(manifest),
        "sandbox": _sandbox_fields(manifest.sandbox),
        "trials": manifest.trials,
        "jobs": manifest.jobs,
        "regression": asdict(thresholds) if thresholds else None,
        "not_chosen": list(manifest.not_chosen),
        "cases": [_case_fields(case) for case in manifest.cases],
    }


def read_manifest(path: Path) -> Manifest:
    """Read the manifest of a run directory, or say why it is none that we can read."""
    file = path / MANIFEST
    try:
        fields = decode(read_plain(file))
        if not isinstance(fields, dict) or fields.get("schema_version") != SCHEMA_VERSION:
            raise UsageError(f"{file} was written by another version of RunLedger")
        return sound(_manifest_from(fields))
    except FileNotFoundError:
        raise UsageError(f"{path} is not a run directory: it has no {MANIFEST}") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except WRONG as error:
        raise UsageError(f"{file} is no manifest of a run: {what_is_wrong(error)}") from error


def _manifest_from(fields: Mapping[str, Any]) -> Manifest:
    suite, agent, thresholds = fields["suite"], fields["agent"], fields["regression"]
    return Manifest(
        run_id=fields["run_id"],
        suite_name=fields["suite_name"],
        mode=fields["mode"],
        started=fields["started"],
        cases=tuple(_case_from(case) for case in fields["cases"]),
        not_chosen=tuple(fields["not_chosen"]),
        trials=fields["trials"],
        jobs=fields["jobs"],
        thresholds=None if thresholds is None else Thresholds(**thresholds),
        suite_directory=suite["directory"],
        suite_sha256=suite["sha256"],
        command=tuple(agent["command"]),
        command_sha256=agent["sha256"],
        agent_sha256=fields.get("agent_sha256", ""),
        programs=fields.get("programs", {}),
        baseline=(fields.get("baseline") or {}).get("path"),
        baseline_sha256=(fields.get("baseline") or {}).get("sha256"),
        versions=fields["versions"],
        sandbox=Enclosure(**fields.get("sandbox", {})),
    )


def _sandbox_fields(sandbox: Enclosure) -> dict[str, Json]:
    if sandbox.kind == "none":
        return {"kind": "none"}
    return {"kind": sandbox.kind, "version": sandbox.version, "network": sandbox.network}


def _baseline_fields(manifest: Manifest) -> Json:
    if manifest.baseline is None:
        return None
    return {"path": manifest.baseline, "sha256": manifest.baseline_sha256}


def _case_fields(case: PlannedCase) -> dict[str, Json]:
    fields: dict[str, Json] = {"id": case.id, "sha256": case.sha256}
    if case.description is not None:
        fields["description"] = case.description
    if case.tags:
        fields["tags"] = list(case.tags)
    if case.cassette is None:
        return fields
    return {**fields, "cassette": case.cassette, "cassette_sha256": case.cassette_sha256}


def _case_from(fields: Mapping[str, Any]) -> PlannedCase:
    return PlannedCase(
        id=fields["id"],
        sha256=fields["sha256"],
        description=fields.get("description"),
        tags=tuple(fields.get("tags", ())),
        cassette=fields.get("cassette"),
        cassette_sha256=fields.get("cassette_sha256"),
    )
