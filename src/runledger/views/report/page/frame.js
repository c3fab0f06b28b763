// What stands around the content of every report: the theme, the keys, tabs.

function showKeys() {
  keysDialog().showModal();
}

function keysDialog() {
  return /** @type {HTMLDialogElement} */ (byId("keys"));
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

/** @param {KeyboardEvent} event */
function moveAmongTabs(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = [.../** @type {HTMLElement} */ (event.currentTarget).children];
  const next = tabs[tabs.indexOf(/** @type {Element} */ (event.target)) + step];
  /** @type {HTMLElement | undefined} */ (next)?.click();
}
