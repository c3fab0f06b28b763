// The page as a whole: what its address means, which keys it knows, and how it begins.

/** @type {Ledger} */
let ledger;
let scrolledTo = 0;
let scoring = { round_to: 5, complete_at: 80 };
const title = document.title;

/** @param {string} id @param {number} [trial] */
function addressOf(id, trial) {
  const address = `#task=${encodeURIComponent(id)}`;
  return trial ? `${address}&trial=${trial}` : address;
}

/**
 * What the reader chose belongs in the address, so that a link shows the same. It is never empty:
 * browsers take an empty one for the top of the page, and take the focus away.
 * @param {Choice} choice
 */
function listAddress({ query, way, beside, sort, down }) {
  const parts = new URLSearchParams();
  if (query) parts.set("q", query);
  if (way) parts.set("way", way);
  if (beside >= 0) parts.set("beside", String(beside));
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
  const beside = Number(parts.get("beside") ?? -1);
  return {
    query: parts.get("q") ?? "",
    way: parts.get("way") ?? "",
    beside: beside in list.conditions.slice(1) ? beside : -1,
    sort: sort.replace(/^-/, ""),
    down: sort.startsWith("-"),
  };
}

/** Show what the address asks for. */
async function follow() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const id = parts.get("task");
  if (id === null) return showList(parts);
  const row = list.all.find((one) => one.id === id);
  if (byId("task-page").hidden) scrolledTo = scrollY;
  await showTask(id, row, Number(parts.get("trial")));
}

/** @param {URLSearchParams} parts */
function showList(parts) {
  const last = openTask();
  const wasTask = !byId("task-page").hidden;
  setPage("list-page");
  list.choice = choiceIn(parts);
  showChoice();
  if (!wasTask) return;
  scrollTo(0, scrolledTo);
  if (last && list.shown.includes(last)) goToRow(list.shown.indexOf(last));
}

/** @returns {Row | undefined} the task that is open, or was the last */
function openTask() {
  return list.all.find((row) => row.id === byId("task-page").dataset.task);
}

/** @param {string} id @param {Row | undefined} row @param {number} trial */
async function showTask(id, row, trial) {
  const page = byId("task-page");
  const anotherTrial = page.dataset.task === id && !page.hidden;
  const asked = location.hash;
  const record = row ? await ledger.line(row.number) : null;
  if (location.hash !== asked) return; // the reader has gone on
  page.dataset.task = id;
  if (!list.shown.length) showChoice(); // so that a task opened by its address has neighbours
  setPage("task-page");
  if (row) drawTask(row, record, trial, scoring);
  else page.replaceChildren(noSuchTask(id));
  if (anotherTrial) return focusOn('[role="tab"][aria-selected="true"]');
  scrollTo(0, 0);
  focusOn("#task-title");
}

/** @param {string} id */
function noSuchTask(id) {
  const name = el("b", { class: "id" }, id);
  const back = el("a", { href: "#all" }, "All tasks");
  return el("p", { class: "nothing" }, "There is no task ", name, " in this experiment. ", back);
}

/** @param {"list-page" | "task-page"} shown */
function setPage(shown) {
  document.title = shown === "list-page" ? title : `${byId("task-page").dataset.task} · ${title}`;
  byId("list-page").hidden = shown !== "list-page";
  byId("task-page").hidden = shown !== "task-page";
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
  return pageKey(event) || (byId("task-page").hidden ? listKey(event) : taskKey(event));
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
function taskKey(event) {
  const row = openTask();
  /** @type {Record<string, () => void>} */
  const keys = { Escape: goToList, n: goToNextQuote, e: unfoldAll };
  if (row) Object.assign(keys, { j: () => goToNeighbour(row, 1), k: () => goToNeighbour(row, -1) });
  keys[event.key]?.();
  return event.key in keys;
}

function goToList() {
  location.hash = listAddress(list.choice);
}

function startSearch() {
  if (byId("task-page").hidden) return takeUpSearch();
  addEventListener("hashchange", takeUpSearch, { once: true }); // when the list is back
  goToList();
}

function takeUpSearch() {
  searchBox().focus();
  searchBox().select();
}

async function begin() {
  byId("loading").hidden = false;
  byId("theme").addEventListener("click", toggleTheme);
  byId("show-keys").addEventListener("click", showKeys);
  addEventListener("beforeprint", unfoldAll);
  ledger = openLedger(byId("packed"));
  try {
    const head = await ledger.head;
    scoring = head;
    setUpList(head);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const instead = "The same is in results.md and in runs/, beside this file.";
    byId("loading").textContent = `The record could not be unpacked. ${why} ${instead}`;
    return;
  }
  byId("loading").hidden = true;
  addEventListener("hashchange", follow);
  addEventListener("keydown", onKey);
  await follow();
  document.documentElement.dataset.ready = "yes";
  tellWhatIsLeftOut(list.all.length - (await ledger.traces));
}

/** @param {number} tasks without answers in this file */
function tellWhatIsLeftOut(tasks) {
  byId("left-out").hidden = tasks <= 0;
  byId("left-out").textContent =
    `The answers to ${count(tasks, "task")} were left out to keep this file small, ` +
    "those that differ least first. They are in runs/.";
}

begin();
