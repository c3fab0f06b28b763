"""I5: a secret that stands in what the user gets to read, beside what every agent tells anyway."""

from __future__ import annotations

import json

from scene import WELL, Scene, holds


def test_i5_a_secret_given_as_the_id_of_a_case_is_not_shown_again(scene: Scene) -> None:
    """The message says that there is no such case, and not which one was asked for."""
    after = scene.agent(WELL).run("--case", scene.secret)

    holds(after, code=2)
    assert "case" in after.err
    assert "[REDACTED" in after.err


def test_i5_a_secret_in_an_id_that_cannot_be_one_is_not_shown(scene: Scene) -> None:
    """What is wrong with a file is told without what nobody may know."""
    scene.agent(WELL)
    case = {"id": f"no id: {scene.secret}", "input": {}}
    (scene.suite.path / "cases" / "b.yaml").write_text(json.dumps(case))

    after = scene.run()

    holds(after, code=2)
    assert "b.yaml" in after.err
    assert "[REDACTED" in after.err


def test_i5_a_secret_cut_in_two_by_a_cap_is_not_told_by_halves(scene: Scene) -> None:
    """Where only the beginning and the end of a text are kept, no half of a word stays."""
    flood = """
    for _ in range(3000):
        sys.stderr.write(secret + " ")
    sys.stderr.flush()
    os._exit(1)
    """
    after = scene.agent(flood).run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    texts = [file.read_text() for file in after.run.iterdir()]
    assert not any(scene.secret[:12] in text or scene.secret[-9:] in text for text in texts)
