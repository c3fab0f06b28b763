"""What cannot become a cassette ends the trial, at whichever server it was said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proxies.mcp_kit import Stall, open_stall
from proxies.model_kit import HELLO, Ears, Reply, Upstream, ask_until_cut, serving
from runledger.errors import StoreError, TrialFault
from runledger.ledger.event import ToolCall, ToolResult
from runledger.proxies import Station
from runledger.proxies.faults import Faults
from runledger.store.cassette.masking import masking_for
from runledger.store.cassette.recording import Recorder
from runledger.store.cassette.weight import MOST_BYTES


@pytest.fixture
def stall(tmp_path: Path) -> Iterator[Stall]:
    """Give a stall of which nothing may survive the test."""
    with open_stall(tmp_path) as stall:
        yield stall


def recorder_in(place: Path) -> Recorder:
    """Make the recorder of a trial."""
    return Recorder(place / "c.jsonl", "c.jsonl", masking_for((), "00"))


def fill(recorder: Recorder) -> None:
    """Keep nearly all that may be kept."""
    recorder.keep(ToolCall("read", "1", {}), ToolResult("1", True, "x" * (MOST_BYTES - 500)))


def test_a_model_that_says_more_than_is_kept_ends_the_trial(tmp_path: Path) -> None:
    """The trial hears of it from the proxy, and nothing is written."""
    ears, recorder = Ears(), recorder_in(tmp_path)
    fill(recorder)
    with (
        Upstream([Reply(pieces=HELLO)]) as upstream,
        serving(upstream.url, ears, recorder=recorder) as server,
    ):
        ask_until_cut(server.url, body={"messages": []})

    assert [fault.kind for fault in ears.faults] == ["message_too_large"]
    assert "64 MiB" in str(ears.faults[0])
    with pytest.raises(StoreError, match="too much to be recorded"):
        recorder.commit()
    assert not (tmp_path / "c.jsonl").exists()


def test_a_status_that_no_cassette_can_hold_ends_the_trial(tmp_path: Path) -> None:
    """Else the cassette could be written, and never be read."""
    ears = Ears()
    with (
        Upstream([Reply(status=799, pieces=[b"x"])]) as upstream,
        serving(upstream.url, ears, recorder=recorder_in(tmp_path)) as server,
    ):
        ask_until_cut(server.url, body={"messages": []})

    assert [fault.kind for fault in ears.faults] == ["internal_error"]
    assert "POST /v1/messages was answered with the status 799" in str(ears.faults[0])


def test_a_server_that_says_more_than_is_kept_ends_the_trial(stall: Stall, tmp_path: Path) -> None:
    """It is handed over when the sessions have ended, which is not too late."""
    recorder = recorder_in(tmp_path)
    fill(recorder)
    station = Station(stall.told.append, stall.fault.put, Faults(), recorder=recorder)
    desk = stall.open(stall.raw("greet()\nreply(read(), 'x' * 1000)"), station)
    agent = stall.agent(desk)
    agent.begin()
    agent.ask(1, "tools/list")
    agent.finish()
    desk.close()

    fault = stall.fault.get_nowait()
    assert isinstance(fault, TrialFault)
    assert fault.kind == "message_too_large"


def test_a_tool_that_says_more_than_is_kept_ends_the_trial(tmp_path: Path) -> None:
    """All kinds are weighed together."""
    recorder = recorder_in(tmp_path)
    fill(recorder)

    with pytest.raises(TrialFault, match="over 64 MiB"):
        recorder.keep(ToolCall("read", "2", {}), ToolResult("2", True, "x" * 1000))
