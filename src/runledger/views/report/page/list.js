// The list of cases. Only the rows near the window exist as elements, however many cases there are.

const OVERSCAN = 12;
const MOST_PRINTED = 2000;
const SLOWER_PCT = 25; // from here on a change of the duration stands out
const SLOWER_MS = 50;

/** Which rows are drawn, and how high one is. */
const drawn = { first: -1, last: -1, rowHeight: 34 };

/** @param {{rows: any[][], trials: number, baseline: boolean}} head */
function setUpCases(head) {
  const rows = rowsIn(head.rows, FIELDS);
  const columns = columnsFor(rows, head);
  setUpTable(rows, columns, () => ({ query: "", tag: "", statuses: new Set() }));
  byId("columns").replaceChildren(...columns.map(({ key }) => el("col", { class: `c-${key}` })));
  drawTags();
  byId("tag").addEventListener("change", () => choose({ tag: tagBox().value }));
  addEventListener("scroll", drawRows, { passive: true });
  addEventListener("resize", () => drawRows(true));
  addEventListener("beforeprint", () =>
    drawRows(true, { first: 0, last: Math.min(list.shown.length, MOST_PRINTED) }),
  );
  addEventListener("afterprint", () => drawRows(true));
  drawPlots(list.all, searchFor);
}

/** @param {string} query */
function searchFor(query) {
  choose({ query });
  searchBox().focus();
}

function tagBox() {
  return /** @type {HTMLSelectElement} */ (byId("tag"));
}

/** @param {Row[]} rows @param {{trials: number, baseline: boolean}} head @returns {Column[]} */
function columnsFor(rows, head) {
  const some = (/** @type {(row: Row) => unknown} */ has) => rows.some(has);
  /** @type {(Column | false)[]} */
  const columns = [
    { key: "need", label: "Status", cell: statusCell },
    { key: "id", label: "Case", cell: caseCell },
    {
      key: "why",
      label: some((row) => row.failure) ? "First failure" : "Description",
      cell: whyCell,
    },
    head.trials > 1 && {
      key: "trials",
      label: "Trials",
      number: true,
      cell: (row) => el("span", {}, `${row.passedTrials}/${head.trials}`),
    },
    {
      key: "wall",
      label: "Duration",
      number: true,
      cell: (row) => el("span", {}, duration(row.wall)),
    },
    head.baseline && { key: "change", label: "Baseline", number: true, cell: changeCell },
    { key: "calls", label: "Calls", number: true, cell: callsCell },
    some((row) => allTokens(row) !== null) && {
      key: "tokens",
      label: "Tokens",
      number: true,
      cell: (row) => el("span", {}, allTokens(row)?.toLocaleString("en") ?? "–"),
    },
    some((row) => row.cost !== null) && {
      key: "cost",
      label: "Cost",
      number: true,
      cell: (row) => el("span", {}, money(row.cost)),
    },
    some((row) => row.tags.length) && { key: "tags", label: "Tags", cell: tagsCell },
  ];
  return /** @type {Column[]} */ (columns.filter(Boolean));
}

/** @param {string} status */
function mark(status) {
  return el("span", { class: `mark ${status}` }, sign(status), status);
}

/** A sign beside the word or colour, for those who see no colours. @param {string} status */
function sign(status) {
  return el("i", { "aria-hidden": "true" }, MARKS[status] ?? "");
}

/** @param {Row} row */
function statusCell(row) {
  return mark(row.status);
}

/** @param {Row} row */
function caseCell(row) {
  return el(
    "a",
    { href: addressOf(row.id), class: "id", tabindex: -1, title: spelled(row.id) },
    row.id,
  );
}

/** @param {Row} row */
function whyCell(row) {
  if (!row.failure) return el("span", { class: "faint" }, row.description);
  const [type, message, more] = row.failure;
  return el(
    "span",
    { title: spelled(message) },
    row.change === "newly failing" && el("b", { class: "new" }, "new"),
    el("b", { class: "type" }, type),
    ` ${message}`,
    more > 0 && el("span", { class: "faint" }, ` +${more}`),
  );
}

/** @param {Row} row */
function callsCell(row) {
  return el(
    "span",
    {},
    row.errors > 0 &&
      el("span", { class: "failed", title: `${row.errors} failed` }, `${row.errors}✕ `),
    String(row.calls),
  );
}

/** @param {Row} row */
function changeCell(row) {
  if (!row.before) return el("span", { class: "faint" }, "new case");
  const [, wall] = row.before;
  const slower = (wallChange(row) ?? 0) > SLOWER_PCT && (row.wall ?? 0) - (wall ?? 0) > SLOWER_MS;
  return el(
    "span",
    {},
    el("span", { class: "faint" }, duration(wall)),
    " ",
    el("span", slower ? { class: "error" } : {}, signed(wallChange(row))),
  );
}

/** @param {Row} row */
function tagsCell(row) {
  return el(
    "span",
    { title: spelled(row.tags.join(", ")) },
    ...row.tags.map((tag) => el("span", { class: "tag" }, tag)),
  );
}

function drawTags() {
  const tags = [...new Set(list.all.flatMap((row) => row.tags))].sort().slice(0, 1000);
  const select = byId("tag");
  select.hidden = !tags.length;
  select.replaceChildren(el("option", { value: "" }, "All tags"));
  for (const tag of tags) {
    const option = /** @type {HTMLOptionElement} */ (el("option", {}, tag));
    option.value = tag;
    select.append(option);
  }
}

/** Counted among all cases, so that a chip says what it would show. */
function drawFilters() {
  const { statuses, tag } = list.choice;
  tagBox().value = tag;
  const counts = tally(list.all.flatMap((row) => [row.status, row.change]));
  const chips = [...STATUSES, "newly failing", "newly passing", "added"].flatMap((name) => {
    const look = { label: name, tone: name.replace(" ", "-"), pressed: statuses.has(name) };
    const number = counts.get(name);
    return number ? [chip({ ...look, number }, () => ({ statuses: toggled(statuses, name) }))] : [];
  });
  byId("chips").replaceChildren(...chips);
}

/** @param {Set<string>} set @param {string} name */
function toggled(set, name) {
  const other = new Set(set);
  if (!other.delete(name)) other.add(name);
  return other;
}

function drawAnew() {
  byId("table").setAttribute("aria-rowcount", String(list.shown.length + 1));
  drawRows(true);
}

/**
 * Draw the rows near the window, and leave room for the others.
 * @param {unknown} [anew] true when rows that are drawn already may be wrong
 * @param {{first: number, last: number}} [range]
 */
function drawRows(anew, range = rangeInView()) {
  if (byId("list-page").hidden) return;
  const { first, last } = range;
  if (anew !== true && first === drawn.first && last === drawn.last) return;
  Object.assign(drawn, range);
  const focused = byId("rows").contains(document.activeElement);
  if (anew === true) byId("rows").replaceChildren();
  fillRows(first, last);
  setHeight("above", first);
  setHeight("below", list.shown.length - last);
  if (focused) elementOf(list.active)?.focus({ preventScroll: true });
  measure();
}

/**
 * Rows that stay in view stay the same elements: one that is drawn anew between the press and the
 * release of a button would lose the click.
 * @param {number} first @param {number} last
 */
function fillRows(first, last) {
  const rows = byId("rows");
  const indexOf = (/** @type {Element} */ row) => Number(row.getAttribute("data-index"));
  for (const row of [...rows.children])
    if (indexOf(row) < first || indexOf(row) >= last) row.remove();
  const top = rows.firstElementChild ? indexOf(rows.firstElementChild) : last;
  const bottom = rows.lastElementChild ? indexOf(rows.lastElementChild) + 1 : last;
  rows.prepend(...rowsFrom(first, top));
  rows.append(...rowsFrom(bottom, last));
}

/** @param {number} first @param {number} last */
function rowsFrom(first, last) {
  return list.shown.slice(first, last).map((row, index) => rowOf(row, first + index));
}

/** @returns {{first: number, last: number}} */
function rangeInView() {
  const top = -byId("above").getBoundingClientRect().top;
  const wanted = Math.floor(top / drawn.rowHeight) - OVERSCAN;
  const first = Math.min(Math.max(0, wanted), Math.max(0, list.shown.length - 1));
  const inView = Math.ceil((top + innerHeight) / drawn.rowHeight) + OVERSCAN;
  const last = Math.max(inView, first + 2 * OVERSCAN); // some also while the table is below
  return { first, last: Math.min(last, list.shown.length) };
}

/** Rows are of one height, which depends on the width of the page. */
function measure() {
  const height = byId("rows").firstElementChild?.getBoundingClientRect().height;
  if (!height || Math.abs(height - drawn.rowHeight) < 0.5) return;
  drawn.rowHeight = height;
  drawRows(true);
}

/** @param {string} id @param {number} rows */
function setHeight(id, rows) {
  /** @type {HTMLElement} */ (byId(id).querySelector("td")).style.height =
    `${rows * drawn.rowHeight}px`;
}

/** @param {Row} row @param {number} index */
function rowOf(row, index) {
  const attributes = {
    role: "row",
    class: row.status,
    "aria-rowindex": index + 2,
    "data-index": index,
    tabindex: index === list.active ? 0 : -1,
  };
  const cells = list.columns.map((column) =>
    el("td", { role: "cell", class: columnClass(column) }, column.cell(row)),
  );
  const element = el("tr", attributes, ...cells);
  openOnClick(element, row);
  element.addEventListener("focus", () => (list.active = index));
  return element;
}

/** Go to a row, wherever it is, as if one had scrolled there. @param {number} index */
function goToRow(index) {
  if (!list.shown.length) return;
  list.active = Math.min(Math.max(index, 0), list.shown.length - 1);
  const top = byId("above").getBoundingClientRect().top + list.active * drawn.rowHeight;
  const head = byId("heads").getBoundingClientRect().height + 8;
  if (top < head) scrollBy(0, top - head);
  else if (top + drawn.rowHeight > innerHeight)
    scrollBy(0, top + drawn.rowHeight - innerHeight + 8);
  drawRows(true);
  elementOf(list.active)?.focus({ preventScroll: true });
}

/** A page of rows. @returns {Record<string, number>} */
function pageMoves() {
  const page = Math.max(1, Math.floor(innerHeight / drawn.rowHeight) - 3);
  return { PageDown: page, PageUp: -page };
}
