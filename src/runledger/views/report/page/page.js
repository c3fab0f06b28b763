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

/**
 * What the reader chose belongs in the address, so that a link shows the same. It is never empty:
 * browsers take an empty one for the top of the page, and take the focus away.
 * @param {Choice} choice
 */
function listAddress({ query, statuses, tag, sort, down }) {
  const parts = new URLSearchParams();
  if (query) parts.set("q", query);
  if (statuses.size) parts.set("status", [...statuses].join(","));
  if (tag) parts.set("tag", tag);
  if (sort !== "need" || down) parts.set("sort", `${down ? "-" : ""}${sort}`);
  return `#${parts}` === "#" ? "#all" : `#${parts}`;
}

/** @param {Choice} choice */
function rememberChoice(choice) {
  try {
    history.replaceState(null, "", listAddress(choice));
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
  const last = openCase();
  const wasCase = !byId("case-page").hidden;
  setPage("list-page");
  list.choice = choiceIn(parts);
  showChoice();
  if (!wasCase) return;
  scrollTo(0, scrolledTo);
  if (last && list.shown.includes(last)) goToRow(list.shown.indexOf(last));
}

/** @returns {Row | undefined} the case that is open, or was the last */
function openCase() {
  return list.all.find((row) => row.id === byId("case-page").dataset.case);
}

/** @param {string} id @param {Row | undefined} row @param {number} trial */
async function showCase(id, row, trial) {
  const page = byId("case-page");
  const anotherTrial = page.dataset.case === id && !page.hidden;
  const asked = location.hash;
  const record = row ? await ledger.line(row.number) : null;
  if (location.hash !== asked) return; // the reader has gone on
  page.dataset.case = id;
  if (!list.shown.length) showChoice(); // so that a case opened by its address has neighbours
  setPage("case-page");
  if (row) drawCase(row, record, trial);
  else page.replaceChildren(noSuchCase(id));
  if (anotherTrial) return focusOn('[role="tab"][aria-selected="true"]');
  scrollTo(0, 0);
  focusOn("#case-title");
}

/** @param {string} id */
function noSuchCase(id) {
  const name = el("b", { class: "id" }, id);
  const back = el("a", { href: "#all" }, "All cases");
  return el("p", { class: "nothing" }, "There is no case ", name, " in this run. ", back);
}

/** @param {"list-page" | "case-page"} shown */
function setPage(shown) {
  document.title = shown === "list-page" ? title : `${byId("case-page").dataset.case} · ${title}`;
  byId("list-page").hidden = shown !== "list-page";
  byId("case-page").hidden = shown !== "case-page";
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const meantForOthers = event.ctrlKey || event.metaKey || event.altKey || keysDialog().open;
  if (!meantForOthers && isKnownKey(event)) event.preventDefault();
}

/** Do what a key means where the reader is. @param {KeyboardEvent} event @returns {boolean} */
function isKnownKey(event) {
  if (event.target === searchBox()) return searchKey(event);
  if (/** @type {Element} */ (event.target).matches("input, select, textarea")) return false;
  return pageKey(event) || (byId("case-page").hidden ? listKey(event) : caseKey(event));
}

/** @param {KeyboardEvent} event from the search down into the list, Escape without what was typed */
function searchKey({ key }) {
  if (!["Escape", "ArrowDown", "Enter"].includes(key)) return false;
  if (key === "Escape") choose({ query: "" });
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
  const row = openCase();
  /** @type {Record<string, () => void>} */
  const keys = { Escape: goToList, n: goToNextFailure, e: unfoldAll };
  if (row) Object.assign(keys, { j: () => goToNeighbour(row, 1), k: () => goToNeighbour(row, -1) });
  keys[event.key]?.();
  return event.key in keys;
}

function goToList() {
  location.hash = listAddress(list.choice);
}

function startSearch() {
  if (byId("case-page").hidden) return takeUpSearch();
  addEventListener("hashchange", takeUpSearch, { once: true }); // when the list is back
  goToList();
}

function takeUpSearch() {
  searchBox().focus();
  searchBox().select();
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
    const why = error instanceof Error ? error.message : String(error);
    const instead = "The same is in summary.json and run.jsonl, beside this file.";
    byId("loading").textContent = `The record could not be unpacked. ${why} ${instead}`;
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
