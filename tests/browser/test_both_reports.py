"""What the reports of a run and of an experiment have in common, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener, Report
from browser.runs import several_trials
from views.experiment_kit import bench

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Kind:
    """A kind of report, one of which has an item with three trials, and a verdict in a word."""

    noun: str
    item: str
    word: str
    opener: Opener
    make: Callable[[], Any]

    def open(self, address: str = "", **options: Any) -> Report:
        """Open a report of this kind."""
        return self.opener(self.make(), address, **options)


@pytest.fixture(params=["run", "experiment"])
def kind(request: pytest.FixtureRequest, opened: Opener, shown: Opener) -> Kind:
    """Try it with a run, and with an experiment."""
    if request.param == "run":
        return Kind("case", "shaky", "Failed", opened, several_trials)
    return Kind("task", "t3", "Go", shown, lambda: bench(trials=3))


def test_the_theme_follows_the_system_until_told_otherwise(kind: Kind) -> None:
    """Dark is dark, light is light, and both the button and the key turn it around."""
    paper = "getComputedStyle(document.body).backgroundColor"
    light = kind.open(color_scheme="light").page
    dark = kind.open(color_scheme="dark").page
    colours = light.evaluate(paper), dark.evaluate(paper)

    dark.locator("#theme").click()
    light.keyboard.press("t")

    assert (dark.evaluate(paper), light.evaluate(paper)) == colours
    assert colours[0] != colours[1]


def test_the_keys_are_told(kind: Kind) -> None:
    """A question mark shows what the keyboard can do, and Escape hides it."""
    page = kind.open().page

    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    expect(page.locator("#keys")).to_contain_text(f"open the {kind.noun}")
    page.keyboard.press("Escape")

    expect(page.locator("#keys")).to_be_hidden()


def test_a_search_can_begin_in_an_item(kind: Kind) -> None:
    """The slash leads from an item to the search box of the list."""
    page = kind.open(f"#{kind.noun}={kind.item}").page

    page.keyboard.press("/")

    expect(page.locator("#search")).to_be_focused()


def test_show_all_lets_go_of_the_search(kind: Kind) -> None:
    """Where nothing fits, one press shows everything again, and the address says so."""
    page = kind.open("#q=nothing-has-this").page
    expect(page.locator("#nothing")).to_contain_text(f"No {kind.noun} fits.")

    page.locator("#reset").click()

    expect(page.locator("#nothing")).to_be_hidden()
    expect(page.locator("#search")).to_have_value("")
    assert page.url.endswith("#all")


def test_trials_are_tabs(kind: Kind) -> None:
    """Arrows lead from one to the next, and so does an address."""
    page = kind.open(f"#{kind.noun}={kind.item}&trial=2").page
    chosen = page.locator('[role="tab"][aria-selected="true"]')
    expect(chosen).to_contain_text("Trial 2")

    chosen.press("ArrowRight")

    expect(chosen).to_contain_text("Trial 3")
    expect(chosen).to_be_focused()
    assert page.url.endswith(f"#{kind.noun}={kind.item}&trial=3")


def test_an_address_of_nothing_says_so(kind: Kind) -> None:
    """A link into another report does not show an empty page."""
    page = kind.open(f"#{kind.noun}=elsewhere").page

    expect(page.locator(f"#{kind.noun}-page")).to_contain_text(f"There is no {kind.noun} elsewhere")


def test_the_policy_stops_what_gets_in_all_the_same(kind: Kind) -> None:
    """A script that is put into the page by other means does not run."""
    report = kind.open()

    report.page.evaluate(
        "() => { const s = document.createElement('script');"
        " s.textContent = 'window.__pwned = 1'; document.body.append(s); }"
    )

    assert report.page.evaluate("window.__pwned") is None
    assert report.violations() == ["script-src-elem"]
    assert all("Content Security Policy" in one for one in report.unasked)
    report.unasked.clear()


def test_an_old_browser_is_told_what_to_do(kind: Kind) -> None:
    """Without the means to unpack, the verdict still stands and the page says where to look."""
    page = kind.open(init="delete window.DecompressionStream;").page

    expect(page.locator("#loading")).to_contain_text("too old to unpack")
    expect(page.locator("h1").first).to_contain_text(kind.word)
