// The list of tasks, with what each condition scored.

/** @typedef {{key: string, label: string, cell: (row: Row) => Element, number?: boolean}} Column */

/** @type {Choice} */
const EVERYTHING = { query: "", way: "", beside: -1, sort: "need", down: false };

/** What the list shows, and where the reader is in it. */
const list = {
  /** @type {Row[]} */ all: [],
  /** @type {Row[]} */ shown: [],
  /** @type {string[]} */ conditions: [],
  /** @type {Column[]} */ columns: [],
  /** @type {Choice} */ choice: { ...EVERYTHING },
  active: 0,
};

/** @param {{rows: any[][], conditions: string[]}} head */
function setUpList(head) {
  list.all = head.rows.map(rowFrom);
  list.conditions = head.conditions;
  list.columns = columnsFor(head.conditions);
  byId("heads").replaceChildren(...list.columns.map(headOf));
  drawBeside();
  byId("tasks").hidden = false;
  byId("search").addEventListener("input", () => choose({ query: searchBox().value }));
  byId("reset").addEventListener("click", () => choose({ ...EVERYTHING }));
}

/** @returns {HTMLInputElement} */
function searchBox() {
  return /** @type {HTMLInputElement} */ (byId("search"));
}

/** @param {string[]} conditions @returns {Column[]} */
function columnsFor(conditions) {
  const scores = conditions.map((name, at) => ({
    key: `score.${at}`,
    label: name,
    number: true,
    cell: (/** @type {Row} */ row) => scoreCell(row, at),
  }));
  return [
    { key: "need", label: "Outcome", cell: outcomeCell },
    { key: "task", label: "Task", cell: taskCell },
    ...scores,
    ...(conditions.length === 2
      ? [
          {
            key: "difference.0",
            label: "Difference",
            number: true,
            cell: (/** @type {Row} */ row) => differenceOf(row.differences[0]),
          },
        ]
      : []),
    { key: "file", label: "Prompt", cell: (row) => el("span", { class: "faint" }, row.title) },
  ];
}

/** The ways that a task went, each with a sign, for those who see no colours. @param {Row} row */
function outcomeCell(row) {
  const ways = waysOf(row, list.choice.beside);
  ways.delete("differs");
  const said = WAYS.filter((way) => ways.has(way)).map(wayMark);
  return el("span", { class: "outcomes" }, ...said);
}

/** @param {string} way */
function wayMark(way) {
  const sign = el("i", { "aria-hidden": "true" }, WAY_SIGNS[way]);
  return el("span", { class: `mark ${WAY_TONES[way] ?? "faint"}` }, sign, way);
}

/** @param {Row} row */
function taskCell(row) {
  const name = el("bdi", {}, row.id);
  return el(
    "a",
    { href: addressOf(row.id), class: "id", tabindex: -1, title: spelled(row.id) },
    name,
  );
}

/** A score; of several conditions, with its difference from the baseline. @param {Row} row @param {number} at */
function scoreCell(row, at) {
  const score = el("span", {}, percent(row.scores[at]));
  if (at === 0 || list.conditions.length === 2) return score;
  return el("span", {}, score, " ", differenceOf(row.differences[at - 1]));
}

/** @param {number | null} difference */
function differenceOf(difference) {
  const way = wayOf(difference);
  return el("b", { class: `difference ${WAY_TONES[way] ?? "faint"}` }, points(difference));
}

/** @param {Column} column */
function headOf({ key, label, number }) {
  const head = el("th", { class: columnClass(key, number), scope: "col", "data-sort": key });
  head.append(button(label, () => sortBy(key, Boolean(number)), { class: "sort" }));
  return head;
}

/** @param {string} key @param {boolean | undefined} number */
function columnClass(key, number) {
  return `c-${key.split(".")[0]}${number ? " number" : ""}`;
}

/** @param {string} key @param {boolean} number the largest first, since that is what one looks for */
function sortBy(key, number) {
  const again = list.choice.sort === key;
  choose({ sort: key, down: again ? !list.choice.down : number });
}

/** Of several conditions one may choose whose outcome counts. */
function drawBeside() {
  const select = /** @type {HTMLSelectElement} */ (byId("beside"));
  select.hidden = list.conditions.length < 3;
  select.replaceChildren(el("option", { value: "-1" }, "any condition"));
  list.conditions
    .slice(1)
    .forEach((name, at) => select.append(el("option", { value: at }, spelled(name))));
  select.addEventListener("change", () => choose({ beside: Number(select.value) }));
}

/** Counted among all tasks, so that a chip says what it would show. */
function drawChips() {
  const counts = new Map();
  for (const row of list.all)
    for (const way of waysOf(row, list.choice.beside)) counts.set(way, (counts.get(way) ?? 0) + 1);
  const ways = WAYS.filter((way) => counts.has(way));
  byId("chips").replaceChildren(
    chip("all", "", list.all.length),
    ...ways.map((way) => chip(way, way, counts.get(way))),
  );
}

/** @param {string} label @param {string} way @param {number} number */
function chip(label, way, number) {
  const element = button(label, () => choose({ way }, label), {
    class: `chip ${WAY_TONES[way] ?? ""}`,
    "aria-pressed": String(list.choice.way === way),
    "data-chip": label,
  });
  element.append(el("span", {}, number.toLocaleString("en")));
  return element;
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
  list.shown = chosen(list.all, list.choice);
  list.active = 0;
  if (searchBox().value !== list.choice.query) searchBox().value = list.choice.query;
  /** @type {HTMLSelectElement} */ (byId("beside")).value = String(list.choice.beside);
  drawChips();
  drawSortSigns();
  byId("count").textContent =
    list.shown.length === list.all.length
      ? count(list.all.length, "task")
      : `${list.shown.length.toLocaleString("en")} of ${count(list.all.length, "task")}`;
  byId("nothing").hidden = list.shown.length > 0;
  byId("rows").replaceChildren(...list.shown.map(rowOf));
}

function drawSortSigns() {
  const { sort, down } = list.choice;
  for (const head of byId("heads").children) {
    const way = down ? "descending" : "ascending";
    head.setAttribute("aria-sort", head.getAttribute("data-sort") === sort ? way : "none");
  }
}

/** @param {Row} row @param {number} index */
function rowOf(row, index) {
  const element = el(
    "tr",
    { "data-index": index, tabindex: index === list.active ? 0 : -1 },
    ...list.columns.map(({ key, number, cell }) =>
      el("td", { class: columnClass(key, number) }, cell(row)),
    ),
  );
  element.addEventListener("click", (event) => {
    const plain =
      !event.ctrlKey && !event.metaKey && !event.shiftKey && !getSelection()?.toString();
    if (plain && !(/** @type {Element} */ (event.target).closest("a")))
      location.hash = addressOf(row.id);
  });
  element.addEventListener("focus", () => setActive(index));
  return element;
}

/** @param {number} index @returns {HTMLElement | null} */
function elementOf(index) {
  return byId("rows").querySelector(`[data-index="${index}"]`);
}

/** One row at a time is reached by Tab, the others by arrows. @param {number} index */
function setActive(index) {
  elementOf(list.active)?.setAttribute("tabindex", "-1");
  list.active = index;
  elementOf(index)?.setAttribute("tabindex", "0");
}

/** @param {number} index */
function goToRow(index) {
  if (!list.shown.length) return;
  setActive(Math.min(Math.max(index, 0), list.shown.length - 1));
  const row = elementOf(list.active);
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

/** @param {KeyboardEvent} event @returns {boolean} whether the list knew the key */
function listKey(event) {
  const inRow = byId("rows").contains(document.activeElement);
  /** @type {Record<string, number>} */
  const moves = {
    j: 1,
    k: -1,
    ...(inRow && { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }),
  };
  if (event.key in moves) goToRow(inRow ? list.active + moves[event.key] : list.active);
  else if (event.key === "Enter" && inRow) location.hash = addressOf(list.shown[list.active].id);
  else return false;
  return true;
}
