// One case: how it ended, why, how it stands beside the baseline, and the trace of each trial.

/**
 * @param {Row} row @param {any} record the case's line, or null when its trace was left out
 * @param {number} wanted the number of a trial, or 0
 */
function drawCase(row, record, wanted) {
  const page = itemPage();
  const trials = record?.trials ?? [];
  page.replaceChildren(caseHead(row));
  if (!trials.length) return page.append(...withoutTrace(row, Boolean(record)));
  const current = trialToShow(trials, wanted);
  if (trials.length > 1) page.append(tabsOf(row, trials, current, labelTab));
  page.append(trialPanel(row, current, trials.length > 1));
  byId("unfold-all").hidden = !page.querySelector(".unfold");
}

/** @param {any[]} trials @param {number} wanted @returns {any} unasked, the first that did not pass */
function trialToShow(trials, wanted) {
  const asked = trials.find((one) => one.trial === wanted);
  return asked ?? trials.find((one) => one.status !== "passed") ?? trials[0];
}

/** @param {Row} row @param {boolean} known whether the file would have its trace, if there were one */
function withoutTrace(row, known) {
  const leftOut =
    "The trace of this case was left out to keep this file small. It is in run.jsonl.";
  const why = el("p", { class: "nothing" }, known ? "This case was not begun." : leftOut);
  if (!row.failure) return [why];
  const [type, message, more] = row.failure;
  const words = el("pre", { class: "words" }, more ? `${message}\nand ${more} more` : message);
  return [
    why,
    el("div", { class: "failure" }, el("p", {}, el("b", { class: "type" }, type)), words),
  ];
}

/** @param {Row} row */
function caseHead(row) {
  const tone = row.change === "newly failing" ? "tag failed" : "tag";
  return el(
    "header",
    { class: "case-head" },
    navigationOf(row),
    el(
      "h1",
      { tabindex: -1, id: "case-title" },
      mark(row.status),
      el("span", { class: "id" }, row.id),
      row.change !== "" && el("span", { class: tone }, row.change),
    ),
    row.description !== "" && el("p", { class: "description" }, row.description),
    row.tags.length > 0 && el("p", {}, ...row.tags.map((tag) => el("span", { class: "tag" }, tag))),
  );
}

/** @param {HTMLElement} tab @param {any} trial */
function labelTab(tab, { status, trial, wall }) {
  tab.classList.add(status);
  tab.append(sign(status), `Trial ${trial}`, el("span", { class: "faint" }, duration(wall)));
}

/** @param {Row} row @param {any} trial @param {boolean} amongOthers */
function trialPanel(row, trial, amongOthers) {
  const unfolding = button("Unfold everything", report.unfoldAll, { id: "unfold-all" });
  return el(
    "div",
    { id: "trial", role: amongOthers ? "tabpanel" : "group", "aria-label": `Trial ${trial.trial}` },
    figuresOf(row, trial),
    failureList(trial),
    gradesOf(trial.grades),
    el("section", { "aria-label": "Trace" }, el("h2", {}, "Trace", unfolding), traceOf(trial)),
    trial.stderr && el("section", {}, el("h2", {}, "Standard error"), stderrBlock(trial.stderr)),
  );
}

/** @param {Cut} stderr its end: what was cut is the beginning */
function stderrBlock(stderr) {
  const label = typeof stderr === "string" ? "stderr" : "the end of stderr";
  const block = textBlock(label, textOf(stderr), { tail: true, tone: "stderr" });
  if (typeof stderr !== "string") block.append(cutNote(stderr));
  return block;
}

/** @param {Row} row @param {any} trial */
function figuresOf(row, trial) {
  const ended = trial.wall !== undefined;
  const figures = ended ? [...usedFigures(row.before, trial), ...endFigures(trial)] : [];
  return el("dl", { class: "figures small" }, ...figures.map(figureOf), ...notesOf(trial));
}

/** What the trial used, and the same in the baseline. @param {Row["before"]} before @param {any} trial @returns {Figure[]} */
function usedFigures(before, trial) {
  const { wall, calls, errors, tokens_in: into, tokens_out: out, cost } = trial;
  const [passed, wallBefore, callsBefore] = before ?? [false, null, 0];
  const was = passed ? "passed" : "failed";
  const slower = `baseline ${duration(wallBefore)}, ${signed(change(wall, wallBefore))}`;
  const ofCalls = [errors && `${errors} failed`, before && `baseline ${callsBefore}`];
  const tokens = (into ?? 0) + (out ?? 0);
  return [
    ...(before ? [{ label: "In the baseline", value: was, tone: was }] : []),
    { label: "Duration", value: duration(wall), note: before ? slower : "" },
    { label: "Tool calls", value: String(calls), note: ofCalls.filter(Boolean).join(", ") },
    ...(into === null && out === null
      ? []
      : [
          {
            label: "Tokens",
            value: tokens.toLocaleString("en"),
            note: `${into ?? "?"} in, ${out ?? "?"} out`,
          },
        ]),
    ...(cost === null ? [] : [{ label: "Cost", value: money(cost) }]),
  ];
}

/** What was around the agent, and how it ended. @param {any} trial @returns {Figure[]} */
function endFigures({ cassette, exit, attempt }) {
  const badly = exit.timed_out || exit.code;
  return [
    ...(cassette
      ? [
          {
            label: "Cassette",
            value: `${cassette.used} of ${cassette.entries} used`,
            note: cassette.path,
          },
        ]
      : []),
    { label: "Exit", value: exitWords(exit), tone: badly ? "failed" : "" },
    ...(attempt > 1 ? [{ label: "Attempt", value: String(attempt) }] : []),
  ];
}

/** @param {any} exit */
function exitWords({ code, signal, timed_out: timedOut }) {
  if (timedOut) return "timed out";
  if (signal) return String(signal);
  return code === null ? "–" : `code ${code}`;
}

/** @param {any} trial */
function notesOf(trial) {
  const lines = trial.cassette?.overridden ?? [];
  const notes = [
    trial.leaky && "The agent left processes behind, which were ended.",
    trial.unjudged &&
      `Not judged, because the agent reported no figure: ${trial.unjudged.join(", ")}.`,
    lines.length && `Matched only through an override: cassette line ${lines.join(", ")}.`,
  ];
  return notes.filter(Boolean).map((note) => figureOf({ label: "Note", value: "", note }));
}

/** @param {any} trial the failures first, each leading to its place in the trace */
function failureList(trial) {
  if (!trial.failures.length) return null;
  const items = trial.failures.map((/** @type {any} */ failure, /** @type {number} */ index) => {
    const [first] = textOf(failure.message).split("\n");
    const line = button("", () => goToFailure(index), { class: "jump" });
    line.append(
      el("b", { class: "type" }, failure.type),
      el("span", {}, first),
      el("span", { class: "faint", "aria-hidden": "true" }, "↓"),
    );
    return el("li", {}, line);
  });
  const title = items.length === 1 ? "" : `: ${count(items.length, "failure")}`;
  const head = el("h2", {}, `Why it did not pass${title}`);
  return el("section", { class: "why" }, head, el("ol", {}, ...items));
}

/** @param {number} index */
function goToFailure(index) {
  goToPlace(document.getElementById(`failure-${index}`));
}

/** @param {any[]} grades */
function gradesOf(grades) {
  if (!grades.length) return null;
  const plain = grades.filter((grade) => !grade.reasoning && !grade.outcome);
  const told = grades.filter((grade) => !plain.includes(grade));
  const chips = el("p", {}, ...plain.map(gradeChip));
  const head = el("h2", {}, "Grades");
  return el("section", { class: "grades" }, head, chips, ...told.map(gradeInFull));
}

/** @param {any} grade its score only where it says more than pass or fail */
function gradeChip({ grader, pass, score }) {
  const status = pass ? "passed" : "failed";
  const figure = score === Number(pass) ? "" : ` ${Number(score.toFixed(3))}`;
  return el("span", { class: `grade ${status}` }, sign(status), `${grader}${figure}`);
}

/** @param {any} grade */
function gradeInFull(grade) {
  const whole = el("div", {}, el("p", {}, gradeChip(grade)));
  if (grade.reasoning) whole.append(textBlock("reasoning", grade.reasoning));
  if (grade.outcome) whole.append(valueBlock("outcome", grade.outcome));
  return whole;
}
