// What the page of every item has: the way to its neighbours and back, tabs of trials, figures.

/** @typedef {{label: string, value: string, note?: string, tone?: string}} Figure */

/** @param {Row} row */
function navigationOf(row) {
  const at = list.shown.indexOf(row);
  const place = at < 0 ? "" : `${at + 1} of ${list.shown.length.toLocaleString("en")}`;
  const step = (/** @type {string} */ label, /** @type {string} */ key, /** @type {number} */ by) =>
    button(label, () => goToNeighbour(row, by), {
      title: key,
      ...(list.shown[at + by] ? {} : { disabled: "" }),
    });
  const { noun } = report;
  return el(
    "nav",
    { "aria-label": `${noun[0].toUpperCase()}${noun.slice(1)}s` },
    el("a", { href: listAddress(list.choice), class: "back" }, `← All ${noun}s`),
    el("span", { class: "spring" }),
    el("span", { class: "faint" }, place),
    step("Previous", "k", -1),
    step("Next", "j", 1),
  );
}

/**
 * @param {Row} row @param {any[]} trials @param {any} current
 * @param {(tab: HTMLElement, trial: any) => void} label write what a tab says
 */
function tabsOf(row, trials, current, label) {
  const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Trials" });
  for (const trial of trials) {
    const chosenOne = trial === current;
    const tab = button("", () => location.replace(addressOf(row.id, trial.trial)), {
      role: "tab",
      class: "tab",
      "aria-selected": String(chosenOne),
      "aria-controls": "trial",
      tabindex: chosenOne ? "0" : "-1",
    });
    label(tab, trial);
    tabs.append(tab);
  }
  tabs.addEventListener("keydown", moveAmongTabs);
  return tabs;
}

/** @param {KeyboardEvent} event */
function moveAmongTabs(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = [.../** @type {HTMLElement} */ (event.currentTarget).children];
  const next = tabs[tabs.indexOf(/** @type {Element} */ (event.target)) + step];
  /** @type {HTMLElement | undefined} */ (next)?.click();
}

/** @param {Figure} figure */
function figureOf({ label, value, note = "", tone = "" }) {
  const below = note !== "" && el("dd", { class: "note" }, note);
  return el("div", {}, el("dt", {}, label), el("dd", { class: tone }, value), below);
}

/** @param {Element | undefined | null} place within an item */
function goToPlace(place) {
  place?.scrollIntoView({ block: "center" });
  /** @type {HTMLElement | undefined | null} */ (place)?.focus({ preventScroll: true });
}

/** Go to the place after the one that has the focus, and from the last to the first. @param {string} selector */
function goToNextPlace(selector) {
  const places = [...itemPage().querySelectorAll(selector)];
  const at = places.findIndex((place) => place === document.activeElement);
  goToPlace(places[(at + 1) % places.length]);
}

/** @param {Element} within */
function unfold(within) {
  for (const element of within.querySelectorAll(".unfold[aria-expanded=false]"))
    /** @type {HTMLElement} */ (element).click();
}
