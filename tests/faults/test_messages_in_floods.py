"""F13 to F17, F23: agents that write more, or read less, than anybody should."""

from __future__ import annotations

from kit import entry
from scene import WELL, Scene, holds

GIB_IN_CHUNKS = """
chunk = memoryview(b"x" * 2**20)
for _ in range(1024):
    os.write({fd}, chunk)
"""

BIG = "x" * (10 * 2**20)


def test_f13_a_gibibyte_without_a_newline_is_cut_at_the_cap(scene: Scene) -> None:
    """The case fails, and neither the memory nor the record grows with what was written."""
    after = scene.agent("print(secret, end='')" + GIB_IN_CHUNKS.format(fd=1)).run()

    holds(after, code=1, a="message_too_large", b="passed")
    assert "one message is over 8 MiB" in after.failure("a")["message"]
    assert sum(file.stat().st_size for file in after.run.iterdir()) < 2**20


def test_f13_a_gibibyte_of_messages_is_cut_at_their_sum(scene: Scene) -> None:
    """Each message is small enough, and all of a case together have a cap, too."""
    flood = """
    line = json.dumps({"type": "log", "level": "info", "message": "x" * 2**20}).encode() + b"\\n"
    for _ in range(1024):
        os.write(1, line)
    """
    after = scene.agent(flood).run()

    holds(after, code=1, a="message_too_large", b="passed")
    assert "all messages together are over 64 MiB" in after.failure("a")["message"]


def test_f14_a_gibibyte_on_standard_error_blocks_nobody(scene: Scene) -> None:
    """The agent comes to its end, and of its flood the beginning and the end are kept."""
    flood = GIB_IN_CHUNKS.format(fd=2)
    last = 'print(" the end of", secret, file=sys.stderr)\nsys.exit(5)'
    after = scene.agent(f"{flood}\n{last}", limit_ms=120_000).run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    kept = after.failure("a")["details"]
    assert kept["exit_code"] == 5
    assert "the end of [REDACTED" in kept["stderr"]
    assert len(kept["stderr"]) < 20_000


def test_f15_a_full_standard_error_does_not_keep_an_agent_from_its_task(scene: Scene) -> None:
    """An agent that complains at length before it reads anything is heard out."""
    after = scene.agent(WELL, first='sys.stderr.write("complaint " * 2**17)').run()

    holds(after, code=0, a="passed", b="passed")


def test_f16_a_large_result_for_an_agent_that_never_reads_ends_at_the_deadline(
    scene: Scene,
) -> None:
    """What cannot be written is not waited for longer than the case may last."""
    ask = 'send("tool_call", name="search", call_id="c1", args={})\nsignal.pause()'
    after = scene.agent(ask, limit_ms=3000).case("a", [entry("search", BIG)], **limit(3000)).run()

    holds(after, code=1, a="timeout", b="passed")


def test_f16_an_agent_that_never_reads_may_still_answer(scene: Scene) -> None:
    """What it did not want to read is nobody's loss."""
    ask = f'send("tool_call", name="search", call_id="c1", args={{}})\n{WELL}'
    after = scene.agent(ask).case("a", [entry("search", BIG)]).run()

    holds(after, code=0, a="passed", b="passed")
    assert after.case("a")["tool_calls"] == 1


def limit(ms: int) -> dict[str, dict[str, int]]:
    """Write the limit of a case."""
    return {"budgets": {"max_wall_ms": ms}}


def test_f17_an_agent_that_closes_its_input_harms_nobody(scene: Scene) -> None:
    """The answer to its call reaches nobody, and its own answer counts."""
    deaf = 'os.close(0)\nsend("tool_call", name="search", call_id="c1", args={})'
    after = scene.agent(f"{deaf}\n{WELL}").case("a", [entry("search", "found")]).run()

    holds(after, code=0, a="passed", b="passed")


def test_f17_an_agent_that_closes_its_input_before_its_task_is_heard(scene: Scene) -> None:
    """A large task that cannot be handed over ends nobody, and the next agent gets its own."""
    first = """
    if not os.path.exists("met"):
        open("met", "w").close()
        os.close(0)
        send("final_output", output={})
        sys.exit(0)
    """
    task = {"q": "a", "more": "x" * 2**20}
    after = scene.agent(WELL, first=first).case("a", input=task).run("-j", "1")

    holds(after, code=0, a="passed", b="passed")
    assert "echo" not in after.result("a")["output"]


def test_f23_a_million_calls_are_stopped_at_the_budget(scene: Scene) -> None:
    """The call beyond the budget is the last one that is looked at."""
    flood = """
    for number in range(1_000_000):
        print(f'{{"type":"tool_call","name":"search","call_id":"{number}","args":{{}}}}')
    """
    budgets = {"max_tool_calls": 10, "max_wall_ms": 30_000}
    after = scene.agent(flood).case("a", [entry("search")] * 20, budgets=budgets).run()

    holds(after, code=1, a="budget_exceeded", b="passed")
    assert "max_tool_calls: 11 used, 10 allowed" in after.failure("a")["message"]
    assert after.case("a")["tool_calls"] == 11
