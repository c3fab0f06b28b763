// JSON as text, laid out and coloured. It is never parsed: 1.0 stays 1.0, and a value that was
// cut in the middle can be shown as well as a whole one.

/** @typedef {{text: string, kind: string}} Token */

const TOKENS = /"(?:[^"\\]|\\[^])*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** @param {string} text @returns {string[]} */
function tokensOf(text) {
  return text.match(TOKENS) ?? [];
}

/**
 * Lay a JSON text out: what fits on a line stays on it, the rest is indented.
 * @param {string} text @param {number} width of a line @returns {Token[][]} lines of tokens
 */
function layOut(text, width) {
  const tokens = tokensOf(text);
  const short = shortOnes(tokens, width);
  /** @type {Token[][]} */
  const lines = [[]];
  let depth = 0;
  let inlineUntil = -1;
  const newLine = () => lines.push(depth ? [{ text: "  ".repeat(depth), kind: "" }] : []);
  tokens.forEach((token, index) => {
    const inline = index <= inlineUntil;
    const line = () => lines[lines.length - 1];
    if (token === "{" || token === "[") {
      line().push({ text: token, kind: "sign" });
      if (inline) return;
      const end = short.get(index);
      if (end !== undefined) inlineUntil = end;
      else (depth++, newLine());
    } else if (token === "}" || token === "]") {
      if (!inline) (depth--, newLine());
      line().push({ text: token, kind: "sign" });
    } else if (token === ",") {
      line().push({ text: inline ? ", " : ",", kind: "sign" });
      if (!inline) newLine();
    } else if (token === ":") {
      line().push({ text: ": ", kind: "sign" });
    } else {
      line().push({ text: token, kind: kindOf(token, tokens[index + 1]) });
    }
  });
  return lines;
}

/**
 * Find the objects and lists that fit on a line.
 * @param {string[]} tokens @param {number} width @returns {Map<number, number>} from the index of the opening to the closing sign
 */
function shortOnes(tokens, width) {
  const found = new Map();
  /** @type {{index: number, at: number}[]} */
  const open = [];
  let at = 0;
  tokens.forEach((token, index) => {
    if (token === "{" || token === "[") open.push({ index, at });
    at += token.length + (token === "," || token === ":" ? 1 : 0);
    if (token === "}" || token === "]") {
      const opening = open.pop();
      if (opening && at - opening.at <= width) found.set(opening.index, index);
    }
  });
  return found;
}

/** @param {string} token @param {string | undefined} next */
function kindOf(token, next) {
  if (token.startsWith('"')) return next === ":" ? "key" : "string";
  return /^[-\d]/.test(token) ? "number" : "word";
}

/** @param {Token[][]} lines @returns {HTMLElement} */
function coloured(lines) {
  const code = el("code");
  lines.forEach((tokens, index) => {
    if (index) code.append("\n");
    for (const token of tokens)
      code.append(token.kind ? el("span", { class: token.kind }, token.text) : token.text);
  });
  return code;
}

/** @param {Cut} cut @returns {string | null} the text, when the JSON is nothing but one whole text */
function plainTextIn(cut) {
  if (typeof cut !== "string" || !cut.startsWith('"')) return null;
  return JSON.parse(cut);
}
