// Two small plots: how long the cases took, and which tools they called.

const FEW = 40; // cases, for which bins are wide
const PLOT = { width: 360, height: 96, base: 76 };
const MOST_TOOLS = 7;

/** @param {Row[]} rows @param {(query: string) => void} search */
function drawPlots(rows, search) {
  const plots = [durationPlot(rows, search), toolPlot(rows, search)].filter(Boolean);
  byId("plots").replaceChildren(.../** @type {Element[]} */ (plots));
  byId("plots").hidden = !plots.length;
}

/** @param {Row[]} rows @param {(query: string) => void} search */
function durationPlot(rows, search) {
  const walls = rows.flatMap((row) => (row.wall === null ? [] : [row.wall])).sort((a, b) => a - b);
  if (walls.length < 2) return null;
  const scale = scaleOf(walls[0], walls[walls.length - 1]);
  const bins = binned(rows, scale, walls.length < FEW ? 15 : 30);
  const tallest = Math.max(...bins.map((bin) => bin.good + bin.bad));
  const median = Math.round((walls[(walls.length - 1) >> 1] + walls[walls.length >> 1]) / 2);
  const said = `Durations: ${duration(walls[0])} to ${duration(walls[walls.length - 1])}, median ${duration(median)}`;
  const picture = svg("svg", {
    viewBox: `0 0 ${PLOT.width} ${PLOT.height}`,
    role: "img",
    "aria-label": said,
  });
  const width = PLOT.width / bins.length;
  bins.forEach((bin, index) =>
    picture.append(...bars(bin, { x: index * width, width }, tallest, search)),
  );
  picture.append(...axis(scale, median));
  return el("figure", {}, el("figcaption", {}, "Durations"), picture);
}

/** @typedef {{low: number, high: number, toUnit: (ms: number) => number, fromUnit: (unit: number) => number}} Scale */

/** @param {number} low @param {number} high @returns {Scale} logarithmic when the durations differ widely */
function scaleOf(low, high) {
  if (high > 20 * Math.max(low, 1)) {
    const [from, to] = [Math.log(Math.max(low, 1)), Math.log(high)];
    return {
      low,
      high,
      toUnit: (ms) => (Math.log(Math.max(ms, 1)) - from) / (to - from),
      fromUnit: (unit) => Math.exp(from + unit * (to - from)),
    };
  }
  const span = Math.max(high - low, 1);
  return { low, high, toUnit: (ms) => (ms - low) / span, fromUnit: (unit) => low + unit * span };
}

/** @param {Row[]} rows @param {Scale} scale @param {number} length how many bins */
function binned(rows, scale, length) {
  const bins = Array.from({ length }, (_, index) => ({
    good: 0,
    bad: 0,
    low: Math.ceil(scale.fromUnit(index / length)),
    high: Math.ceil(scale.fromUnit((index + 1) / length)) - (index + 1 < length ? 1 : 0),
  }));
  for (const row of rows) {
    if (row.wall === null) continue;
    const wall = row.wall;
    const bin = bins.find((one) => wall <= one.high) ?? bins[length - 1];
    bin[row.status === "passed" ? "good" : "bad"]++;
  }
  return bins;
}

/** @param {{good: number, bad: number, low: number, high: number}} bin @param {{x: number, width: number}} room @param {number} tallest @param {(query: string) => void} search */
function bars(bin, room, tallest, search) {
  if (!bin.good && !bin.bad) return [];
  const unit = (PLOT.base - 4) / tallest;
  const height = (/** @type {number} */ number) => (number ? Math.max(number * unit, 2) : 0);
  const [good, bad] = [height(bin.good), height(bin.bad)];
  const place = { x: room.x + 0.75, width: room.width - 1.5 };
  const group = svg(
    "g",
    { class: "bin" },
    svg(
      "title",
      {},
      `${bin.low} – ${bin.high} ms: ${count(bin.good + bin.bad, "case")}${bin.bad ? `, ${bin.bad} not passed` : ""}`,
    ),
    svg("rect", { class: "hit", ...room, y: 0, height: PLOT.base }),
    svg("rect", { class: "passed", ...place, y: PLOT.base - good, height: good }),
    svg("rect", { class: "failed", ...place, y: PLOT.base - good - bad, height: bad }),
  );
  group.addEventListener("click", () => search(`ms:${bin.low}-${bin.high}`));
  return [group];
}

/** @param {Scale} scale @param {number} median */
function axis(scale, median) {
  const x = Math.min(Math.max(scale.toUnit(median), 0), 1) * PLOT.width;
  const text = (
    /** @type {number} */ at,
    /** @type {string} */ anchor,
    /** @type {string} */ words,
  ) => svg("text", { x: at, y: PLOT.height - 4, "text-anchor": anchor }, words);
  const middle = Math.min(Math.max(x, 100), PLOT.width - 100); // clear of the labels at the ends
  return [
    svg("line", { class: "axis", x1: 0, x2: PLOT.width, y1: PLOT.base + 0.5, y2: PLOT.base + 0.5 }),
    svg("path", { class: "median", d: `M${x} ${PLOT.base + 1}l3 5h-6z` }),
    text(0, "start", duration(scale.low)),
    text(PLOT.width, "end", duration(scale.high)),
    text(middle, "middle", `median ${duration(median)}`),
  ];
}

/** @param {Row[]} rows @param {(query: string) => void} search */
function toolPlot(rows, search) {
  const tools = toolCounts(rows);
  if (!tools.length) return null;
  const most = tools[0][1];
  const list = el("ol", { class: "tools" });
  for (const [name, number] of tools.slice(0, MOST_TOOLS)) {
    const bar = svg(
      "svg",
      { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { x: 0, y: 0, height: 6, width: (100 * number) / most }),
    );
    const line = button("", () => search(`tool:${name.split(/\s/)[0]}`), {
      title: spelled(name),
      class: "tool",
    });
    line.append(
      el("bdi", { class: "id" }, name.slice(0, 80)),
      bar,
      el("span", {}, number.toLocaleString("en")),
    );
    list.append(el("li", {}, line));
  }
  const more = tools.length - MOST_TOOLS;
  const caption = more > 0 ? `Tool calls, ${more} more tools not shown` : "Tool calls";
  return el("figure", {}, el("figcaption", {}, caption), list);
}

/** @param {Row[]} rows @returns {[string, number][]} tools by how often they were called */
function toolCounts(rows) {
  const counts = new Map();
  for (const row of rows) {
    for (const [name, number] of Object.entries(row.tools))
      counts.set(name, (counts.get(name) ?? 0) + number);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
