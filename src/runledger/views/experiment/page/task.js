// One task: what was asked, what each criterion came to, and all answers side by side.

/**
 * @param {Row} row @param {any} task the task's line, or null when it was left out
 * @param {number} wanted the number of a trial, or 0 @param {{round_to: number, complete_at: number}} scoring
 */
function drawTask(row, task, wanted, scoring) {
  const page = itemPage();
  page.replaceChildren(taskHead(row));
  if (!task) return page.append(leftOut());
  page.append(el("section", {}, textBlock("Prompt", task.asked, { tone: "titled" })));
  const current = trialToShow(task.trials, wanted);
  if (task.trials.length > 1) page.append(tabsWithNote(row, task, current));
  if (current) page.append(trialPanel(task, current, scoring));
  else page.append(el("p", { class: "nothing" }, "No run of this task counts yet."));
  if (task.failed.length) page.append(failedSection(task.failed));
}

/** @param {any[]} trials @param {number} wanted */
function trialToShow(trials, wanted) {
  return trials.find((one) => one.trial === wanted) ?? trials[0];
}

function leftOut() {
  const words =
    "The answers to this task were left out to keep this file small. They are in runs/.";
  return el("p", { class: "nothing" }, words);
}

/** @param {Row} row */
function taskHead(row) {
  const ways = conditions.slice(1).map((name, at) => {
    const difference = row.differences[at] ?? null;
    const way = wayOf(difference) || (row.ran ? "unjudged" : "not run");
    const figure = difference === null ? "" : ` ${points(difference)}`;
    return el("span", { class: "way" }, wayMark(way), el("bdi", {}, name), figure);
  });
  return el(
    "header",
    { class: "case-head" },
    navigationOf(row),
    el("h1", { tabindex: -1, id: "task-title" }, el("bdi", { class: "id" }, row.id)),
    el("p", { class: "ways-of" }, ...ways),
  );
}

/** @param {Row} row @param {any} task @param {any} current */
function tabsWithNote(row, task, current) {
  const tabs = tabsOf(row, task.trials, current, labelTab);
  const more = task.left_out > 0 && `${count(task.left_out, "further trial")} left out here.`;
  return el("div", {}, tabs, more && el("p", { class: "cut" }, more));
}

/** @param {HTMLElement} tab @param {any} trial */
function labelTab(tab, { trial, runs }) {
  const scores = runs.map((/** @type {any} */ run) => percent(run.score)).join(" · ");
  tab.append(`Trial ${trial}`, el("span", { class: "faint" }, scores));
}

/** @param {any} task @param {any} trial @param {{round_to: number, complete_at: number}} scoring */
function trialPanel(task, trial, scoring) {
  const criteria = task.criteria.length > 0 && [
    el("h2", {}, "Criteria"),
    el("div", { class: "wide" }, criteriaTable(task, trial.runs)),
  ];
  return el(
    "div",
    { id: "trial", role: "group", "aria-label": `Trial ${trial.trial}` },
    criteria && el("section", {}, ...criteria),
    el(
      "section",
      {},
      el("h2", {}, "Answers"),
      el(
        "div",
        { class: "runs" },
        ...trial.runs.map((/** @type {any} */ run) => runColumn(run, scoring)),
      ),
    ),
  );
}

/** @param {any} run @param {{round_to: number, complete_at: number}} scoring */
function runColumn(run, scoring) {
  const isBaseline = run.condition === conditions[0];
  const name = el(
    "h3",
    {},
    el("bdi", {}, run.condition),
    isBaseline && el("span", { class: "tag" }, "baseline"),
    run.timed_out && el("span", { class: "tag failed" }, "timed out"),
  );
  return el(
    "article",
    { class: "run", "aria-label": spelled(run.condition) },
    name,
    el("dl", { class: "figures small" }, ...figuresOf(run, scoring).map(figureOf)),
    ...run.errors.map((/** @type {string} */ error) => el("pre", { class: "words failed" }, error)),
    answerBlock(run, verdictsOf(run)),
  );
}

/** @param {any} run @param {{round_to: number, complete_at: number}} scoring @returns {Figure[]} */
function figuresOf(run, scoring) {
  const [into, out] = run.tokens;
  const tokens = into === null && out === null ? null : (into ?? 0) + (out ?? 0);
  const counted = [
    { label: "Tool calls", pair: run.calls },
    { label: "Files read", pair: run.files },
  ].map(({ label, pair: [number, said] }) => ({
    label,
    value: figure(number),
    note: said === null ? "" : `reports ${figure(said)}`,
    tone: number !== null && said !== null && number !== said ? "error" : "",
  }));
  return [
    scoreFigure(run, scoring),
    { label: "Duration", value: duration(Math.round(run.seconds * 1000)), note: ranAs(run) },
    ...counted,
    ...(run.turns === null ? [] : [{ label: "Turns", value: figure(run.turns) }]),
    ...(tokens === null
      ? []
      : [
          {
            label: "Tokens",
            value: figure(tokens),
            note: `${figure(into)} in, ${figure(out)} out`,
          },
        ]),
    ...(run.cost === null ? [] : [{ label: "Cost", value: money(run.cost) }]),
  ];
}

/** A score as far as its author wants to see it. @param {any} run @param {{round_to: number, complete_at: number}} scoring @returns {Figure} */
function scoreFigure({ score, complete }, scoring) {
  if (score === null) return { label: "Score", value: "–", note: "not judged", tone: "error" };
  const rounded = Math.floor(score / scoring.round_to + 0.5) * scoring.round_to;
  const exact = Math.abs(rounded - score) < 0.05 ? "" : `${percent(score)} unrounded, `;
  const word = complete ? "complete" : `under ${percent(scoring.complete_at)}`;
  const tone = complete ? "passed" : "";
  return { label: "Score", value: percent(rounded), note: exact + word, tone };
}

/** @param {any} run */
function ranAs({ place, attempt }) {
  const order = `ran ${["1st", "2nd", "3rd"][place - 1] ?? `${place}th`}`;
  return attempt > 1 ? `${order}, attempt ${attempt}` : order;
}

/** @param {number | null} value */
function figure(value) {
  return value === null ? "–" : value.toLocaleString("en");
}

/** @param {any[][]} failed */
function failedSection(failed) {
  const rows = failed.map(([condition, trial, attempt, state, why]) =>
    el(
      "li",
      {},
      el("b", {}, el("bdi", {}, condition)),
      ` trial ${trial}, attempt ${attempt}: `,
      el("span", { class: "error" }, state),
      why ? ` (${why})` : "",
    ),
  );
  const head = el("h2", {}, "Attempts that do not count");
  return el("section", { class: "discards" }, head, el("ul", {}, ...rows));
}

function unfoldAll() {
  unfold(itemPage());
  for (const element of itemPage().querySelectorAll("details"))
    /** @type {HTMLDetailsElement} */ (element).open = true;
}
