// One case: how it ended, why, how it stands beside the baseline, and the trace of each trial.

/**
 * @param {Row} row @param {any} record the case's line, or null when its trace was left out
 * @param {number} wanted the number of a trial, or 0
 */
function drawCase(row, record, wanted) {
  const page = byId("case-page");
  page.replaceChildren(caseHead(row));
  if (!record)
    page.append(
      el(
        "p",
        { class: "nothing" },
        "The trace of this case was left out to keep this file small. It is in run.jsonl.",
      ),
    );
  const trials = record?.trials ?? [];
  if (record && !trials.length)
    page.append(el("p", { class: "nothing" }, "This case was not begun."));
  if (!trials.length) return failuresOf(row).forEach((one) => page.append(one));
  const panel = el("div", {
    id: "trial",
    role: trials.length > 1 ? "tabpanel" : "group",
    "aria-label": "Trial",
  });
  const current =
    trials.find((/** @type {any} */ one) => one.trial === wanted) ??
    trials.find((/** @type {any} */ one) => one.status !== "passed") ??
    trials[0];
  if (trials.length > 1) page.append(tabsOf(row, trials, current));
  page.append(panel);
  drawTrial(row, current, panel);
}

/** @param {Row} row @returns {HTMLElement[]} what the row alone knows */
function failuresOf(row) {
  if (!row.failure) return [];
  const [type, message, more] = row.failure;
  const text = more ? `${message}\nand ${more} more` : message;
  return [
    el(
      "div",
      { class: "failure" },
      el("p", {}, el("b", { class: "type" }, type)),
      el("pre", { class: "words" }, text),
    ),
  ];
}

/** @param {Row} row */
function caseHead(row) {
  const at = list.shown.indexOf(row);
  const head = el("header", { class: "case-head" });
  head.append(
    el(
      "nav",
      { "aria-label": "Cases" },
      el("a", { href: "#", class: "back", id: "back" }, "← All cases"),
      el("span", { class: "spring" }),
      el(
        "span",
        { class: "faint" },
        at < 0 ? "" : `${at + 1} of ${list.shown.length.toLocaleString("en")}`,
      ),
      button("Previous", () => goToNeighbour(row, -1), {
        title: "k",
        ...(at > 0 ? {} : { disabled: "" }),
      }),
      button("Next", () => goToNeighbour(row, 1), {
        title: "j",
        ...(at < list.shown.length - 1 ? {} : { disabled: "" }),
      }),
    ),
    el(
      "h1",
      { tabindex: -1, id: "case-title" },
      mark(row.status),
      el("span", { class: "id" }, row.id),
      row.change !== "" &&
        el("span", { class: `tag ${row.change === "newly failing" ? "failed" : ""}` }, row.change),
    ),
  );
  if (row.description) head.append(el("p", { class: "description" }, row.description));
  if (row.tags.length)
    head.append(el("p", {}, ...row.tags.map((tag) => el("span", { class: "tag" }, tag))));
  return head;
}

/** @param {Row} row @param {number} step */
function goToNeighbour(row, step) {
  const other = list.shown[list.shown.indexOf(row) + step];
  if (other) location.replace(addressOf(other.id)); // so that going back leads to the list
}

/** @param {Row} row @param {any[]} trials @param {any} current */
function tabsOf(row, trials, current) {
  const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Trials" });
  for (const trial of trials) {
    const chosenOne = trial === current;
    const tab = button("", () => location.replace(addressOf(row.id, trial.trial)), {
      role: "tab",
      class: `tab ${trial.status}`,
      "aria-selected": String(chosenOne),
      "aria-controls": "trial",
      tabindex: chosenOne ? "0" : "-1",
    });
    tab.append(
      el(
        "i",
        { "aria-hidden": "true" },
        MARKS[/** @type {keyof typeof MARKS} */ (trial.status)] ?? "",
      ),
      `Trial ${trial.trial}`,
      el("span", { class: "faint" }, duration(trial.wall)),
    );
    tabs.append(tab);
  }
  tabs.addEventListener("keydown", moveAmongTabs);
  return tabs;
}

/** @param {KeyboardEvent} event */
function moveAmongTabs(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = [.../** @type {HTMLElement} */ (event.currentTarget).children];
  const next = tabs[tabs.indexOf(/** @type {Element} */ (event.target)) + step];
  /** @type {HTMLElement | undefined} */ (next)?.click();
}

/** @param {Row} row @param {any} trial @param {Element} panel */
function drawTrial(row, trial, panel) {
  const parts = [
    figuresOf(row, trial),
    failureList(trial),
    gradesOf(trial.grades),
    el(
      "section",
      { "aria-label": "Trace" },
      el("h2", {}, "Trace", button("Unfold everything", unfoldAll, { id: "unfold-all" })),
      traceOf(trial),
    ),
    trial.stderr && el("section", {}, el("h2", {}, "Standard error"), stderrBlock(trial.stderr)),
  ];
  panel.replaceChildren(.../** @type {Element[]} */ (parts.filter(Boolean)));
  byId("unfold-all").hidden = !document.querySelector("#case-page .unfold");
}

/** @param {Cut} stderr its end: what was cut is the beginning */
function stderrBlock(stderr) {
  const block = textBlock(
    typeof stderr === "string" ? "stderr" : "the end of stderr",
    textOf(stderr),
    { tail: true, tone: "stderr" },
  );
  if (typeof stderr !== "string") block.append(cutNote(stderr));
  return block;
}

/** @param {Row} row @param {any} trial */
function figuresOf(row, trial) {
  const before = row.before;
  const figures = el("dl", { class: "figures small" });
  const add = (/** @type {string} */ label, /** @type {string} */ value, note = "", tone = "") =>
    figures.append(
      el(
        "div",
        {},
        el("dt", {}, label),
        el("dd", { class: tone }, value),
        note !== "" && el("dd", { class: "note" }, note),
      ),
    );
  if (before)
    add("In the baseline", before[0] ? "passed" : "failed", "", before[0] ? "passed" : "failed");
  if (trial.wall !== undefined)
    add(
      "Duration",
      duration(trial.wall),
      before ? `baseline ${duration(before[1])}, ${signed(change(trial.wall, before[1]))}` : "",
    );
  if (trial.calls !== undefined)
    add(
      "Tool calls",
      String(trial.calls),
      [trial.errors && `${trial.errors} failed`, before && `baseline ${before[2]}`]
        .filter(Boolean)
        .join(", "),
    );
  if (trial.tokens_in ?? trial.tokens_out ?? null)
    add(
      "Tokens",
      ((trial.tokens_in ?? 0) + (trial.tokens_out ?? 0)).toLocaleString("en"),
      `${trial.tokens_in ?? "?"} in, ${trial.tokens_out ?? "?"} out`,
    );
  if ((trial.cost ?? null) !== null) add("Cost", money(trial.cost));
  if (trial.cassette)
    add(
      "Cassette",
      `${trial.cassette.used} of ${trial.cassette.entries} used`,
      trial.cassette.path,
    );
  if (trial.exit)
    add("Exit", exitWords(trial.exit), "", trial.exit.timed_out || trial.exit.code ? "failed" : "");
  if (trial.attempt > 1) add("Attempt", String(trial.attempt));
  figures.append(...notesOf(trial));
  return figures;
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
  return notes
    .filter(Boolean)
    .map((note) =>
      el("div", { class: "remark" }, el("dt", {}, "Note"), el("dd", { class: "note" }, note)),
    );
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
  return el(
    "section",
    { class: "why" },
    el(
      "h2",
      {},
      trial.failures.length === 1
        ? "Why it did not pass"
        : `Why it did not pass: ${count(items.length, "failure")}`,
    ),
    el("ol", {}, ...items),
  );
}

/** @param {number} index */
function goToFailure(index) {
  const card = document.getElementById(`failure-${index}`);
  card?.scrollIntoView({ block: "center" });
  card?.focus({ preventScroll: true });
}

/** Go to the failure after the one that has the focus, and from the last to the first. */
function goToNextFailure() {
  const cards = [...document.querySelectorAll("#case-page .timeline .failure")];
  const at = cards.indexOf(/** @type {Element} */ (document.activeElement));
  const next = /** @type {HTMLElement | undefined} */ (cards[(at + 1) % cards.length]);
  next?.scrollIntoView({ block: "center" });
  next?.focus({ preventScroll: true });
}

/** @param {any[]} grades */
function gradesOf(grades) {
  if (!grades.length) return null;
  const plain = grades.filter((grade) => !grade.reasoning && !grade.outcome);
  const chips = plain.map((grade) =>
    el(
      "span",
      { class: `grade ${grade.pass ? "passed" : "failed"}` },
      el("i", { "aria-hidden": "true" }, grade.pass ? "✓" : "✕"),
      `${grade.grader}${scoreWords(grade)}`,
    ),
  );
  const told = grades.filter((grade) => !plain.includes(grade)).map(gradeInFull);
  return el("section", { class: "grades" }, el("h2", {}, "Grades"), el("p", {}, ...chips), ...told);
}

/** @param {any} grade a score that says more than pass or fail */
function scoreWords(grade) {
  return grade.score === (grade.pass ? 1 : 0) ? "" : ` ${Number(grade.score.toFixed(3))}`;
}

/** @param {any} grade */
function gradeInFull(grade) {
  const head = el(
    "p",
    {},
    el(
      "span",
      { class: `grade ${grade.pass ? "passed" : "failed"}` },
      el("i", { "aria-hidden": "true" }, grade.pass ? "✓" : "✕"),
      `${grade.grader} ${Number(grade.score.toFixed(3))}`,
    ),
  );
  const whole = el("div", {}, head);
  if (grade.reasoning) whole.append(textBlock("reasoning", grade.reasoning));
  if (grade.outcome) whole.append(valueBlock("outcome", grade.outcome));
  return whole;
}

function unfoldAll() {
  for (const element of document.querySelectorAll("#case-page .unfold[aria-expanded=false]"))
    /** @type {HTMLElement} */ (element).click();
}
