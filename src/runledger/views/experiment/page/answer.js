// An answer with the judges' quotes marked in it, as text that is split and never as markup.

/**
 * @typedef {{criterion: string, judge: string, word: string, quote: string | null,
 *   reasoning: string | null, void: string | null}} Verdict
 * @typedef {{start: number, end: number, verdict: Verdict}} Found
 */

const SCRUBBED = "[…]"; // what judges see in place of words that would tell the condition
const LONGEST_HIDDEN = 80;

/** What a judge's words are told by: a sign, a word, and only then a colour. @type {Record<string, [sign: string, tone: string]>} */
const VERDICTS = {
  met: ["✓", "passed"],
  partial: ["◐", "error"],
  missed: ["✕", "failed"],
  void: ["∅", "unfinished"],
};

/**
 * Find where a quote stands. Judges are held to the words of an answer, not to its spaces; and what
 * was hidden from them stands in a quote as a mark of ours.
 * @param {string} text @param {string} quote @returns {[start: number, end: number] | null}
 */
function placeOf(text, quote) {
  const at = text.indexOf(quote);
  if (at >= 0) return [at, at + quote.length];
  const [first, ...others] = quote.split(SCRUBBED).flatMap(patternOf);
  if (!first) return null;
  for (const found of text.matchAll(new RegExp(first, "g"))) {
    const end = endOf(text, found.index + found[0].length, others);
    if (end !== null) return [found.index, end];
  }
  return null;
}

/** @param {string} part @returns {string[]} a pattern for its words, whatever the spaces between */
function patternOf(part) {
  const words = part.trim().split(/\s+/).filter(Boolean);
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return words.length ? [escaped.join("\\s+")] : [];
}

/** Follow the parts of a quote, each soon after the one before. @param {string} text @param {number} from @param {string[]} parts */
function endOf(text, from, parts) {
  let end = from;
  for (const part of parts) {
    const near = text.slice(end, end + LONGEST_HIDDEN + 4 * part.length);
    const found = new RegExp(part).exec(near);
    if (!found || found.index > LONGEST_HIDDEN) return null;
    end += found.index + found[0].length;
  }
  return end;
}

/** @param {string} text @param {Verdict[]} verdicts @returns {Found[]} */
function quotesIn(text, verdicts) {
  return verdicts.flatMap((verdict) => {
    const place = verdict.quote && verdict.quote.trim() && placeOf(text, verdict.quote);
    return place ? [{ start: place[0], end: place[1], verdict }] : [];
  });
}

/**
 * Write a text; each stretch that one quote or several cover is a mark of its own.
 * @param {string} text @param {Found[]} found
 */
function markedText(text, found) {
  const code = el("code", { class: "text" });
  const inside = found.filter(({ start }) => start < text.length);
  const ends = new Set(inside.flatMap(({ start, end }) => [start, end]));
  const cuts = [...ends].filter((at) => at > 0 && at < text.length).sort((a, b) => a - b);
  let from = 0;
  for (const to of [...cuts, text.length]) {
    const over = inside.filter(({ start, end }) => start <= from && end >= to);
    const piece = text.slice(from, to);
    if (over.length) code.append(quoteMark(piece, over, to));
    else put(code, piece);
    from = to;
  }
  return code;
}

/** @param {string} piece @param {Found[]} over @param {number} to where the piece ends */
function quoteMark(piece, over, to) {
  const words = over.map(({ verdict }) => verdict);
  const [, tone] = VERDICTS[words[0].word] ?? VERDICTS.void;
  const said = words.map(({ criterion, word, judge }) => `${criterion}: ${word} (${judge})`);
  const ended = over.filter(({ end }) => end === to).map(({ verdict }) => verdict);
  return el(
    "mark",
    {
      class: `quote ${tone}`,
      title: spelled(said.join("\n")),
      tabindex: -1,
      "data-criteria": JSON.stringify(criteriaOf(words)),
    },
    piece,
    ended.length > 0 && el("sup", {}, criteriaOf(ended).join(" ")),
  );
}

/** @param {Verdict[]} verdicts */
function criteriaOf(verdicts) {
  return [...new Set(verdicts.map(({ criterion }) => criterion))];
}

/** @param {any} run @param {Verdict[]} verdicts */
function answerBlock(run, verdicts) {
  const text = textOf(run.answer).replaceAll("\r\n", "\n");
  if (!text.trim()) return el("p", { class: "silent" }, silence(run));
  const found = quotesIn(text, verdicts);
  const lines = text.split("\n");
  return block("Answer", run.answer, { tone: "answer" }, lines.length, (most) => {
    const some = most < lines.length ? lines.slice(0, most).join("\n") : text;
    return markedText(some, found);
  });
}

/** @param {any} run */
function silence(run) {
  return run.timed_out ? "It timed out, and said nothing." : "It said nothing.";
}
