// The list as a table: its heads, which sort, the chips, which filter, and what is shown of it.

/** @typedef {{key: string, label: string, cell: (row: Row) => Element, number?: boolean}} Column */

/** What the list shows, and where the reader is in it. */
const list = {
  /** @type {Row[]} */ all: [],
  /** @type {Row[]} */ shown: [],
  /** @type {Column[]} */ columns: [],
  /** @type {Choice} */ choice: choiceIn(),
  active: 0,
};

/** @param {any[][]} rows the fields of each, in the order of their names @param {string[]} names @returns {Row[]} */
function rowsIn(rows, names) {
  return rows.map((fields, index) => {
    const named = Object.fromEntries(names.map((name, at) => [name, fields[at]]));
    return /** @type {Row} */ ({ ...named, number: index + 1, hay: "" });
  });
}

/** @param {Row[]} rows @param {Column[]} columns @param {() => Partial<Choice>} everything what Show all means */
function setUpTable(rows, columns, everything) {
  list.all = rows;
  list.columns = columns;
  byId("heads").replaceChildren(...columns.map(headOf));
  byId(`${report.noun}s`).hidden = false;
  byId("search").addEventListener("input", () => choose({ query: searchBox().value }));
  byId("reset").addEventListener("click", () => choose(everything()));
}

/** @returns {HTMLInputElement} */
function searchBox() {
  return /** @type {HTMLInputElement} */ (byId("search"));
}

/** @param {string} query @returns {string[]} */
function wordsIn(query) {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** @param {Row[]} rows @param {(row: Row) => string | number | null} key @param {boolean} down */
function sorted(rows, key, down) {
  const way = down ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: key(row) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    if (a.key === b.key) return a.row.number - b.row.number;
    return a.key < b.key ? -way : way;
  });
  return keyed.map(({ row }) => row);
}

/** @param {Column} column */
function headOf(column) {
  const { key, label, number } = column;
  const head = el("th", { class: columnClass(column), scope: "col", "data-sort": key });
  head.append(button(label, () => sortBy(key, Boolean(number)), { class: "sort" }));
  return head;
}

/** @param {Column} column */
function columnClass({ key, number }) {
  return `c-${key.split(".")[0]}${number ? " number" : ""}`;
}

/** @param {string} key @param {boolean} number the largest first, since that is what one looks for */
function sortBy(key, number) {
  const again = list.choice.sort === key;
  choose({ sort: key, down: again ? !list.choice.down : number });
}

/** @param {{label: string, tone: string, number: number, pressed: boolean}} look @param {() => Partial<Choice>} part */
function chip({ label, tone, number, pressed }, part) {
  const element = button(label, () => choose(part(), label), {
    class: `chip ${tone}`,
    "aria-pressed": String(pressed),
    "data-chip": label,
  });
  element.append(el("span", {}, number.toLocaleString("en")));
  return element;
}

/** @param {Iterable<string>} names each as often as it is met @returns {Map<string, number>} */
function tally(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** @param {Partial<Choice>} part @param {string} [pressed] the chip that keeps the focus */
function choose(part, pressed) {
  Object.assign(list.choice, part);
  showChoice();
  rememberChoice(list.choice);
  if (pressed) focusOn(`#chips [data-chip="${pressed}"]`);
}

/** Filter, sort and draw anew. */
function showChoice() {
  list.shown = report.chosen(list.all, list.choice);
  list.active = 0;
  if (searchBox().value !== list.choice.query) searchBox().value = list.choice.query;
  report.drawFilters();
  drawSortSigns();
  const all = count(list.all.length, report.noun);
  const some = list.shown.length.toLocaleString("en");
  byId("count").textContent = list.shown.length === list.all.length ? all : `${some} of ${all}`;
  byId("nothing").hidden = list.shown.length > 0;
  report.drawRows();
}

function drawSortSigns() {
  const { sort, down } = list.choice;
  for (const head of byId("heads").children) {
    const way = down ? "descending" : "ascending";
    head.setAttribute("aria-sort", head.getAttribute("data-sort") === sort ? way : "none");
  }
}

/** Let a click on a row open its item, unless it was meant for a link or to select. @param {Element} element @param {Row} row */
function openOnClick(element, row) {
  element.addEventListener("click", (event) => {
    const { ctrlKey, metaKey, shiftKey, target } = /** @type {MouseEvent} */ (event);
    const plain = !ctrlKey && !metaKey && !shiftKey && !getSelection()?.toString();
    if (plain && !(/** @type {Element} */ (target).closest("a"))) location.hash = addressOf(row.id);
  });
}

/** @param {number} index @returns {HTMLElement | null} */
function elementOf(index) {
  return byId("rows").querySelector(`[data-index="${index}"]`);
}
