"""Proxies, workspaces and faults: what a suite says of them, and what is wrong with that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runledger.errors import SuiteError
from runledger.ledger.proxy import Fault, McpProxy, ModelProxy, Proxies, Template
from runledger.suite.load import load_cases, load_prompts
from runledger.suite.profile import load_profile
from suite.shelf import Shelf

SUITE = """\
suite_name: gate
agent_command: [claude, --model, haiku]
agent_protocol: headless
adapter: claude
mode: replay
cases_path: cases
"""
MODEL = """\
proxies:
  model: {env: ANTHROPIC_BASE_URL, upstream: 'https://api.anthropic.com', profile: claude-code}
"""
MCP = "  mcp:\n    fs: {command: [mcp-server-filesystem, '{workspace}'], env: {A: b}}\n"
CASE = "id: t1\ninput: hello\ncassette: cassettes/t1.jsonl\n"
FAULT = "{on: {kind: model}, do: {status: 429}}"


@pytest.fixture
def gate(demo: Shelf) -> Shelf:
    """Make a sound suite of a headless agent behind a model proxy."""
    demo.write("suite.yaml", SUITE + MODEL)
    demo.write("cases/t1.yaml", CASE)
    demo.write("repo/README.md", "# A project\n")
    return demo


def model(**keys: str) -> str:
    """Write proxies with one model API, some of its keys changed."""
    return "proxies:\n  model:\n" + one(**keys)


def one(**keys: str) -> str:
    """Write the keys of a model API."""
    given = {"env": "URL", "upstream": "https://a.example", **keys}
    return "".join(f"    {key}: {json.dumps(value)}\n" for key, value in given.items())


# --- what a sound suite becomes ---


def test_the_proxies_of_the_formats_load(gate: Shelf) -> None:
    """Section 10 of the formats, with every file it names."""
    gate.write("fixtures/repo/a.txt", "x")
    gate.write("suite.yaml", SUITE + MODEL + MCP + "workspace: {from: fixtures/repo}\n")

    suite = gate.load()

    profile = load_profile("claude-code")
    assert suite.proxies == Proxies(
        models=(ModelProxy("ANTHROPIC_BASE_URL", "https://api.anthropic.com", profile),),
        servers=(McpProxy("fs", ("mcp-server-filesystem", "{workspace}"), {"A": "b"}),),
    )
    assert suite.workspace == Template("fixtures/repo", fresh_home=True)
    assert suite.tasks[0].faults == ()


def test_a_suite_without_them_has_none(demo: Shelf) -> None:
    """The agent has the world to itself."""
    suite = demo.load()

    assert suite.proxies == Proxies()
    assert suite.workspace is None


def test_several_model_apis_keep_their_order(gate: Shelf) -> None:
    """All keys of each are kept; the slash at the end of an address says nothing."""
    gate.write(
        "suite.yaml",
        SUITE
        + "proxies:\n  model:\n"
        + "    - {env: A, upstream: 'http://127.0.0.1:8080/v1/', key_env: K, latency: recorded}\n"
        + "    - {env: B, upstream: 'https://b.example'}\n",
    )
    generic = load_profile("generic")

    assert gate.load().proxies.models == (
        ModelProxy("A", "http://127.0.0.1:8080/v1", generic, "K", "recorded"),
        ModelProxy("B", "https://b.example", generic),
    )


def test_the_callers_home_may_be_kept(gate: Shelf) -> None:
    """Where the agent is logged in there."""
    gate.write("suite.yaml", SUITE + MODEL + "workspace: {from: repo, home: caller}\n")

    assert gate.load().workspace == Template("repo", fresh_home=False)


def test_faults_of_a_case_come_after_those_of_its_suite(gate: Shelf) -> None:
    """Both are put in."""
    gate.write("suite.yaml", f"{SUITE}{MODEL}inject: [{FAULT}]\n")
    gate.write(
        "cases/t1.yaml",
        CASE + "inject: [{on: {kind: model, nth: 2}, do: {cut_after_frames: 0, delay_ms: 5}}]\n",
    )

    assert gate.load().tasks[0].faults == (
        Fault("model", 1, status=429),
        Fault("model", 2, cut_after_frames=0, delay_ms=5),
    )


def test_every_fault_has_its_key(gate: Shelf) -> None:
    """Each ends its request in a way of its own."""
    gate.write(
        "suite.yaml",
        SUITE
        + MODEL
        + MCP
        + "inject:\n"
        + "  - {on: {kind: model}, do: {reset: true, malformed: false}}\n"
        + "  - {on: {kind: mcp}, do: {malformed: true}}\n"
        + "  - {on: {kind: model, nth: 3}, do: {delay_ms: 10}}\n",
    )

    assert gate.load().tasks[0].faults == (
        Fault("model", 1, reset=True),
        Fault("mcp", 1, malformed=True),
        Fault("model", 3, delay_ms=10),
    )


# --- modes ---


def test_agents_with_tools_of_their_own_replay_behind_proxies(gate: Shelf) -> None:
    """Cases then need cassettes, as those of every other agent."""
    assert gate.load("record").mode == "record"
    gate.write("cases/t1.yaml", "id: t1\ninput: hello\n")

    assert gate.finding().startswith(
        "evals/demo/cases/t1.yaml:1: cassette: is missing, and mode replay needs it"
    )
    assert gate.load("live").tasks[0].cassette is None


def test_proxies_that_are_none_record_nothing(gate: Shelf) -> None:
    """The way out is named."""
    gate.write("suite.yaml", SUITE + "proxies: {model: []}\n")

    assert gate.finding() == (
        "evals/demo/suite.yaml:5: mode: an agent of protocol headless calls tools of its own: "
        "use mode: live, or proxies, which record its model and its MCP servers (mode replay)"
    )


def test_an_agent_of_our_protocol_may_have_a_model_api(demo: Shelf) -> None:
    """Its tools are replayed as ever."""
    demo.add(MODEL)

    assert len(demo.load().proxies.models) == 1


def test_broken_proxies_are_one_finding(gate: Shelf) -> None:
    """What follows from them is not told."""
    gate.write("suite.yaml", f"{SUITE}proxies: {{model: {{env: A}}}}\ninject: [{FAULT}]\n")
    gate.write("cases/t1.yaml", CASE + "inject: [{on: {kind: mcp}, do: {reset: true}}]\n")

    assert gate.finding() == "evals/demo/suite.yaml:7: proxies.model.upstream: is missing"


# --- model APIs ---


@pytest.mark.parametrize(
    ("upstream", "words"),
    [
        ("api.anthropic.com", "must be a URL, such as https://api.anthropic.com"),
        ("ftp://a.example", "must be a URL"),
        ("https://", "must be a URL"),
        ("https://a.example:port", "must be a URL"),
        ("https://a.example:0", "must be a URL"),
        ("https://[::1", "must be a URL"),
        ("https://a.example/a b", "must be a URL"),
        ("https://a.example/\n", "must be a URL"),
        ("https://a.example/v1?key=s3cret", "must end with its path, without ? or #"),
        ("https://a.example/v1#", "must end with its path, without ? or #"),
        ("https://me:s3cret@a.example", "may not hold a user or a password"),
    ],
)
def test_an_upstream_is_a_plain_address(gate: Shelf, upstream: str, words: str) -> None:
    """A secret in it is not told to the console."""
    gate.write("suite.yaml", SUITE + model(upstream=upstream))

    told = gate.finding()

    assert told.startswith(f"evals/demo/suite.yaml:10: proxies.model.upstream: {words}")
    assert "s3cret" not in told


@pytest.mark.parametrize("upstream", ["http://127.0.0.1:8080/v1", "https://[::1]:443", "HTTP://A"])
def test_addresses_of_every_kind_are_fine(gate: Shelf, upstream: str) -> None:
    """A name, a number, a port, a path."""
    gate.write("suite.yaml", SUITE + model(upstream=upstream))

    assert gate.load().proxies.models[0].upstream == upstream


def test_two_apis_cannot_share_a_variable(gate: Shelf) -> None:
    """The finding is at the second one."""
    gate.write(
        "suite.yaml",
        SUITE
        + "proxies:\n  model:\n"
        + "    - {env: URL, upstream: 'https://a.example', key_env: KEY}\n"
        + "    - {env: URL, upstream: 'https://b.example', key_env: KEY}\n",
    )

    assert gate.finding() == (
        "evals/demo/suite.yaml:10: proxies.model.1.env: URL is used by another API already; "
        "an agent needs one for each"
    )


def test_a_variable_holds_an_address_or_a_key(gate: Shelf) -> None:
    """It cannot hold both."""
    gate.write("suite.yaml", SUITE + model(key_env="URL"))

    assert "proxies.model.key_env: URL gets the address of an API" in gate.finding()


def test_variables_of_proxies_are_not_the_suites(gate: Shelf) -> None:
    """Which of two values would the agent get?"""
    gate.write(
        "suite.yaml",
        SUITE + "env: {pass: [A, KEY], set: {URL: 'http://b.example'}}\n" + model(key_env="KEY"),
    )

    assert gate.findings() == [
        "evals/demo/suite.yaml:7: env.pass.1: KEY is set by proxies.model; leave it out here",
        "evals/demo/suite.yaml:7: env.set.URL: URL is set by proxies.model; leave it out here",
    ]


def test_an_unknown_profile_is_told_with_the_nearest(gate: Shelf) -> None:
    """And with all that are known."""
    gate.write("suite.yaml", SUITE + model(profile="claude-cod"))

    assert gate.finding() == (
        "evals/demo/suite.yaml:11: proxies.model.profile: unknown profile claude-cod; "
        "did you mean claude-code? (known: claude-code, codex, generic, opencode, "
        "or a file such as ./mine.json)"
    )


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        ("mine.json", "there is no file evals/demo/mine.json"),
        ("cases/", "there is no file evals/demo/cases/"),
        ("../mine.json", "may not leave the suite's directory through .."),
        ("/etc/mine.json", "must be relative to the suite's directory"),
    ],
)
def test_a_profile_that_is_not_there_is_told(gate: Shelf, profile: str, words: str) -> None:
    """Where the suite names it."""
    gate.write("suite.yaml", SUITE + model(profile=profile))

    assert gate.finding().startswith(f"evals/demo/suite.yaml:11: proxies.model.profile: {words}")


def test_a_bad_profile_is_told_once_with_its_own_lines(gate: Shelf) -> None:
    """However many APIs it is for; beside all that is wrong elsewhere."""
    gate.write("mine.yaml", "name: mine\nversion: 1\nrules:\n  - {pattern: '(', replace: x}\n")
    api = "{env: %s, upstream: 'https://a.example', profile: ./mine.yaml}"
    gate.write("suite.yaml", f"{SUITE}proxies:\n  model: [{api % 'A'}, {api % 'A'}]\n")

    first, second = gate.findings()

    assert first.startswith("evals/demo/./mine.yaml:4: rules.0.pattern: is not a regular")
    assert second.startswith("evals/demo/suite.yaml:8: proxies.model.1.env: A is used")


def test_a_profile_of_the_suites_is_taken(gate: Shelf) -> None:
    """With its rules."""
    gate.write("mine.json", '{"name": "m", "version": 2, "rules": []}')
    gate.write("suite.yaml", SUITE + model(profile="mine.json"))

    assert gate.load().proxies.models[0].profile.version == 2


# --- MCP servers ---


@pytest.mark.parametrize("protocol", ["stdio", "python"])
def test_servers_are_for_agents_that_can_be_told_of_them(demo: Shelf, protocol: str) -> None:
    """The others ask the runner, which has servers of its own."""
    command = "['{python}', agent.py]" if protocol == "stdio" else "['agent:run']"
    text = (demo.root / "suite.yaml").read_text().replace("['{python}', agent.py]", command)
    demo.write("suite.yaml", f"{text}agent_protocol: {protocol}\nproxies:\n{MCP}")

    assert demo.finding() == (
        "evals/demo/suite.yaml:8: proxies.mcp: is offered to agents of protocol acp and headless "
        f"only; an agent of protocol {protocol} asks the runner: name the servers in mcp_tools"
    )


def test_an_adapter_has_to_know_how_servers_are_passed(gate: Shelf) -> None:
    """Or the command has a place for them."""
    text = SUITE.replace("adapter: claude", "adapter: text")
    gate.write("suite.yaml", f"{text}proxies:\n{MCP}")

    assert gate.finding() == (
        "evals/demo/suite.yaml:8: proxies.mcp: the adapter text has no options.mcp_config that "
        "says how an MCP server is passed; put {mcp_config} in agent_command"
    )

    gate.write("suite.yaml", text.replace("haiku", "'{mcp_config}'") + "proxies:\n" + MCP)
    assert len(gate.load().proxies.servers) == 1


@pytest.mark.parametrize(
    ("protocol", "more"), [("headless\nadapter: claude", MODEL), ("acp", "proxies:\n" + MCP)]
)
def test_a_place_for_servers_needs_servers(gate: Shelf, protocol: str, more: str) -> None:
    """Over ACP they are named when the session is opened."""
    text = SUITE.replace("haiku", "'{mcp_config}'").replace("headless\nadapter: claude", protocol)
    gate.write("suite.yaml", text + more)

    assert gate.finding() == (
        "evals/demo/suite.yaml:2: agent_command.2: {mcp_config} goes with agent_protocol headless "
        "and proxies.mcp only"
    )


def test_names_of_servers_fit_names_of_tools(gate: Shelf) -> None:
    """Agents call their tools mcp__fs__read, or so."""
    gate.write("suite.yaml", f"{SUITE}proxies:\n  mcp:\n    my fs: {{command: [x]}}\n")

    assert gate.finding().startswith(
        "evals/demo/suite.yaml:9: proxies.mcp.my fs: must be 1 to 100 of A-Z a-z 0-9 _ -"
    )


def test_commands_of_servers_have_placeholders_of_their_own(gate: Shelf) -> None:
    """A server is not told the prompt."""
    gate.write("suite.yaml", SUITE + "proxies: {mcp: {fs: {command: ['{prompt}', '{suit}']}}}\n")

    assert gate.findings() == [
        "evals/demo/suite.yaml:7: proxies.mcp.fs.command.0: unknown placeholder {prompt} "
        "(known: {python}, {suite}, {workspace})",
        "evals/demo/suite.yaml:7: proxies.mcp.fs.command.1: unknown placeholder {suit}; "
        "did you mean suite? (known: {python}, {suite}, {workspace})",
    ]


@pytest.mark.parametrize("more", ["workspace: {from: cassettes}\n", MODEL])
def test_an_agent_for_many_cases_has_none_of_this(demo: Shelf, more: str) -> None:
    """Each case has a workspace and servers of its own."""
    demo.add(f"agent_reuse: true\n{more}")

    assert "agent_reuse: cannot be used beside" in demo.finding()


# --- workspaces ---


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("none", "there is no directory evals/demo/none"),
        ("suite.yaml", "there is no directory evals/demo/suite.yaml"),
        ("../demo", "may not leave the suite's directory through .."),
        ("/tmp", "must be relative to the suite's directory"),
        (".", "must be a directory below the suite's own, which changes with every run"),
        ("./repo/here", "must be a directory below the suite's own"),
        ("cases", "cases holds the cases, and the agent would read what is expected of it"),
    ],
)
def test_a_template_is_a_directory_of_the_suite(gate: Shelf, template: str, words: str) -> None:
    """Not the suite itself, and nothing that tells the agent too much."""
    (gate.root / "repo/here").symlink_to(gate.root)
    gate.write("suite.yaml", SUITE + MODEL + f"workspace: {{from: {template}}}\n")

    assert gate.finding().startswith(f"evals/demo/suite.yaml:9: workspace.from: {words}")


def test_a_template_above_the_cases_is_refused(gate: Shelf) -> None:
    """It holds them, too."""
    gate.write("repo/cases/t1.yaml", CASE)
    text = SUITE.replace("cases_path: cases", "cases_path: repo/cases")
    gate.write("suite.yaml", text + MODEL + "workspace: {from: repo}\n")

    assert "workspace.from: repo holds the cases" in gate.finding()


def test_files_that_a_copy_lacks_are_named_with_their_place(gate: Shelf) -> None:
    """A command that was written for the suite's directory does not work in a workspace."""
    for name in ("agent.sh", "rules.md", "server.py", "haiku"):
        gate.write(name, "")
    gate.write("repo/haiku", "")
    gate.write(
        "suite.yaml",
        SUITE.replace("claude,", "./agent.sh, rules.md,")
        + "workspace: {from: repo}\nproxies: {mcp: {fs: {command: ['{python}', server.py]}}}\n",
    )

    reason = "is in the suite, and repo, of which the agent works in a copy, has none"
    assert gate.findings() == [
        f"evals/demo/suite.yaml:2: agent_command.0: ./agent.sh {reason}: write {{suite}}/agent.sh",
        f"evals/demo/suite.yaml:2: agent_command.1: rules.md {reason}: write {{suite}}/rules.md",
        "evals/demo/suite.yaml:8: proxies.mcp.fs.command.1: "
        f"server.py {reason}: write {{suite}}/server.py",
    ]


def test_files_that_are_found_are_not_told(gate: Shelf) -> None:
    """Named by a placeholder, as a program that the PATH knows, or without a workspace."""
    gate.write("agent.py", "")
    gate.write("claude", "")
    words = "claude, '{suite}/agent.py', --file=agent.py"
    text = SUITE.replace("claude, --model", words)
    gate.write("suite.yaml", text + MODEL + "workspace: {from: repo}\n")
    gate.load()
    gate.write("suite.yaml", SUITE.replace("haiku", "agent.py") + MODEL)

    assert gate.load().workspace is None


def test_a_home_of_the_suites_is_not_beside_a_fresh_one(gate: Shelf) -> None:
    """The way to keep it is named."""
    text = SUITE + MODEL + "env: {set: {HOME: /x}}\nworkspace: {from: repo}\n"
    gate.write("suite.yaml", text)

    assert gate.finding() == (
        "evals/demo/suite.yaml:9: env.set.HOME: HOME is a fresh directory beside workspace; "
        "to choose it, add home: caller there"
    )
    gate.write("suite.yaml", text.replace("repo}", "repo, home: caller}"))
    assert gate.load()


# --- faults ---


@pytest.mark.parametrize(
    ("do", "words"),
    [
        ("{}", "needs one of status, reset, cut_after_frames, malformed, or delay_ms"),
        ("{reset: false}", "needs one of status"),
        ("{delay_ms: 0}", "needs one of status"),
        ("{status: 429, reset: true}", "has status and reset, and a request can end in one way"),
        ("{cut_after_frames: 0, malformed: true}", "has cut_after_frames and malformed"),
    ],
)
def test_a_fault_is_one_thing(gate: Shelf, do: str, words: str) -> None:
    """A request that does not go wrong, or in two ways, is a slip."""
    gate.write("suite.yaml", f"{SUITE}{MODEL}inject: [{{on: {{kind: model}}, do: {do}}}]\n")

    assert gate.finding().startswith(f"evals/demo/suite.yaml:9: inject.0.do: {words}")


def test_a_fault_needs_its_proxy(gate: Shelf) -> None:
    """Of the suite, and of a case."""
    fault = "inject: [{on: {kind: mcp}, do: {reset: true}}]\n"
    gate.write("suite.yaml", SUITE + MODEL + fault)
    gate.write("cases/t1.yaml", CASE + fault.replace("mcp}", "mcp, nth: 2}"))

    words = "inject.0.on.kind: mcp needs proxies.mcp in suite.yaml"
    case, suite = gate.findings()
    assert case.startswith(f"evals/demo/cases/t1.yaml:4: {words}")
    assert suite.startswith(f"evals/demo/suite.yaml:9: {words}")


def test_a_request_has_one_fault(gate: Shelf) -> None:
    """In the suite, in a case, and between the two."""
    gate.write("suite.yaml", f"{SUITE}{MODEL}inject:\n  - {FAULT}\n  - {FAULT}\n")
    twice = FAULT.replace("model}", "model, nth: 2}")
    gate.write("cases/t1.yaml", f"{CASE}inject:\n  - {FAULT}\n  - {twice}\n  - {twice}\n")

    assert gate.findings() == [
        "evals/demo/cases/t1.yaml:5: inject.0.on: "
        "request 1 of kind model has a fault in the suite's inject already",
        "evals/demo/cases/t1.yaml:7: inject.2.on.nth: "
        "request 2 of kind model has a fault on line 6 already",
        "evals/demo/suite.yaml:11: inject.1.on: "
        "request 1 of kind model has a fault on line 10 already",
    ]


def test_a_fault_of_a_broken_kind_is_one_finding(gate: Shelf) -> None:
    """What is left of it is not judged."""
    gate.write("suite.yaml", SUITE + MODEL + "inject: [{on: {kind: model}, do: {status: 200}}]\n")

    assert "inject.0.do.status: must be 400 or more; found 200" in gate.finding()


def test_prompts_have_no_place_for_faults(tmp_path: Path) -> None:
    """There is no suite that has proxies; a line that may belong to one is not judged."""
    fault = [{"on": {"kind": "model"}, "do": {"status": 429}}]
    line = json.dumps({"id": "a", "input": "x", "inject": fault})
    (tmp_path / "p.jsonl").write_text(line)

    with pytest.raises(SuiteError, match=r"model needs proxies\.model in suite\.yaml"):
        load_prompts(str(tmp_path / "p.jsonl"))
    assert load_cases(tmp_path, "p.jsonl")[0].faults == (Fault("model", 1, status=429),)
