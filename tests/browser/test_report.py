"""The report in a real browser: what a person sees, and does, and what hostile text cannot do."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener, check_shown_as_text
from browser.runs import hostile, large, several_trials, telling
from runledger.views import html

pytestmark = pytest.mark.browser


def test_the_verdict_and_the_regressions_come_first(opened: Opener) -> None:
    """The page begins with how the run went, and what is worse than it was."""
    page = opened(telling()).page

    expect(page.locator("h1").first).to_have_text(
        "Failed 3 failed, 2 in error, 1 not finished; 30 of 36 cases passed."
    )
    expect(page.locator(".gate h2")).to_have_text("Worse than the baseline")
    expect(page.locator(".checks tbody tr").first.locator("td")).to_have_text(
        ["min_success_rate", "fail", "100.0 %", "85.7 %", "-14.3 points", "95.0 %", ""]
    )


def test_a_regression_leads_to_its_case(opened: Opener) -> None:
    """A newly failing case is one click away."""
    page = opened(telling()).page

    page.locator(".gate a", has_text="empty-reply").click()

    expect(page.locator("#case-title .id")).to_have_text("empty-reply")


def test_cases_that_need_a_look_stand_first(opened: Opener) -> None:
    """Unasked, what broke since the baseline is above everything that passed."""
    report = opened(telling())

    assert report.ids()[:6] == [
        "crashes", "gives-up", "misses", "empty-reply", "too-many-calls", "never-run",
    ]  # fmt: skip


def test_chips_filter_by_status(opened: Opener) -> None:
    """Two pressed chips show the cases of both; pressed again, a chip lets go."""
    report = opened(telling())
    failed, error = (report.page.locator(f"[data-chip={name}]") for name in ("failed", "error"))

    failed.click()
    of_one = report.ids()
    error.click()
    of_both = report.count()
    failed.click()

    assert of_one == ["misses", "empty-reply", "too-many-calls"]
    assert of_both == "5 of 36 cases"
    assert report.ids() == ["crashes", "gives-up"]


def test_a_tag_filters(opened: Opener) -> None:
    """Only cases with the chosen tag are shown."""
    report = opened(telling())

    report.page.locator("#tag").select_option("refund")

    assert report.ids() == ["misses"]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("empty-re", ["empty-reply"]),
        ("exited CODE", ["crashes"]),
        ("tool:list_issues", ["too-many-calls"]),
        ("tag:refund", ["misses"]),
        ("ms:900-1000", ["misses"]),
        ("is:unfin", ["never-run"]),
        ("nothing-has-this", []),
    ],
)
def test_the_search_looks_everywhere_or_in_one_place(
    opened: Opener, query: str, ids: list[str]
) -> None:
    """Words are looked for in ids, failures, tools and tags; a prefix narrows it."""
    report = opened(telling())

    report.page.locator("#search").fill(query)

    assert report.ids() == ids


def test_a_head_sorts_and_sorts_the_other_way(opened: Opener) -> None:
    """Durations come longest first, then shortest first, and cases without one last."""
    report = opened(telling())
    head = report.page.locator("#heads .c-wall button")

    head.click()
    longest = report.ids()[0]
    head.click()

    assert (longest, report.ids()[0]) == ("too-many-calls", "gives-up")
    expect(report.page.locator("#heads .c-wall")).to_have_attribute("aria-sort", "ascending")


def test_all_goes_without_a_mouse(opened: Opener) -> None:
    """Search, go down the list, open a case, come back to its row."""
    page = opened(telling()).page
    page.keyboard.press("/")
    page.keyboard.type("question")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page.locator("#case-title .id")).to_have_text("question-02")

    page.keyboard.press("j")
    expect(page.locator("#case-title .id")).to_have_text("question-03")
    page.keyboard.press("Escape")

    expect(page.locator("#rows tr:focus .c-id")).to_have_text("question-03")
    expect(page.locator("#search")).to_have_value("question")


def test_a_call_stands_beside_its_answer(opened: Opener) -> None:
    """Arguments are left of the result, numbers as they were written."""
    report = opened(telling())
    report.open("question-01")
    call = report.page.locator(".step.call").first

    args, result = (call.locator(".value").nth(n).bounding_box() for n in (0, 1))

    assert args is not None
    assert result is not None
    assert (args["y"], args["x"] < result["x"]) == (result["y"], True)
    expect(report.page.locator(".step.input")).to_contain_text('"priority": 1.0')
    expect(report.page.locator(".step.output")).to_contain_text("Plans end on the last day")


def test_a_long_value_is_folded_until_wanted(opened: Opener) -> None:
    """Its size is told, and what was cut off the record as well."""
    report = opened(telling(), "#case=misses")
    value = report.page.locator(".step.call .value").nth(1)
    expect(value).not_to_contain_text("S-039")

    value.get_by_role("button", name="Show all").click()

    expect(value).to_contain_text("S-039")
    expect(value.locator(".cut")).to_contain_text("run.jsonl")


def test_a_miss_is_told_at_its_call(opened: Opener) -> None:
    """The nearest recording is compared path by path where the call was made."""
    page = opened(telling(), "#case=misses").page
    step = page.locator(".step.concerned")

    expect(step.locator("h4 .id")).to_have_text("search_docs")
    expect(step.locator(".nearest tbody th")).to_have_text(["$.query", "$.limit"])
    expect(step.locator(".nearest .called mark").first).to_have_text(" late order")
    expect(step.locator(".advice code").nth(1)).to_have_text(
        "runledger run evals/support --mode record --case misses"
    )


def test_a_failure_leads_to_the_step_that_it_concerns(opened: Opener) -> None:
    """What an assertion found wrong stands below the final output."""
    page = opened(telling(), "#case=empty-reply").page

    page.locator(".why .jump").first.click()

    focused = page.locator(".failure:focus")
    expect(focused).to_contain_text("$.reply")
    expect(page.locator(".step.output", has=focused)).to_have_count(1)


def test_an_agent_that_crashed_shows_its_last_words(opened: Opener) -> None:
    """The end of standard error and the exit code are on the page."""
    page = opened(telling(), "#case=crashes").page

    expect(page.locator("#case-page")).to_contain_text("KeyError: 'ticket'")
    expect(page.locator(".figures.small")).to_contain_text("code 1")
    expect(page.locator(".step.call .value.failed")).to_contain_text("search timed out")


def test_the_baseline_stands_beside_the_run(opened: Opener) -> None:
    """In the list and in the case one sees what was."""
    report = opened(telling())
    expect(report.page.locator("#rows tr").first.locator(".c-change")).to_have_text("108 ms +11 %")

    report.open("crashes")

    expect(report.page.locator(".figures.small")).to_contain_text("baseline 108 ms, +11 %")


def test_of_several_trials_the_one_that_failed_is_open_first(opened: Opener) -> None:
    """Nobody has to look for it."""
    page = opened(several_trials(), "#case=shaky").page

    expect(page.locator('[role="tab"][aria-selected="true"]')).to_contain_text("Trial 2")


def test_a_case_that_never_ran_says_so(opened: Opener) -> None:
    """There is no trace, and no empty page either."""
    page = opened(telling(), "#case=never-run").page

    expect(page.locator("#case-page")).to_contain_text("This case was not begun.")


def test_an_address_keeps_what_was_chosen(opened: Opener) -> None:
    """A filter and an order can be sent to somebody as a link, and come back with Back."""
    report = opened(telling(), "#q=question&status=passed&tag=account&sort=-wall")
    before = report.ids()
    report.open(before[0])

    report.page.go_back()

    expect(report.page.locator("#count")).to_have_text("10 of 36 cases")
    assert report.ids() == before


def test_copy_copies_what_was_recorded(opened: Opener) -> None:
    """The clipboard holds the arguments as they are in the record."""
    page = opened(telling(), "#case=misses", permissions=["clipboard-read", "clipboard-write"]).page

    page.get_by_role("button", name="Copy arguments").first.click()

    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == '{"order_id":"A-1"}'


def test_copy_works_without_a_clipboard(opened: Opener) -> None:
    """Where a page from disk has no clipboard, the selection is copied."""
    without = "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
    page = opened(telling(), "#case=misses", init=without).page

    page.get_by_role("button", name="Copy arguments").first.click()

    expect(page.get_by_text("Copied")).to_be_visible()


@pytest.mark.parametrize("address", ["", "#case=first", "#case=first&trial=2", "#q=%3Cscript"])
def test_hostile_text_runs_nothing(opened: Opener, address: str) -> None:
    """Whatever stands in every field is shown as text; the policy has nothing to stop."""
    report = opened(hostile(), address)
    page = report.page
    page.keyboard.press("e")
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")

    check_shown_as_text(report)


def test_a_hostile_id_opens_like_any_other(opened: Opener) -> None:
    """Its row leads to its page, and its tag filters."""
    report = opened(hostile())
    report.page.locator("#tag").select_option(index=1)

    report.page.locator("#rows a").nth(1).click()

    expect(report.page.locator("#case-title .id")).to_contain_text("<img src=x onerror")
    assert report.violations() == []


@pytest.mark.parametrize("run", [telling, hostile])
@pytest.mark.parametrize("address", ["", "#case=misses", "#case=first"])
def test_nothing_sticks_out_of_a_narrow_screen(opened: Opener, run: object, address: str) -> None:
    """At 360 pixels nobody has to scroll sideways."""
    assert callable(run)
    page = opened(run(), address, viewport={"width": 360, "height": 740}).page

    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_ten_thousand_cases_are_few_elements(opened: Opener) -> None:
    """Only rows near the window exist: at the top, at the end, and while one filters."""
    report = opened(large(10_000))
    rows = report.page.locator("#rows tr")
    at_the_top = rows.count()
    report.page.keyboard.press("j")
    report.page.keyboard.press("End")
    expect(rows.last.locator(".c-id")).to_have_text("case-09999")
    at_the_end = rows.count()

    report.page.locator("#search").fill("case-04242")

    assert report.ids() == ["case-04242"]
    assert max(at_the_top, at_the_end) < 100
    report.open("case-04242")
    expect(report.page.locator(".step.output")).to_contain_text("answer 4242")


def test_what_was_left_out_is_told(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case without a trace says where it is, and so does the list."""
    monkeypatch.setattr(html, "PLAIN_BYTES", 4000)
    report = opened(telling())
    expect(report.page.locator("#left-out")).to_contain_text("They are in run.jsonl")

    report.open("question-02")

    expect(report.page.locator("#case-page")).to_contain_text("The trace of this case was left out")


def test_print_shows_every_row(opened: Opener) -> None:
    """Paper does not scroll."""
    report = opened(telling())

    report.page.evaluate("dispatchEvent(new Event('beforeprint'))")

    assert len(report.ids()) == 36


def test_paper_is_light(opened: Opener) -> None:
    """Whatever the screen's theme, print is dark on light."""
    page = opened(telling(), color_scheme="dark").page
    page.keyboard.press("t")
    page.keyboard.press("t")

    page.emulate_media(media="print")

    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(29, 29, 27)"


def test_without_scripts_the_verdict_still_stands(opened: Opener) -> None:
    """The overview is part of the page itself, which says where the rest is."""
    page = opened(telling(), java_script_enabled=False).page

    expect(page.locator(".gate h2")).to_have_text("Worse than the baseline")
    expect(page.locator("noscript p")).to_contain_text("run.jsonl")


def test_a_row_in_view_survives_scrolling(opened: Opener) -> None:
    """A row that is drawn anew between the press and the release of a button loses the click."""
    report = opened(large(200))
    page, first = report.page, report.page.locator("#rows tr").first
    page.evaluate("scrollTo(0, 1500)")
    expect(first).not_to_have_attribute("data-index", "0")
    row = page.locator("#rows tr").nth(20).element_handle()
    assert row is not None
    before, drawn = row.get_attribute("data-index"), first.get_attribute("data-index")

    page.evaluate("scrollBy(0, 200)")
    expect(first).not_to_have_attribute("data-index", drawn or "")

    assert row.evaluate("row => row.isConnected")
    assert row.get_attribute("data-index") == before
    indexes = [int(one.get_attribute("data-index") or -1) for one in page.locator("#rows tr").all()]
    assert indexes == [*range(indexes[0], indexes[0] + len(indexes))]
