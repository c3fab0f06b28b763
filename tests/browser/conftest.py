"""A real browser for the report: one for all tests, a fresh context for each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from browser.runs import ATTACKS, Made
from runledger.ledger.run import Summary
from runledger.views import html
from runledger.views.experiment import html as experiment_html
from views.experiment_kit import Bench

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")
WATCH_POLICY = """
window.__violations = [];
addEventListener("securitypolicyviolation", (e) => __violations.push(e.violatedDirective));
"""


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker of these tests known."""
    config.addinivalue_line("markers", "browser: opens the report in a real Chromium")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Chromium, which CI must have and others may."""
    found = os.environ.get("RUNLEDGER_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), "")
    if not found and not os.environ.get("CI"):
        pytest.skip("needs Chromium on the PATH, or RUNLEDGER_CHROMIUM")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found or None, args=[*ARGUMENTS])
        yield started
        started.close()


@dataclass
class Report:
    """A report that is open in the browser, and what the page did unasked."""

    page: Page
    unasked: list[str] = field(default_factory=list)

    def ids(self) -> list[str]:
        """List the cases that are drawn, in order."""
        return self.page.locator("#rows .c-id").all_inner_texts()

    def count(self) -> str:
        """Read how many cases the page says that it shows."""
        return self.page.locator("#count").inner_text()

    def open(self, id: str) -> None:
        """Open a case by its link."""
        self.page.locator(f"#rows a:text-is('{id}')").click()
        self.page.wait_for_selector("#case-page h1")

    def violations(self) -> list[str]:
        """List what the content security policy had to stop."""
        found: list[str] = self.page.evaluate("window.__violations")
        return found


Opener = Callable[..., Report]


@pytest.fixture
def open_text(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Open texts as report.html from disk; afterwards make sure that none did a thing unasked."""
    reports: list[Report] = []

    def open_report(text: str, address: str = "", **options: Any) -> Report:
        file = tmp_path / f"report-{len(reports)}.html"
        file.write_text(text, "utf-8")
        init = options.pop("init", "")
        options.setdefault("viewport", {"width": 1280, "height": 800})
        page = browser.new_context(**options).new_page()
        page.set_default_timeout(15_000)
        report = Report(page)
        reports.append(report)
        _watch(report)
        page.add_init_script(WATCH_POLICY + init)
        page.goto(f"{file.as_uri()}{address}")
        if options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready=yes], #loading:has-text('could not')")
        return report

    yield open_report
    for report in reports:
        report.page.context.close()
        assert report.unasked == []


@pytest.fixture
def opened(open_text: Opener) -> Opener:
    """Open runs in the browser."""

    def open_run(run: tuple[Summary, Made], address: str = "", **options: Any) -> Report:
        return open_text(html.render(run[0], run[1].of), address, **options)

    return open_run


@pytest.fixture
def shown(open_text: Opener) -> Opener:
    """Open experiments in the browser."""

    def open_bench(made: Bench, address: str = "", **options: Any) -> Report:
        return open_text(experiment_html.render(made.record, made.findings), address, **options)

    return open_bench


def check_shown_as_text(report: Report) -> None:
    """Make sure that every attack can be read on the page, and that none did anything."""
    assert report.page.evaluate("window.__pwned") is None
    assert report.violations() == []
    body = report.page.locator("body").inner_text()
    assert all(attack in body for attack in ATTACKS[1:7])
    assert r"\x1b[31mred" in body
    assert r"\u202eright to left\u2066" in body


def _watch(report: Report) -> None:
    """Note every request but the file itself, every message, fault and dialog."""
    page, note = report.page, report.unasked.append

    def on_request(request: Any) -> None:
        if not request.is_navigation_request():
            note(f"request {request.url}")

    def on_dialog(dialog: Any) -> None:
        note(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("request", on_request)
    page.on("dialog", on_dialog)
    page.on("console", lambda message: note(f"console {message.text}"))
    page.on("pageerror", lambda error: note(f"fault {error}"))
