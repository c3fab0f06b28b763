// What stands around the content of every report: the theme, and a word about the keys.

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
