// Which keys the page knows: everywhere, in the search, in the list, in an item.

/** @param {KeyboardEvent} event */
function onKey(event) {
  const meantForOthers = event.ctrlKey || event.metaKey || event.altKey || keysDialog().open;
  if (!meantForOthers && isKnownKey(event)) event.preventDefault();
}

/** Do what a key means where the reader is. @param {KeyboardEvent} event @returns {boolean} */
function isKnownKey(event) {
  if (event.target === searchBox()) return searchKey(event);
  if (/** @type {Element} */ (event.target).matches("input, select, textarea")) return false;
  return pageKey(event) || (itemPage().hidden ? listKey(event) : itemKey(event));
}

/** @param {KeyboardEvent} event from the search down into the list, Escape without what was typed */
function searchKey({ key }) {
  if (!["Escape", "ArrowDown", "Enter"].includes(key)) return false;
  if (key === "Escape") choose({ query: "" });
  report.goToRow(0);
  return true;
}

/** @param {KeyboardEvent} event */
function pageKey(event) {
  /** @type {Record<string, () => void>} */
  const keys = { "/": startSearch, "?": showKeys, t: toggleTheme };
  keys[event.key]?.();
  return event.key in keys;
}

/** @param {KeyboardEvent} event @returns {boolean} whether the list knew the key */
function listKey(event) {
  const inRow = byId("rows").contains(document.activeElement);
  const inRows = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
  /** @type {Record<string, number>} */
  const moves = { j: 1, k: -1, ...(inRow && { ...inRows, ...report.furtherMoves() }) };
  if (event.key in moves) report.goToRow(inRow ? list.active + moves[event.key] : list.active);
  else if (event.key === "Enter" && inRow) location.hash = addressOf(list.shown[list.active].id);
  else return false;
  return true;
}

/** @param {KeyboardEvent} event */
function itemKey(event) {
  const row = openItem();
  /** @type {Record<string, () => void>} */
  const keys = { Escape: goToList, n: report.goToNext, e: report.unfoldAll };
  if (row) Object.assign(keys, { j: () => goToNeighbour(row, 1), k: () => goToNeighbour(row, -1) });
  keys[event.key]?.();
  return event.key in keys;
}

function startSearch() {
  if (itemPage().hidden) return takeUpSearch();
  addEventListener("hashchange", takeUpSearch, { once: true }); // when the list is back
  goToList();
}

function takeUpSearch() {
  searchBox().focus();
  searchBox().select();
}
