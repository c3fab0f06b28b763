// One task: what was asked, what each criterion came to, and all answers side by side.

/**
 * @param {Row} row @param {any} task the task's line, or null when it was left out
 * @param {number} wanted the number of a trial, or 0 @param {{round_to: number, complete_at: number}} scoring
 */
function drawTask(row, task, wanted, scoring) {
  const page = byId("task-page");
  page.replaceChildren(taskHead(row));
  if (!task) return page.append(leftOut());
  page.append(el("section", {}, textBlock("Prompt", task.asked, { tone: "titled" })));
  const current = trialToShow(task.trials, wanted);
  if (task.trials.length > 1) page.append(tabsOf(row, task, current));
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
  const ways = list.conditions.slice(1).map((name, at) => {
    const difference = row.differences[at] ?? null;
    const way = wayOf(difference) || (row.ran ? "unjudged" : "not run");
    const figure = difference === null ? "" : ` ${points(difference)}`;
    return el("span", { class: "way" }, wayMark(way), el("bdi", {}, name), figure);
  });
  return el(
    "header",
    { class: "case-head" },
    taskNavigation(row),
    el("h1", { tabindex: -1, id: "task-title" }, el("bdi", { class: "id" }, row.id)),
    el("p", { class: "ways-of" }, ...ways),
  );
}

/** @param {Row} row */
function taskNavigation(row) {
  const at = list.shown.indexOf(row);
  const place = at < 0 ? "" : `${at + 1} of ${list.shown.length.toLocaleString("en")}`;
  const step = (/** @type {string} */ label, /** @type {string} */ key, /** @type {number} */ by) =>
    button(label, () => goToNeighbour(row, by), {
      title: key,
      ...(list.shown[at + by] ? {} : { disabled: "" }),
    });
  return el(
    "nav",
    { "aria-label": "Tasks" },
    el("a", { href: listAddress(list.choice), class: "back" }, "← All tasks"),
    el("span", { class: "spring" }),
    el("span", { class: "faint" }, place),
    step("Previous", "k", -1),
    step("Next", "j", 1),
  );
}

/** @param {Row} row @param {number} step */
function goToNeighbour(row, step) {
  const other = list.shown[list.shown.indexOf(row) + step];
  if (other) location.replace(addressOf(other.id)); // so that going back leads to the list
}

/** @param {Row} row @param {any} task @param {any} current */
function tabsOf(row, task, current) {
  const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Trials" });
  for (const trial of task.trials) {
    const chosenOne = trial === current;
    const tab = button("", () => location.replace(addressOf(row.id, trial.trial)), {
      role: "tab",
      class: "tab",
      "aria-selected": String(chosenOne),
      "aria-controls": "trial",
      tabindex: chosenOne ? "0" : "-1",
    });
    const scores = trial.runs.map((/** @type {any} */ run) => percent(run.score)).join(" · ");
    tab.append(`Trial ${trial.trial}`, el("span", { class: "faint" }, scores));
    tabs.append(tab);
  }
  tabs.addEventListener("keydown", moveAmongTabs);
  const more = task.left_out > 0 && `${count(task.left_out, "further trial")} left out here.`;
  return el("div", {}, tabs, more && el("p", { class: "cut" }, more));
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
  const isBaseline = run.condition === list.conditions[0];
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

/** @typedef {{label: string, value: string, note?: string, tone?: string}} Figure */

/** @param {Figure} figure */
function figureOf({ label, value, note = "", tone = "" }) {
  const below = note !== "" && el("dd", { class: "note" }, note);
  return el("div", {}, el("dt", {}, label), el("dd", { class: tone }, value), below);
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

/** @param {Element} within */
function unfold(within) {
  for (const element of within.querySelectorAll(".unfold[aria-expanded=false]"))
    /** @type {HTMLElement} */ (element).click();
}

function unfoldAll() {
  unfold(byId("task-page"));
  for (const element of document.querySelectorAll("#task-page details"))
    /** @type {HTMLDetailsElement} */ (element).open = true;
}
