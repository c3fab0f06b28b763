// The cases: what each row holds, which ones are shown, and in what order.

/**
 * @typedef {{
 *   number: number, id: string, status: string, place: number, wall: number | null, calls: number,
 *   errors: number, tokensIn: number | null, tokensOut: number | null, cost: number | null,
 *   passedTrials: number, tags: string[], description: string,
 *   failure: [type: string, message: string, more: number] | null, tools: Record<string, number>,
 *   change: string, before: [passed: boolean, wall: number | null, calls: number, errors: number] | null,
 *   hay: string
 * }} Row
 * @typedef {{query: string, statuses: Set<string>, tag: string, sort: string, down: boolean}} Choice
 */

const STATUSES = ["failed", "error", "unfinished", "passed"];
/** @type {Record<string, string>} */
const MARKS = { passed: "✓", failed: "✕", error: "!", unfinished: "○" };

// The order in which the report writes them.
const FIELDS =
  "id status place wall calls errors tokensIn tokensOut cost passedTrials tags description failure tools change before".split(
    " ",
  );

/** What the search looks through, made when it is first asked for. @param {Row} row */
function hayOf(row) {
  const { id, description, failure, change, tools, tags } = row;
  const texts = [
    id,
    description,
    failure?.[0],
    failure?.[1],
    change,
    ...Object.keys(tools),
    ...tags,
  ];
  return (row.hay ||= texts.join("\n").toLowerCase());
}

/** @param {Row} row */
function allTokens(row) {
  return row.tokensIn === null && row.tokensOut === null
    ? null
    : (row.tokensIn ?? 0) + (row.tokensOut ?? 0);
}

/** @param {Row} row */
function wallChange(row) {
  return row.before ? change(row.wall, row.before[1]) : null;
}

/** By what a column sorts. @type {Record<string, (row: Row) => string | number | null>} */
const SORTS = {
  need: (row) => row.number, // the report has the rows in this order
  suite: (row) => row.place,
  id: (row) => row.id.toLowerCase(),
  why: (row) => (row.failure ? row.failure.join(" ") : null),
  trials: (row) => row.passedTrials,
  wall: (row) => row.wall,
  change: wallChange,
  calls: (row) => row.calls,
  tokens: allTokens,
  cost: (row) => row.cost,
  tags: (row) => row.tags.join(" ") || null,
};

/** @param {Row[]} rows @param {Choice} choice @returns {Row[]} */
function chosen(rows, choice) {
  const tests = testsFor(choice.query);
  const found = rows.filter(
    (row) =>
      (!choice.statuses.size ||
        choice.statuses.has(row.status) ||
        choice.statuses.has(row.change)) &&
      (!choice.tag || row.tags.includes(choice.tag)) &&
      tests.every((test) => test(row)),
  );
  return sorted(found, SORTS[choice.sort] ?? SORTS.need, choice.down);
}

/** @param {string} query @returns {((row: Row) => boolean)[]} one for each word */
function testsFor(query) {
  return wordsIn(query).map(testFor);
}

/** @param {string} word @returns {(row: Row) => boolean} */
function testFor(word) {
  const [, place, what] = /^(tool|tag|ms|is):(.*)$/s.exec(word) ?? [];
  if (place === "tool")
    return (row) => Object.keys(row.tools).some((name) => name.toLowerCase().includes(what));
  if (place === "tag") return (row) => row.tags.some((tag) => tag.toLowerCase().includes(what));
  if (place === "is") return (row) => row.status.startsWith(what) || row.change.startsWith(what);
  if (place === "ms") return lasting(what);
  return (row) => hayOf(row).includes(word);
}

/** @param {string} range "100-200", "100-" or "-200" */
function lasting(range) {
  const [low, high] = range.split("-").map((end) => (end === "" ? NaN : Number(end)));
  return (/** @type {Row} */ { wall }) => wall !== null && !(wall < low) && !(wall > high);
}
