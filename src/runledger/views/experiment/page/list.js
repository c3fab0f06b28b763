// The list of tasks, with what each condition scored.

/** What the experiment is about, the baseline first. @type {string[]} */
let conditions = [];

/** @param {{rows: any[][], conditions: string[]}} head */
function setUpTasks(head) {
  conditions = head.conditions;
  setUpTable(rowsIn(head.rows, FIELDS), columnsFor(conditions), choiceIn);
  setUpBeside();
}

function besideBox() {
  return /** @type {HTMLSelectElement} */ (byId("beside"));
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
  if (at === 0 || conditions.length === 2) return score;
  return el("span", {}, score, " ", differenceOf(row.differences[at - 1]));
}

/** @param {number | null} difference */
function differenceOf(difference) {
  const way = wayOf(difference);
  return el("b", { class: `difference ${WAY_TONES[way] ?? "faint"}` }, points(difference));
}

/** Of several conditions one may choose whose outcome counts. */
function setUpBeside() {
  const box = besideBox();
  const others = conditions.slice(1);
  box.hidden = others.length < 2;
  box.replaceChildren(
    el("option", { value: "-1" }, "any condition"),
    ...others.map((name, at) => el("option", { value: at }, spelled(name))),
  );
  box.addEventListener("change", () => choose({ beside: Number(box.value) }));
}

/** Counted among all tasks, so that a chip says what it would show. */
function drawFilters() {
  const { way: chosenWay, beside } = list.choice;
  besideBox().value = String(beside);
  const counts = tally(list.all.flatMap((row) => [...waysOf(row, beside)]));
  const chipOf = (/** @type {string} */ label, /** @type {string} */ way, number = 0) => {
    const look = { label, tone: WAY_TONES[way] ?? "", number, pressed: chosenWay === way };
    return chip(look, () => ({ way }));
  };
  byId("chips").replaceChildren(
    chipOf("all", "", list.all.length),
    ...WAYS.filter((way) => counts.has(way)).map((way) => chipOf(way, way, counts.get(way))),
  );
}

function drawRows() {
  byId("rows").replaceChildren(...list.shown.map(rowOf));
}

/** @param {Row} row @param {number} index */
function rowOf(row, index) {
  const element = el(
    "tr",
    { "data-index": index, tabindex: index === list.active ? 0 : -1 },
    ...list.columns.map((column) => el("td", { class: columnClass(column) }, column.cell(row))),
  );
  openOnClick(element, row);
  element.addEventListener("focus", () => setActive(index));
  return element;
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
