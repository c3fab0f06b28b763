// The trace of a trial as a timeline: every step with its time, every call beside its answer.

const WHOLE_WIDTH = 110; // characters of a line of JSON, alone or beside another
const HALF_WIDTH = 64;
const INLINE = 160; // characters that stay on the line of their step

/** @param {any} trial @returns {HTMLElement} */
function traceOf(trial) {
  const total = Math.max(
    1,
    ...trial.steps.map((/** @type {any} */ step) => (step.ms ?? 0) + (step.took ?? 0)),
  );
  const timeline = el("ol", { class: "timeline" });
  for (const step of trial.steps) timeline.append(stepOf(step, trial, total));
  timeline.append(...endingOf(trial));
  return timeline;
}

/** @param {any} step @param {any} trial @param {number} total */
function stepOf(step, trial, total) {
  if (step.kind === "gap")
    return el(
      "li",
      { class: "gap" },
      `${count(step.steps, "step")} left out here; they are in run.jsonl`,
    );
  const failures = (step.failures ?? []).map((/** @type {number} */ index) => ({
    index,
    ...trial.failures[index],
  }));
  const item = el("li", { class: `step ${step.kind}${failures.length ? " concerned" : ""}` });
  item.append(gutter(step, total), bodyOf(step, failures));
  return item;
}

/** @param {any} step @param {number} total */
function gutter(step, total) {
  const bar = svg("svg", {
    class: "bar",
    viewBox: "0 0 100 4",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const width = Math.max((100 * (step.took ?? 0)) / total, 1.2);
  bar.append(
    svg("rect", { class: "track", x: 0, y: 0, width: 100, height: 4 }),
    svg("rect", {
      class: step.ok === false ? "failed" : "",
      x: Math.min((100 * step.ms) / total, 98.8),
      y: 0,
      width,
      height: 4,
    }),
  );
  return el(
    "div",
    { class: "gutter" },
    el("span", { class: "offset" }, `+${duration(step.ms)}`),
    bar,
  );
}

/** @param {any} step @param {any[]} failures */
function bodyOf(step, failures) {
  const draw = BODIES[step.kind] ?? (() => [valueBlock("value", JSON.stringify(step))]);
  const body = el("div", { class: "body" }, ...draw(step, failures));
  if (step.extra) body.append(valueBlock("beside it", step.extra));
  body.append(...failures.map((failure) => failureCard(failure)));
  return body;
}

/** How each kind of step is drawn. @type {Record<string, (step: any, failures: any[]) => Element[]>} */
const BODIES = {
  input: (step) => [valueBlock("Input", step.value, { tone: "titled" })],
  call: callBody,
  message: (step) => [textBlock("Message", step.text, { tone: "titled" })],
  thought: (step) => [textBlock("Thought", step.text, { tone: "titled" })],
  plan: (step) => [stepHead("Plan"), planOf(step.entries)],
  log: (step) => saidBody(stepHead("Log", levelMark(step.level)), step),
  usage: (step) => [stepHead("Usage", el("span", { class: "faint" }, usageWords(step)))],
  output: (step) => [valueBlock("Final output", step.value, { tone: "titled" })],
  gave_up: (step) => saidBody(stepHead("Gave up"), step),
};

/** @param {string} title @param {...Element} rest */
function stepHead(title, ...rest) {
  return el("h4", {}, title, ...rest);
}

/** @param {any} step @param {any[]} failures */
function callBody(step, failures) {
  const head = stepHead("", el("bdi", { class: "id" }, step.name), ...callEnding(step));
  const args = valueBlock("arguments", step.args, { beside: true });
  return [head, el("div", { class: "sides" }, args, answerOf(step, failures))];
}

/** @param {any} step */
function callEnding({ took, ok }) {
  if (took === undefined) return [el("span", { class: "failed" }, "no answer")];
  const time = el("span", { class: "faint" }, duration(took));
  return ok ? [time] : [time, el("span", { class: "failed" }, "failed")];
}

/** @param {any} step @param {any[]} failures */
function answerOf({ took, ok, result }, failures) {
  if (took !== undefined && ok) return valueBlock("result", result, { beside: true });
  if (took !== undefined) return valueBlock("error", result, { beside: true, tone: "failed" });
  const why = failures.length ? "No answer was given: see below." : "No answer was given.";
  return el("p", { class: "unanswered" }, why);
}

/** What was said, and the data with it: in the head while short, below it else. @param {Element} head @param {any} step */
function saidBody(head, { text, value }) {
  const body = [head];
  if (isShort(text)) head.append(el("bdi", {}, text));
  else body.push(textBlock("message", text));
  if (value && isShort(value)) head.append(coloured(layOut(value, 2 * INLINE)));
  else if (value) body.push(valueBlock("data", value));
  return body;
}

/** @param {Cut} cut */
function isShort(cut) {
  return typeof cut === "string" && cut.length <= INLINE && !cut.includes("\n");
}

/** @param {string} level */
function levelMark(level) {
  return el("span", { class: `level ${levelOf(level)}` }, level);
}

/** @param {any[]} entries */
function planOf(entries) {
  return el(
    "ul",
    { class: "plan" },
    ...entries.map((entry) =>
      el(
        "li",
        { class: entry.status === "completed" ? "done" : "" },
        el("span", { class: "faint" }, entry.status),
        ` ${textOf(entry.text)}`,
      ),
    ),
  );
}

/** @param {string} level */
function levelOf(level) {
  return /^(err|crit|fatal)/i.test(level) ? "failed" : /^warn/i.test(level) ? "error" : "";
}

/** @param {any} usage */
function usageWords(usage) {
  const words = [
    usage.in !== null && `${count(usage.in, "token")} in`,
    usage.out !== null && `${count(usage.out, "token")} out`,
    usage.cost !== null && money(usage.cost),
    usage.model,
    usage.seen && "seen in the model's answer",
  ];
  return words.filter(Boolean).join(" · ");
}

/** What no step stands for: failures about the whole, and how the agent ended. @param {any} trial */
function endingOf(trial) {
  const placed = new Set(trial.steps.flatMap((/** @type {any} */ step) => step.failures ?? []));
  const failures = trial.failures.map(
    (/** @type {any} */ failure, /** @type {number} */ index) => ({ index, ...failure }),
  );
  const left = failures.filter((/** @type {any} */ failure) => !placed.has(failure.index));
  if (!left.length) return [];
  const item = el(
    "li",
    { class: "step end concerned" },
    el("div", { class: "gutter" }, el("span", { class: "offset" }, "end")),
  );
  item.append(
    el(
      "div",
      { class: "body" },
      stepHead("About the whole trial"),
      ...left.map((/** @type {any} */ failure) => failureCard(failure)),
    ),
  );
  return [item];
}

/** A failure beside the step that it concerns. @param {any} failure */
function failureCard(failure) {
  const [first, ...others] = textOf(failure.message).split("\n");
  const card = el(
    "div",
    { class: "failure", id: `failure-${failure.index}`, tabindex: -1 },
    el("p", {}, el("b", { class: "type" }, failure.type), ` ${first}`),
  );
  if (failure.nearest) card.append(nearestOf(failure.nearest), ...adviceOf(others));
  if (failure.expected !== undefined) card.append(expectedOf(failure));
  const rest = failure.nearest ? [] : others;
  if (rest.length) card.append(el("pre", { class: "words" }, rest.join("\n")));
  if (failure.nearest) card.append(wholeMessage(failure.message));
  for (const detail of failure.details ?? [])
    card.append(
      detail.json === undefined
        ? textBlock(detail.key, detail.text)
        : valueBlock(detail.key, detail.json),
    );
  if (Array.isArray(failure.message)) card.append(cutNote(failure.message));
  return card;
}

/** @param {any} failure */
function expectedOf(failure) {
  const where = failure.path && plainTextIn(failure.path);
  return el(
    "div",
    {},
    where && where !== "$" && el("p", { class: "where" }, "at ", el("code", {}, where)),
    el(
      "div",
      { class: "sides" },
      valueBlock("expected", failure.expected, { beside: true }),
      valueBlock("found", failure.found, { beside: true, tone: "failed" }),
    ),
  );
}

/** The recorded entry that comes nearest to a call, path by path. @param {any} nearest */
function nearestOf(nearest) {
  const body = el("tbody");
  for (const one of nearest.differences) {
    const [recorded, called] = sidesOf(one);
    body.append(
      el(
        "tr",
        {},
        el("th", { scope: "row" }, el("code", {}, one.path)),
        el("td", { class: "recorded" }, recorded),
        el("td", { class: "called" }, called),
      ),
    );
  }
  const head = el(
    "tr",
    {},
    el("th", {}, "Differs at"),
    el("th", {}, `Recorded, line ${nearest.line}`),
    el("th", {}, "Called"),
  );
  return el(
    "div",
    { class: "wide" },
    el("table", { class: "nearest" }, el("thead", {}, head), body),
  );
}

/** @param {{recorded?: Cut, called?: Cut}} one either side may have nothing there */
function sidesOf({ recorded, called }) {
  if (recorded !== undefined && called !== undefined)
    return differing(textOf(recorded), textOf(called));
  const side = (/** @type {Cut | undefined} */ cut) =>
    cut === undefined
      ? el("i", { class: "faint" }, "nothing")
      : el("code", {}, el("mark", {}, textOf(cut)));
  return [side(recorded), side(called)];
}

/** Mark the part in which two texts differ. @param {string} left @param {string} right */
function differing(left, right) {
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  let end = 0;
  while (
    end < Math.min(left.length, right.length) - start &&
    left.at(-1 - end) === right.at(-1 - end)
  )
    end++;
  const side = (/** @type {string} */ text) =>
    el(
      "code",
      {},
      text.slice(0, start),
      el("mark", {}, text.slice(start, text.length - end)),
      text.slice(text.length - end),
    );
  return [side(left), side(right)];
}

/** The commands and rules that a message offers, ready to be copied. @param {string[]} lines */
function adviceOf(lines) {
  return lines.flatMap((line) => {
    const [, what, command] = /^(to [a-z ]+): (.+)$/s.exec(line) ?? [];
    return command
      ? [
          el(
            "p",
            { class: "advice" },
            `${what}: `,
            el("code", {}, command),
            copyButton(() => command, what),
          ),
        ]
      : [];
  });
}

/** @param {Cut} message */
function wholeMessage(message) {
  return el(
    "details",
    {},
    el("summary", {}, "The whole message"),
    el("pre", { class: "words" }, textOf(message)),
  );
}

/**
 * A JSON value with its size, a way to copy it, and a fold when it is long.
 * @param {string} label @param {Cut} cut @param {{tone?: string, beside?: boolean}} [look]
 */
function valueBlock(label, cut, look = {}) {
  const plain = plainTextIn(cut);
  if (plain !== null) return textBlock(label, plain, look);
  const lines = layOut(textOf(cut), look.beside ? HALF_WIDTH : WHOLE_WIDTH);
  return block(label, cut, look, lines.length, (most) => coloured(lines.slice(0, most)));
}
