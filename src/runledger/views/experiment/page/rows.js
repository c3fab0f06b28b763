// The tasks: what each row holds, which ones are shown, and in what order.

/**
 * @typedef {{
 *   number: number, id: string, place: number, title: string, scores: (number | null)[],
 *   differences: (number | null)[], ran: boolean, unjudged: boolean, hay: string
 * }} Row
 * @typedef {{query: string, way: string, beside: number, sort: string, down: boolean}} Choice
 */

const TIE = 1e-9;
const WAYS = ["differs", "win", "loss", "tie", "unjudged", "not run"];
/** @type {Record<string, string>} */
const WAY_SIGNS = { win: "▲", loss: "▼", tie: "=", unjudged: "?", "not run": "○" };
/** @type {Record<string, string>} */
const WAY_TONES = { win: "passed", loss: "failed", unjudged: "error", "not run": "unfinished" };

// The order in which the report writes them.
const FIELDS = "id place title scores differences ran unjudged".split(" ");

/** @param {number | null} difference @returns {string} */
function wayOf(difference) {
  if (difference === null) return "";
  return Math.abs(difference) < TIE ? "tie" : difference > 0 ? "win" : "loss";
}

/**
 * The ways that a task went, beside one condition or, at -1, beside any of them: it is a tie when
 * no condition makes a difference.
 * @param {Row} row @param {number} beside @returns {Set<string>}
 */
function waysOf(row, beside) {
  if (!row.ran) return new Set(["not run"]);
  const differences = beside < 0 ? row.differences : [row.differences[beside]];
  const ways = new Set(differences.map(wayOf).filter(Boolean));
  if (ways.has("win") || ways.has("loss")) ways.delete("tie");
  if (ways.has("win") || ways.has("loss")) ways.add("differs");
  if (row.unjudged) ways.add("unjudged");
  return ways;
}

/** What the search looks through, made when it is first asked for. @param {Row} row */
function hayOf(row) {
  return (row.hay ||= `${row.id}\n${row.title}`.toLowerCase());
}

/** By what a column sorts. @param {string} sort @returns {(row: Row) => string | number | null} */
function sortKey(sort) {
  const [what, at] = sort.split(".");
  if (what === "task") return (row) => row.id.toLowerCase();
  if (what === "score") return (row) => row.scores[Number(at)] ?? null;
  if (what === "difference") return (row) => row.differences[Number(at)] ?? null;
  return (row) => (what === "file" ? row.place : row.number);
}

/** @param {Row[]} rows @param {Choice} choice @returns {Row[]} */
function chosen(rows, choice) {
  const wanted = wordsIn(choice.query);
  const found = rows.filter(
    (row) =>
      (!choice.way || waysOf(row, choice.beside).has(choice.way)) &&
      wanted.every((word) => hayOf(row).includes(word)),
  );
  return sorted(found, sortKey(choice.sort), choice.down);
}

/** @param {number | null | undefined} value in percent */
function percent(value) {
  return value === null || value === undefined ? "–" : `${Number(value.toFixed(1))}%`;
}

/** @param {number | null | undefined} value */
function points(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value).toFixed(1);
  return `${wayOf(value) === "tie" ? "" : value > 0 ? "+" : "−"}${size}`;
}
