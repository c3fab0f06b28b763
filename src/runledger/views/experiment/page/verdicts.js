// The criteria of a task, and what each judge says of each condition's answer.

/** @param {any} run @returns {Verdict[]} */
function verdictsOf(run) {
  return run.verdicts.map((/** @type {any[]} */ fields) => {
    const [criterion, judge, word, quote, reasoning, why] = fields;
    return { criterion, judge, word: why === null ? word : "void", quote, reasoning, void: why };
  });
}

/** @param {any} task @param {any[]} runs of one trial */
function criteriaTable(task, runs) {
  const heads = runs.map((run) => el("th", { scope: "col" }, el("bdi", {}, run.condition)));
  const head = el("tr", {}, el("th", { scope: "col" }, "Criterion"), ...heads);
  const body = el("tbody");
  for (const criterion of task.criteria)
    body.append(
      el(
        "tr",
        {},
        el("th", { scope: "row" }, ...criterionWords(criterion)),
        ...runs.map((run, at) => verdictCell(criterion, run, at)),
      ),
    );
  return el("table", { class: "criteria" }, el("thead", {}, head), body);
}

/** @param {any} criterion */
function criterionWords({ id, text, check }) {
  const words = el("span", { class: "words-of" }, textOf(text));
  const how = check && el("small", {}, `checked: ${check[0]} `, el("code", {}, check[1]));
  return [el("span", { class: "id tag" }, id), words, ...(how ? [how] : [])];
}

/** @param {any} criterion @param {any} run @param {number} at which answer, from the left */
function verdictCell({ id }, run, at) {
  const given = verdictsOf(run).filter((verdict) => verdict.criterion === id);
  const cell = el("td", { "data-condition": spelled(run.condition) });
  if (given.length) cell.append(...given.map((verdict) => verdictLine(verdict, at)));
  else cell.append(el("span", { class: "faint" }, run.timed_out ? "timed out" : "not judged"));
  return cell;
}

/** @param {Verdict} verdict @param {number} at */
function verdictLine(verdict, at) {
  const [sign, tone] = VERDICTS[verdict.word] ?? VERDICTS.void;
  const mark = el(
    "span",
    { class: `mark ${tone}` },
    el("i", { "aria-hidden": "true" }, sign),
    verdict.word ?? "none",
  );
  const line = el("div", { class: "judged" }, mark, el("small", {}, verdict.judge));
  if (verdict.quote) line.append(quoteOf(verdict, at));
  if (verdict.void) line.append(el("p", { class: "cut" }, `Does not count: ${verdict.void}`));
  if (verdict.reasoning)
    line.append(el("details", {}, el("summary", {}, "reasoning"), el("p", {}, verdict.reasoning)));
  return line;
}

/** What a judge quotes, which leads to its place. @param {Verdict} verdict @param {number} at */
function quoteOf({ criterion, quote, void: why }, at) {
  if (why !== null) return el("span", { class: "said" }, `“${quote}”`);
  return button(`“${quote}”`, () => goToQuote(criterion, at), {
    class: "said",
    title: "show it in the answer",
  });
}

/** @param {string} criterion @param {number} at which answer, from the left */
function goToQuote(criterion, at) {
  const answer = itemPage().querySelectorAll(".run")[at];
  const isIt = (/** @type {Element} */ mark) =>
    JSON.parse(mark.getAttribute("data-criteria") ?? "[]").includes(criterion);
  const find = () => [...answer.querySelectorAll("mark.quote")].find(isIt);
  if (!find()) unfold(answer);
  const mark = /** @type {HTMLElement | undefined} */ (find());
  (mark ?? answer).scrollIntoView({ block: "center" });
  mark?.focus({ preventScroll: true });
}

function goToNextQuote() {
  itemPage().querySelectorAll(".run").forEach(unfold);
  goToNextPlace("mark.quote");
}
