// Long texts: their size, a way to copy them, a fold, and a word where they were cut.

/** @typedef {string | [string, number]} Cut a text, or its beginning and its whole length */

const FOLDED_LINES = 12;
const FOLD_OVER = 16; // folding fewer lines away than these would only be in the way

/** @param {Cut} cut */
function textOf(cut) {
  return typeof cut === "string" ? cut : cut[0];
}

/** @param {Cut} cut */
function cutNote(cut) {
  const [text, length] = /** @type {[string, number]} */ (cut);
  return el(
    "p",
    { class: "cut" },
    `Cut: ${text.length.toLocaleString("en")} of ${count(length, "character")}. The whole is in run.jsonl.`,
  );
}

/** @param {string} label @param {Cut} cut @param {{tone?: string, tail?: boolean}} [look] */
function textBlock(label, cut, look = {}) {
  const lines = textOf(cut).split("\n");
  return block(label, cut, look, lines.length, (most) => {
    const some = look.tail && most < lines.length ? lines.slice(-most) : lines.slice(0, most);
    return el("code", { class: "text" }, some.join("\n"));
  });
}

/**
 * @param {string} label @param {Cut} cut @param {{tone?: string}} look
 * @param {number} lines @param {(most: number) => Element} draw the first so many lines
 */
function block(label, cut, look, lines, draw) {
  const size = typeof cut === "string" ? cut.length : cut[1];
  const folded = lines > FOLD_OVER || (lines <= FOLDED_LINES && size > 3000);
  const head = el(
    "figcaption",
    {},
    label,
    size > 200 &&
      el(
        "span",
        { class: "faint" },
        `${lines > 1 ? `${count(lines, "line")}, ` : ""}${sizeWords(size)}`,
      ),
    copyButton(() => textOf(cut), label),
  );
  const text = el(
    "pre",
    { tabindex: 0, class: folded ? "folded" : "" },
    draw(folded ? FOLDED_LINES : Infinity),
  );
  const figure = el("figure", { class: `value ${look.tone ?? ""}` }, head, text);
  if (folded) figure.append(unfoldButton(text, lines, size, draw));
  if (typeof cut !== "string") figure.append(cutNote(cut));
  return figure;
}

/** @param {Element} text @param {number} lines @param {number} size @param {(most: number) => Element} draw */
function unfoldButton(text, lines, size, draw) {
  const words = lines > 1 ? `Show all ${count(lines, "line")}` : `Show all ${sizeWords(size)}`;
  const element = button(
    words,
    () => {
      const unfolds = text.classList.toggle("folded") === false;
      text.replaceChildren(draw(unfolds ? Infinity : FOLDED_LINES));
      element.textContent = unfolds ? "Fold" : words;
      element.setAttribute("aria-expanded", String(unfolds));
    },
    { class: "quiet unfold", "aria-expanded": "false" },
  );
  return element;
}

/** @param {number} characters */
function sizeWords(characters) {
  return characters < 1000
    ? count(characters, "character")
    : `${(characters / 1000).toFixed(characters < 10_000 ? 1 : 0)} k characters`;
}
