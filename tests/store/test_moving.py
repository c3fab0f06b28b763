"""Recorded answers name the directories of this machine, and nothing else changes in them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from runledger.ledger.value import Json
from runledger.store.cassette.entry import Entry, McpEntry, ModelAnswer, ModelEntry
from runledger.store.cassette.load import Cassette
from runledger.store.replay.moving import moved
from runledger.store.replay.player import Player

THEN = {"suite": "/src", "home": "/root", "workspace": "/root/ws"}
HERE = {"suite": "/home/runner/work/app/src", "home": "/home/runner", "workspace": "/root/ws"}


def told(text: str) -> str:
    """Give what a recorded answer of a model says now."""
    answer = ModelAnswer(200, {"content-type": "application/json"}, (json.dumps(text).encode(),))
    cassette = Cassette("c", "0" * 64, (), models=(ModelEntry(1, "POST", "/", {}, answer),))
    (entry,) = moved(with_places(cassette), HERE).models
    return str(json.loads(b"".join(entry.answer.frames)))


def with_places(cassette: Cassette) -> Cassette:
    """Give a cassette that was recorded elsewhere."""
    return replace(cassette, places=THEN)


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("/src", "/home/runner/work/app/src"),
        ("cat /src/a.py.", "cat /home/runner/work/app/src/a.py."),
        ("It is in /src.", "It is in /home/runner/work/app/src."),
        ("(/src), @/src:3", "(/home/runner/work/app/src), @/home/runner/work/app/src:3"),
        ("file:///src/a", "file:///home/runner/work/app/src/a"),
        ("cc -I/src -DX=/src", "cc -I/home/runner/work/app/src -DX=/home/runner/work/app/src"),
        (r'{"cmd": "ls\n/src\n"}', r'{"cmd": "ls\n/home/runner/work/app/src\n"}'),
        ("在/src目录", "在/home/runner/work/app/src目录"),
        ("/root/x:/src", "/home/runner/x:/home/runner/work/app/src"),
    ],
)
def test_a_path_of_then_becomes_one_of_now(then: str, now: str) -> None:
    """Wherever a path begins, and once: what was put in is not looked at again."""
    assert told(then) == now


@pytest.mark.parametrize(
    "text",
    [
        "packages/src/main.py",
        "a/src b/src",
        "./src ../src ~/src */src $(pwd)/src ${x}/src",
        "https://e.com/src/",
        "/srcs /src-old /src.bak /src_2 /rootfs",
        "/root/ws/a.py",
        "/opt/src",
    ],
)
def test_what_only_looks_like_a_place_stays(text: str) -> None:
    """Short paths stand in others by chance; a place that is where it was, in one that moved."""
    assert told(text) == text


def test_a_path_may_end_with_a_slash() -> None:
    """A HOME may be given as one likes."""
    cassette = Cassette(
        "c", "0" * 64, (Entry(1, "t", {}, True, "/root/x"),), places={"h": "/root/"}
    )

    assert moved(cassette, {"h": "/home/me"}).entries[0].result == "/home/me/x"


def test_answers_of_tools_and_servers_are_moved_too() -> None:
    """All kinds of answers speak of now; what was asked stays as it was."""
    tools = (
        Entry(1, "ls", {"in": "/src"}, True, {"found": ["/src/a"]}),
        Entry(2, "rm", {"in": "/src"}, False, None, "no /src"),
    )
    server = McpEntry(3, "fs", "ls", {"in": "/src"}, {"result": "/src"}, ("/src",), ("/src",))
    cassette = Cassette("c", "0" * 64, tools, servers=(server,), places={"suite": "/src"})
    played = Player(cassette, places={"suite": "/here"})
    asked: Json = {"in": "/here"}

    assert played.tool("ls", asked).result == {"found": ["/here/a"]}
    assert played.tool("rm", asked).error == "no /here"
    reply = played.mcp("fs", "ls", asked)
    assert (reply.reply, reply.before, reply.after) == ({"result": "/here"}, ("/here",), ("/here",))
    assert reply.params == {"in": "/src"}


def test_nothing_is_touched_where_nothing_moved() -> None:
    """The usual case, on one machine."""
    cassette = with_places(Cassette("c", "0" * 64, ()))

    assert moved(cassette, THEN) is cassette
