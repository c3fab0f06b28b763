"""What the tests of drivers share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_kit import AcpStage
from kit import survivors
from runledger.process.supervisor import Supervisor


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[AcpStage]:
    """Give a stage for ACP peers, and see that nothing of them stays behind."""
    (tmp_path / "work").mkdir()
    with Supervisor() as supervisor:
        stage = AcpStage(supervisor, tmp_path / "work")
        yield stage
        assert list(survivors(stage.mark)) == []
