// The page as a whole: what its address means, which keys it knows, and how it begins.

/** @type {Ledger} */
let ledger;
let scrolledTo = 0;
const title = document.title;

/** @param {string} id @param {number} [trial] */
function addressOf(id, trial) {
  const address = `#case=${encodeURIComponent(id)}`;
  return trial ? `${address}&trial=${trial}` : address;
}

/** What the reader chose belongs in the address, so that a link shows the same. @param {Choice} choice */
function rememberChoice({ query, statuses, tag, sort, down }) {
  const parts = new URLSearchParams();
  if (query) parts.set("q", query);
  if (statuses.size) parts.set("status", [...statuses].join(","));
  if (tag) parts.set("tag", tag);
  if (sort !== "need" || down) parts.set("sort", `${down ? "-" : ""}${sort}`);
  try {
    history.replaceState(null, "", `#${parts}`);
  } catch {
    // browsers refuse a change of address that comes too often; the list is right all the same
  }
}

/** @param {URLSearchParams} parts @returns {Choice} */
function choiceIn(parts) {
  const sort = parts.get("sort") ?? "need";
  return {
    query: parts.get("q") ?? "",
    statuses: new Set((parts.get("status") ?? "").split(",").filter(Boolean)),
    tag: parts.get("tag") ?? "",
    sort: sort.replace(/^-/, ""),
    down: sort.startsWith("-"),
  };
}

/** Show what the address asks for. */
async function follow() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const id = parts.get("case");
  if (id === null) return showList(parts);
  const row = list.all.find((one) => one.id === id);
  if (byId("case-page").hidden) scrolledTo = scrollY;
  await showCase(id, row, Number(parts.get("trial")));
}

/** @param {URLSearchParams} parts */
function showList(parts) {
  const last = list.all.find((row) => row.id === byId("case-page").getAttribute("data-case"));
  const wasCase = !byId("case-page").hidden;
  setPage("list-page");
  if (!wasCase || location.hash.length > 1) list.choice = choiceIn(parts);
  showChoice();
  if (!wasCase) return;
  rememberChoice(list.choice);
  scrollTo(0, scrolledTo);
  if (last) goToRow(list.shown.indexOf(last));
}

/** @param {string} id @param {Row | undefined} row @param {number} trial */
async function showCase(id, row, trial) {
  const page = byId("case-page");
  const sameCase = page.getAttribute("data-case") === id && !page.hidden;
  const asked = location.hash;
  const record = row ? await ledger.line(row.number) : null;
  if (location.hash !== asked) return; // the reader has gone on
  page.setAttribute("data-case", id);
  if (!list.shown.length) showChoice(); // so that a case opened by its address has neighbours
  setPage("case-page");
  if (row) drawCase(row, record, trial);
  else
    page.replaceChildren(
      el(
        "p",
        { class: "nothing" },
        "There is no case ",
        el("b", { class: "id" }, id),
        " in this run. ",
        el("a", { href: "#" }, "All cases"),
      ),
    );
  if (sameCase)
    return /** @type {HTMLElement | null} */ (
      document.querySelector('[role="tab"][aria-selected="true"]')
    )?.focus();
  scrollTo(0, 0);
  document.getElementById("case-title")?.focus({ preventScroll: true });
}

/** @param {"list-page" | "case-page"} shown */
function setPage(shown) {
  document.title = shown === "list-page" ? title : `${byId("case-page").dataset.case} · ${title}`;
  byId("list-page").hidden = shown !== "list-page";
  byId("case-page").hidden = shown !== "case-page";
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const typing = /** @type {Element} */ (event.target).matches("input, select, textarea");
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    /** @type {HTMLDialogElement} */ (byId("keys")).open
  )
    return;
  if (
    typing &&
    event.key !== "Escape" &&
    !(event.key === "ArrowDown" && event.target === searchBox()) &&
    event.key !== "Enter"
  )
    return;
  const known = typing
    ? searchKey(event)
    : pageKey(event) || (byId("case-page").hidden ? listKey(event) : caseKey(event));
  if (known) event.preventDefault();
}

/** @param {KeyboardEvent} event from the search into the list, or out of it */
function searchKey(event) {
  if (event.target !== searchBox()) return false;
  if (event.key === "Escape") choose({ query: "" });
  goToRow(0);
  return true;
}

/** @param {KeyboardEvent} event */
function pageKey(event) {
  /** @type {Record<string, () => void>} */
  const keys = { "/": startSearch, "?": showKeys, t: toggleTheme };
  keys[event.key]?.();
  return event.key in keys;
}

/** @param {KeyboardEvent} event */
function caseKey(event) {
  const row = list.all.find((one) => one.id === byId("case-page").getAttribute("data-case"));
  /** @type {Record<string, () => void>} */
  const keys = { Escape: () => (location.hash = ""), n: goToNextFailure, e: unfoldAll };
  if (row) Object.assign(keys, { j: () => goToNeighbour(row, 1), k: () => goToNeighbour(row, -1) });
  keys[event.key]?.();
  return event.key in keys;
}

function startSearch() {
  if (!byId("case-page").hidden) location.hash = "";
  setTimeout(() => searchBox().select()); // after the list is back
}

function showKeys() {
  /** @type {HTMLDialogElement} */ (byId("keys")).showModal();
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

/** @param {string} query */
function searchFor(query) {
  choose({ query });
  searchBox().focus();
}

async function begin() {
  byId("loading").hidden = false;
  byId("theme").addEventListener("click", toggleTheme);
  byId("show-keys").addEventListener("click", showKeys);
  addEventListener("beforeprint", unfoldAll);
  ledger = openLedger(byId("packed"));
  try {
    setUpList(await ledger.head);
  } catch (error) {
    byId("loading").textContent =
      `The record could not be unpacked. ${error instanceof Error ? error.message : error} The same is in summary.json and run.jsonl, beside this file.`;
    return;
  }
  byId("loading").hidden = true;
  drawPlots(list.all, searchFor);
  addEventListener("hashchange", follow);
  addEventListener("keydown", onKey);
  await follow();
  document.documentElement.dataset.ready = "yes";
  tellWhatIsLeftOut(list.all.length - (await ledger.traces));
}

/** @param {number} cases without a trace in this file */
function tellWhatIsLeftOut(cases) {
  byId("left-out").hidden = cases <= 0;
  byId("left-out").textContent =
    `The traces of ${count(cases, "case")} were left out to keep this file small, ` +
    "those of passing cases first. They are in run.jsonl.";
}

begin();
