"""The ACP driver with peers that speak the protocol by hand: what they say, and what it means."""

from __future__ import annotations

import pytest

from acp_kit import AcpStage
from runledger.agents.conformance import check_driver
from runledger.ledger.event import (
    FinalOutput,
    Log,
    Message,
    Plan,
    Raw,
    TaskError,
    Thought,
    UsageReport,
)
from runledger.ledger.suite import McpServer
from runledger.ledger.task import Task
from runledger.ledger.usage import Usage
from runledger.ledger.value import Json


def test_the_driver_conforms(stage: AcpStage) -> None:
    """The ACP driver keeps to what every driver keeps to."""
    driver = stage.driver("p = prompted(); say('hi'); end(p); read()")

    check_driver(driver, Task("t1", "hello"), str(stage.directory))


def test_every_message_is_told_as_it_came_and_before_what_it_means(stage: AcpStage) -> None:
    """Both ways, in order."""
    story = stage.play("p = prompted(); think('hm'); call('c1', status='completed'); end(p)")

    kinds = [
        (one.direction, one.data.get("method", "answer"))
        if isinstance(one, Raw) and isinstance(one.data, dict)
        else type(one).__name__
        for one in story.all
    ]
    assert kinds == [
        ("to_agent", "initialize"),
        ("from_agent", "answer"),
        ("to_agent", "session/new"),
        ("from_agent", "answer"),
        ("to_agent", "session/prompt"),
        ("from_agent", "session/update"),
        ("from_agent", "session/update"),
        "Thought",
        "ToolCall",
        "ToolResult",
        ("from_agent", "answer"),
        "FinalOutput",
    ]


def test_the_greeting_says_who_we_are_where_and_with_which_servers(stage: AcpStage) -> None:
    """Nothing is offered that was not asked for, and the list of servers is always there."""
    server = McpServer("echo", "python", ("-m", "echo"), {"KEY": "v"})
    story = stage.play(
        "hello, new = open_session(); p = read(); say(json.dumps([hello, new, p])); end(p)",
        servers=(server,),
    )

    (output,) = story.of(FinalOutput)
    sent = [one.data for one in story.raws if one.direction == "to_agent"]
    hello, new, prompt = sent
    assert isinstance(output.output, str)
    assert isinstance(hello, dict)
    assert hello["params"] == {
        "protocolVersion": 1,
        "clientCapabilities": {
            "fs": {"readTextFile": False, "writeTextFile": False},
            "terminal": False,
        },
        "clientInfo": hello["params"]["clientInfo"],
    }
    env = [{"name": "KEY", "value": "v"}]
    servers = [{"name": "echo", "command": "python", "args": ["-m", "echo"], "env": env}]
    assert isinstance(new, dict)
    assert new["params"] == {"cwd": str(stage.directory), "mcpServers": servers}
    assert isinstance(prompt, dict)
    text = [{"type": "text", "text": "hello"}]
    assert prompt["params"] == {"sessionId": "s1", "prompt": text}


def test_pieces_of_a_message_or_a_thought_are_one_step(stage: AcpStage) -> None:
    """Another kind of step, or another message id, begins a new one; empty pieces are none."""
    story = stage.play("""
        p = prompted()
        think("I "); think("think")
        say(""); say("so"); say(" I am.", messageId="a")
        update("available_commands_update", availableCommands=[])
        say(" There", messageId="a"); say("fore", messageId="b")
        call("c1", status="pending")
        say("!")
        end(p)
    """)

    spoken = [one for one in story.said if isinstance(one, (Message, Thought, FinalOutput))]
    assert spoken == [
        Thought("I think"),
        Message("so"),
        Message(" I am. There"),
        Message("fore"),
        Message("!"),
        FinalOutput("so I am. Therefore!"),
    ]


def test_what_is_not_text_is_shown_in_brackets(stage: AcpStage) -> None:
    """Links, resources and images have a place in the message."""
    story = stage.play("""
        p = prompted()
        for block in [
            {"type": "resource_link", "name": "a.txt", "uri": "file:///a.txt"},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "(inside)"}},
            {"type": "resource", "resource": {"uri": "file:///c", "blob": "AA=="}},
            {"type": "image", "mimeType": "image/png", "data": "AA=="},
            {"type": "hologram"}, {}, None, 7,
        ]:
            update("agent_message_chunk", content=block)
        end(p)
    """)

    shown = "[a.txt](file:///a.txt)(inside)[resource file:///c][image image/png][hologram]"
    assert story.said == [Message(shown), FinalOutput(shown)]


def test_a_plan_replaces_the_plan(stage: AcpStage) -> None:
    """Each is a step with all its entries."""
    story = stage.play("""
        p = prompted()
        update("plan", entries=[{"content": "a", "status": "pending"}])
        update("plan", entries=[{"content": "a", "status": "completed"}])
        update("plan", entries="none")
        end(p)
    """)

    assert [one.entries for one in story.of(Plan)] == [
        [{"content": "a", "status": "pending"}],
        [{"content": "a", "status": "completed"}],
    ]


def test_unknown_updates_and_notifications_are_kept_as_they_came(stage: AcpStage) -> None:
    """They mean nothing to us, and nothing of them is lost."""
    story = stage.play("""
        p = prompted()
        update("horoscope", sign="lion")
        send(method="_vendor/news", params=[1])
        send(method="session/update", params={"sessionId": "s1", "update": 7})
        send(method="session/update")
        end(p)
    """)

    assert story.said == [FinalOutput("")]
    heard = str([one.data for one in story.raws])
    assert "horoscope" in heard
    assert "_vendor/news" in heard


@pytest.mark.parametrize(
    "input", [["one", "two"], {"prompt": ["one", "two"], "more": 1}], ids=["list", "object"]
)
def test_several_prompts_are_turns_of_one_session(stage: AcpStage, input: Json) -> None:
    """Each is sent when the former turn has ended; the answer is the last turn's."""
    story = stage.play(
        """
        open_session()
        for _ in range(2):
            p = read()
            say(p["params"]["prompt"][0]["text"] + "!")
            end(p, usage={"inputTokens": 10, "outputTokens": 2})
        """,
        input=input,
    )

    report = UsageReport(Usage(10, 2))
    assert story.said == [Message("one!"), report, Message("two!"), report, FinalOutput("two!")]


@pytest.mark.parametrize("reason", ["end_turn", "refusal", "max_tokens", "max_turn_requests"])
def test_the_stop_reason_is_part_of_the_end(stage: AcpStage, reason: str) -> None:
    """Whatever it is, there was an answer."""
    story = stage.play(f"p = prompted(); say('well'); end(p, {reason!r}); read()")

    assert story.said[-1] == FinalOutput("well")
    assert (story.exit.stop_reason, story.exit.code) == (reason, 0)


def test_a_turn_that_cancels_itself_is_an_error(stage: AcpStage) -> None:
    """Nobody asked for it."""
    story = stage.play("p = prompted(); say('well'); end(p, 'cancelled')")

    assert story.said[-1] == TaskError("the turn was cancelled, though nobody asked for it")


def test_what_is_said_before_the_task_is_no_step(stage: AcpStage) -> None:
    """A welcome is kept as it came, and is not the answer."""
    story = stage.play("""
        reply(read(), {"protocolVersion": 1})
        new = read(); say("Welcome!"); reply(new, {"sessionId": "s1"})
        p = read(); say("done"); end(p)
    """)

    assert story.said == [Message("done"), FinalOutput("done")]


def test_messages_may_come_in_pieces_and_together(stage: AcpStage) -> None:
    """Lines are found whatever the writes were."""
    story = stage.play("""
        p = prompted()
        def line(text):
            told = {"sessionUpdate": "agent_message_chunk",
                    "content": {"type": "text", "text": text}}
            message = {"method": "session/update", "params": {"sessionId": "s1", "update": told}}
            text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False)
            return text.encode() + b"\\r\\n\\n"
        whole = line("grün ") + line("und ") + line("weiß")
        for at in range(0, len(whole), 7):
            os.write(1, whole[at:at + 7])
        end(p)
    """)

    assert story.said == [Message("grün und weiß"), FinalOutput("grün und weiß")]


USED = [
    ("end(p, usage={'inputTokens': 5, 'outputTokens': 7})", Usage(5, 7)),
    (
        "end(p, usage={'inputTokens': 5, 'outputTokens': 7, 'cachedReadTokens': 100,"
        " 'cachedWriteTokens': 20, 'totalTokens': 132})",
        Usage(125, 7),
    ),
    (
        "end(p, usage={'inputTokens': 105, 'outputTokens': 7, 'cachedReadTokens': 100,"
        " 'totalTokens': 112})",
        Usage(105, 7),
    ),
    (
        "end(p, _meta={'quota': {'token_count': {'input_tokens': 5, 'output_tokens': 7}}})",
        Usage(5, 7),
    ),
    (
        "u = {'usage': {'inputTokens': 5, 'outputTokens': 7, 'totalTokens': 12}};"
        "say('', _meta=u); say('', _meta=u); end(p)",
        Usage(10, 14),
    ),
    (
        "update('usage_update', used=1, size=9, cost={'amount': 0.5, 'currency': 'USD'});"
        "update('usage_update', used=1, size=9); end(p)",
        Usage(cost_usd=0.5),
    ),
]


@pytest.mark.parametrize(
    ("source", "usage"), USED, ids=["plain", "beside", "among", "gemini", "qwen", "cost"]
)
def test_usage_is_read_where_agents_put_it(stage: AcpStage, source: str, usage: Usage) -> None:
    """Cached tokens count as tokens in, once, whichever way the agent counts them."""
    story = stage.play(f"p = prompted(); {source}")

    assert story.said[-2:] == [UsageReport(usage), FinalOutput("")]


@pytest.mark.parametrize(
    "usage", ["7", "{'inputTokens': -1}", "{'inputTokens': 'many', 'outputTokens': True}"]
)
def test_usage_of_a_strange_shape_is_no_usage(stage: AcpStage, usage: str) -> None:
    """Unknown is not 0."""
    story = stage.play(f"p = prompted(); end(p, usage={usage})")

    assert story.said == [FinalOutput("")]


def test_cost_adds_up_over_turns_and_after_the_last_one(stage: AcpStage) -> None:
    """An agent tells the sum of the session: each report has what is new; other money is none."""
    story = stage.play(
        """
        open_session({"models": {"currentModelId": "m1"}})
        def cost(amount, currency="USD"):
            money = {"amount": amount, "currency": currency}
            update("usage_update", used=1, size=9, cost=money)
        p = read(); cost(0.25); end(p)
        p = read(); cost(1.0); cost(7.0, "EUR"); end(p)
        cost(1.5)
        """,
        input=["one", "two"],
    )

    costs = [Usage(cost_usd=amount, model="m1") for amount in (0.25, 0.75, 0.5)]
    assert [one.usage for one in story.of(UsageReport)] == costs


def test_what_an_agent_says_late_is_heard_until_it_leaves(stage: AcpStage) -> None:
    """After its answer it may finish its sentences, but not change its answer."""
    story = stage.play("""
        p = prompted(); call("c1"); say("done"); end(p)
        more("c1", status="completed", rawOutput="late")
        say("bye"); send(id="x", method="fs/read_text_file", params={})
        print("no JSON at all"); sys.stdout.flush()
        sys.stdin.read(); sys.exit(3)
    """)

    assert [type(one).__name__ for one in story.said[-4:]] == [
        "FinalOutput",
        "ToolCall",
        "ToolResult",
        "Message",
    ]
    assert story.of(FinalOutput) == [FinalOutput("done")]
    assert (story.exit.code, story.exit.leaky, story.fault) == (3, False, None)


def test_an_agent_that_ignores_the_end_of_its_input_is_asked_to_leave(stage: AcpStage) -> None:
    """That is neither a failure nor a leak."""
    story = stage.play("p = prompted(); say('x'); end(p); signal.pause()", grace_s=0.2)

    assert story.said[-1] == FinalOutput("x")
    assert (story.fault, story.exit.signal, story.exit.leaky) == (None, "SIGTERM", False)
    assert not story.exit.timed_out


def test_what_the_agent_tells_of_itself_is_logged(stage: AcpStage) -> None:
    """Seed 004 section 5: the model and the agent's version of a run are on record."""
    story = stage.play(
        """
        info = {"name": "peer", "title": "The Peer", "version": "1.2.3"}
        open_session({"models": {"currentModelId": "m1"}}, agentInfo=info)
        end(read())
        """
    )

    facts = {"id": "s1", "name": "peer", "version": "1.2.3", "model": "m1"}
    assert story.of(Log) == [Log("info", "session", facts)]


@pytest.mark.parametrize("info", ['"peer"', '["1.2.3"]', '{"name": 7, "version": {}}', "None"])
def test_an_agent_that_tells_nothing_of_itself_is_not_quoted(stage: AcpStage, info: str) -> None:
    """Nor is one that tells it in another shape."""
    assert stage.play(f"end(prompted(agentInfo={info}))").of(Log) == []


def test_another_model_is_told_when_it_is_chosen(stage: AcpStage) -> None:
    """Seed 004 section 7: a model that changes must not go unseen."""
    story = stage.play(
        """
        options = [{"id": "model", "currentValue": "m1"}]
        open_session({"configOptions": options})
        p = read()
        update("config_option_update", configOptions=options)
        update("config_option_update", configOptions=[{"id": "mode", "currentValue": "m3"}])
        update("config_option_update", configOptions=[{"id": "model", "currentValue": "m2"}])
        update("config_option_update", configOptions=7)
        say("hi")
        end(p)
        """
    )

    assert [log.data for log in story.of(Log)] == [{"id": "s1", "model": "m1"}, {"model": "m2"}]
