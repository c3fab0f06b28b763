// Elements and texts. Whatever an agent wrote reaches the page here, as text and never as markup.

/** Characters that hide, that turn text around, or that have no shape of their own. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** @param {string} character @returns {string} the escape that stands for it */
function escapeOf(character) {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x100) return "\\x" + digits.padStart(2, "0");
  return code < 0x10000 ? "\\u" + digits.padStart(4, "0") : `\\u{${digits}}`;
}

/** @param {string} text @returns {string} the text with every unseen character spelled out */
function spelled(text) {
  return text.replaceAll("\r\n", "\n").replace(UNSEEN, escapeOf);
}

/**
 * Put a text into an element; unseen characters are spelled out and marked as such.
 * @template {Element} T @param {T} element @param {string} text @returns {T}
 */
function put(element, text) {
  const whole = text.replaceAll("\r\n", "\n");
  let done = 0;
  for (const found of whole.matchAll(UNSEEN)) {
    const mark = document.createElement("span");
    mark.className = "unseen";
    mark.textContent = escapeOf(found[0]);
    element.append(whole.slice(done, found.index), mark);
    done = found.index + found[0].length;
  }
  element.append(whole.slice(done));
  return element;
}

/**
 * Make an element. Attributes are written by us alone: none runs code, and href is our own hash.
 * @param {string} tag @param {Record<string, string | number>} [attributes]
 * @param {...(Element | string | null | false)} children
 * @returns {HTMLElement}
 */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return fill(element, children);
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {...(Element | string)} children */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return fill(element, children);
}

/** @template {Element} T @param {T} element @param {(Element | string | null | false)[]} children @returns {T} */
function fill(element, children) {
  for (const child of children) {
    if (typeof child === "string") put(element, child);
    else if (child) element.append(child);
  }
  return element;
}

/** @param {string} id @returns {HTMLElement} an element that the page is known to have */
function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/** @param {string} selector of an element that is in view already */
function focusOn(selector) {
  /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus({
    preventScroll: true,
  });
}

/** @param {string} label @param {() => void} action @param {Record<string, string>} [attributes] */
function button(label, action, attributes = {}) {
  const element = el("button", { type: "button", class: "quiet", ...attributes }, label);
  element.addEventListener("click", action);
  return element;
}

/** @param {() => string} text read when pressed @param {string} what is copied, for those who only hear it */
function copyButton(text, what) {
  const element = button(
    "Copy",
    async () => {
      element.textContent = (await copy(text())) ? "Copied" : "Not allowed";
      setTimeout(() => (element.textContent = "Copy"), 1500);
    },
    { "aria-label": `Copy ${what}`, class: "quiet copy" },
  );
  return element;
}

/** @param {string} text @returns {Promise<boolean>} whether it is on the clipboard now */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text); // no clipboard for pages from disk in some browsers
  }
}

/** @param {string} text */
function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

/** @param {number} number @param {string} noun */
function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** @param {number | null | undefined} ms */
function duration(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1000) return `${ms} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9_950 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}

/** @param {number | null | undefined} usd */
function money(usd) {
  if (usd === null || usd === undefined) return "–";
  if (usd && Math.abs(usd) < 0.0001) return "<$0.0001";
  return usd >= 1 ? `$${usd.toFixed(2)}` : `$${usd.toFixed(4)}`;
}

/** @param {number | null} now @param {number | null} before @returns {number | null} in percent */
function change(now, before) {
  return now === null || !before ? null : (100 * (now - before)) / before;
}

/** @param {number | null} percent */
function signed(percent) {
  if (percent === null) return "–";
  const rounded = Math.round(percent);
  return `${rounded > 0 ? "+" : rounded < 0 ? "−" : "±"}${Math.abs(rounded)} %`;
}
