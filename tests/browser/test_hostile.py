"""F43: what strangers say, in the files of a real run, opened in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from browser.conftest import Opener, Report
from faults.test_hostile_texts import ENDS, hostile_suite
from hostile import BAD
from lab import Lab
from scene import Scene, holds

pytestmark = pytest.mark.browser

ACTIVE = "script, iframe, object, embed, form, img, video, audio, link, base, [onerror], [onload]"
ELEMENTS = f"[...document.querySelectorAll('{ACTIVE}')].map((e) => e.tagName).sort().join(' ')"
OURS = "FORM LINK SCRIPT SCRIPT"  # of every report: a search, an icon, packed lines, a program
LINKS = "[...document.querySelectorAll('a[href]')].map((a) => a.protocol)"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the hostile suite once, with a page for GitHub."""
    place = tmp_path_factory.mktemp("hostile")
    scene = Scene(place)
    scene.around = {"GITHUB_STEP_SUMMARY": str(place / "page.md")}
    after = hostile_suite(scene).run()
    holds(after, code=1)
    words = ("baseline", "promote", "--from", after.run, "--to", "base.json", "--allow-failing")
    assert scene.command(*words).code == 0
    diff = scene.command(
        "diff", "--baseline", "base.json", "--run", after.run, "--format", "markdown"
    )
    (after.run / "diff.md").write_text(diff.out)
    for name, words in (
        ("records.md", ("summarize", after.run, "--markdown")),
        ("compared.md", ("compare", after.run, after.run, "--format", "markdown")),
        ("calibration.md", ("calibrate", after.run)),
    ):
        done = scene.command(*words)
        assert done.code == 0, (words, done.err)
        (after.run / name).write_text(done.out)
    (place / "page.md").rename(after.run / "page.md")
    return after.run


def check_inert(report: Report, own: str = "") -> None:
    """Make sure that nothing of theirs ran, and that no element came from what they said."""
    page = report.page
    assert page.evaluate("window.__pwned") is None
    assert report.violations() == []
    assert page.evaluate(ELEMENTS) == own
    assert not {"javascript:", "data:"} & set(page.evaluate(LINKS))


def test_f43_the_report_of_a_hostile_run_is_inert(open_text: Opener, run: Path) -> None:
    """On no page of it does a script of theirs run, or an element of theirs stand."""
    report = open_text((run / "report.html").read_text())
    check_inert(report, own=OURS)

    for id in ENDS:
        report.open(id)
        check_inert(report, own=OURS)
        report.page.keyboard.press("Escape")


@pytest.mark.parametrize(
    "name", ["page.md", "diff.md", "records.md", "compared.md", "calibration.md"]
)
def test_f43_markdown_of_a_hostile_run_is_inert(open_text: Opener, run: Path, name: str) -> None:
    """Even where HTML is let through, which GitHub does not, nothing runs and nothing is loaded."""
    check_inert(opened(open_text, (run / name).read_text()))


def opened(open_text: Opener, text: str) -> Report:
    """Open Markdown as a renderer without any care for HTML would show it."""
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    return open_text(f"<!doctype html><html data-ready=yes><meta charset=utf-8><body>{body}")


def test_f43_files_of_a_hostile_experiment_are_inert(open_text: Opener, tmp_path: Path) -> None:
    """What its agent answered stands in the results and in the report as text."""
    lab = Lab(tmp_path).agent(f"session(model={BAD!r})\nanswer({BAD!r})")
    lab.tasks(2, metadata={"repo": BAD})
    lab.all_steps()

    for name in ("results.md", "scenarios.md"):
        check_inert(opened(open_text, (lab.run / name).read_text()))
    check_inert(open_text((lab.run / "report.html").read_text()), own=OURS)
