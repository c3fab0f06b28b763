"""What an agent told about its session."""

from __future__ import annotations

import pytest

from runledger.ledger.event import Event, Happening, Log, Message, UsageReport
from runledger.ledger.session import SESSION, SessionFacts, session_of
from runledger.ledger.usage import Usage
from runledger.ledger.value import Json


def facts_of(*happenings: Happening) -> SessionFacts:
    """Gather what these events tell."""
    return session_of([Event(ms, what) for ms, what in enumerate(happenings)])


def told(**facts: Json) -> Log:
    """Make the event of an agent that tells of its session."""
    return Log("info", SESSION, facts)


def test_a_session_is_known_by_what_the_agent_tells() -> None:
    """Seed 004 section 5: model, version, tools and servers of a run are on record."""
    facts = facts_of(
        told(model="m1", version="2.1.197", tools=["Read", "Bash"], mcp_servers=["lens"])
    )

    assert facts == SessionFacts("m1", "2.1.197", ("Read", "Bash"), ("lens",))


def test_what_nobody_told_is_not_an_empty_list() -> None:
    """Silence about tools is not the same as having none."""
    assert facts_of(Message("hi")) == SessionFacts(None, None, None, None)
    assert facts_of(told(tools=[], mcp_servers=[])) == SessionFacts(None, None, (), ())


def test_the_last_telling_of_each_fact_counts() -> None:
    """A fact that is not told again stays."""
    facts = facts_of(told(model="m1", version="1"), told(model="m2", version=None))

    assert (facts.model, facts.version) == ("m2", "1")


def test_a_model_that_only_usage_names_is_known() -> None:
    """Agents of the stdio protocol name it there; what the session says goes before."""
    used = [UsageReport(Usage(1, model="m1")), UsageReport(Usage(2, model="m2"))]

    assert facts_of(*used, UsageReport(Usage(3))).model == "m2"
    assert facts_of(told(model="m0"), *used).model == "m0"


def test_names_are_texts_or_objects_that_have_one() -> None:
    """A server that could not be used was not had."""
    facts = facts_of(
        told(
            tools=[{"name": "Read", "description": "reads"}, "Bash", "Read"],
            mcp_servers=[
                {"name": "lens", "status": "connected"},
                {"name": "fs", "status": "failed"},
                {"name": "mail", "status": "needs-auth"},
                "echo",
            ],
        )
    )

    assert facts.tools == ("Read", "Bash")
    assert facts.mcp_servers == ("lens", "echo")


@pytest.mark.parametrize(
    "odd", [7, "Read", {"name": "Read"}, True, 1.5], ids=["int", "text", "object", "true", "float"]
)
def test_tools_that_are_no_list_were_not_told(odd: Json) -> None:
    """What has another shape than a list tells nothing."""
    assert facts_of(told(tools=odd, mcp_servers=odd)).tools is None


def test_items_that_have_no_name_are_left_out() -> None:
    """Numbers, nulls and nests among the tools break nothing."""
    odd: Json = [1, None, ["Read"], {"name": 3}, {"title": "x"}, {"name": "Bash", "status": 7}]

    assert facts_of(told(tools=odd)).tools == ("Bash",)


@pytest.mark.parametrize("odd", [7, ["m"], {"id": "m"}, "", "  "])
def test_a_model_that_is_no_text_was_not_told(odd: Json) -> None:
    """Nor is an empty one."""
    assert facts_of(told(model=odd, version=odd)) == SessionFacts()


def test_a_huge_model_is_cut() -> None:
    """It stands in every line of the results."""
    found = facts_of(told(model="m " * 1_000_000)).model

    assert found is not None
    assert len(found) <= 200


def test_only_the_log_of_the_session_tells_of_it() -> None:
    """Other logs, and a log that holds no object, are none of it."""
    logs = [Log("info", "started", {"model": "m"}), Log("info", SESSION, ["m"])]

    assert facts_of(*logs, Log("info", SESSION)) == SessionFacts()
