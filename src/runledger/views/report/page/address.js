// What the address means: the list as the reader chose it, or one item of it.

const title = document.title;
let scrolledTo = 0;

/** @param {string} id @param {number} [trial] */
function addressOf(id, trial) {
  const address = `#${report.noun}=${encodeURIComponent(id)}`;
  return trial ? `${address}&trial=${trial}` : address;
}

/**
 * What the reader chose belongs in the address, so that a link shows the same. It is never empty:
 * browsers take an empty one for the top of the page, and take the focus away.
 * @param {Choice} choice
 */
function listAddress(choice) {
  const { query, sort, down } = choice;
  const order = sort !== "need" || down ? `${down ? "-" : ""}${sort}` : "";
  const named = Object.entries({ q: query, ...report.filtersOf(choice), sort: order });
  const parts = new URLSearchParams(named.filter(([, value]) => value));
  return `#${parts}` === "#" ? "#all" : `#${parts}`;
}

/** @param {Choice} choice */
function rememberChoice(choice) {
  try {
    history.replaceState(null, "", listAddress(choice));
  } catch {
    // browsers refuse a change of address that comes too often; the list is right all the same
  }
}

/** @param {URLSearchParams} [parts] of an address; without any, everything is shown @returns {Choice} */
function choiceIn(parts = new URLSearchParams()) {
  const sort = parts.get("sort") ?? "need";
  return {
    query: parts.get("q") ?? "",
    ...report.filtersIn(parts),
    sort: sort.replace(/^-/, ""),
    down: sort.startsWith("-"),
  };
}

/** Show what the address asks for. */
async function follow() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const id = parts.get(report.noun);
  if (id === null) return showList(parts);
  const row = list.all.find((one) => one.id === id);
  if (itemPage().hidden) scrolledTo = scrollY;
  await showItem(id, row, Number(parts.get("trial")));
}

/** @param {URLSearchParams} parts */
function showList(parts) {
  const last = openItem();
  const wasItem = !itemPage().hidden;
  setPage("list");
  list.choice = choiceIn(parts);
  showChoice();
  if (!wasItem) return;
  scrollTo(0, scrolledTo);
  if (last && list.shown.includes(last)) report.goToRow(list.shown.indexOf(last));
}

function itemPage() {
  return byId(`${report.noun}-page`);
}

/** @returns {Row | undefined} the item that is open, or was the last */
function openItem() {
  return list.all.find((row) => row.id === itemPage().dataset.item);
}

/** @param {string} id @param {Row | undefined} row @param {number} trial */
async function showItem(id, row, trial) {
  const page = itemPage();
  const anotherTrial = page.dataset.item === id && !page.hidden;
  const asked = location.hash;
  const record = row ? await ledger.line(row.number) : null;
  if (location.hash !== asked) return; // the reader has gone on
  page.dataset.item = id;
  if (!list.shown.length) showChoice(); // so that an item opened by its address has neighbours
  setPage("item");
  if (row) report.drawItem(row, record, trial);
  else page.replaceChildren(noSuchItem(id));
  if (anotherTrial) return focusOn('[role="tab"][aria-selected="true"]');
  scrollTo(0, 0);
  focusOn(`#${report.noun}-title`);
}

/** @param {string} id */
function noSuchItem(id) {
  const name = el("b", { class: "id" }, id);
  const back = el("a", { href: "#all" }, `All ${report.noun}s`);
  const [before, after] = [`There is no ${report.noun} `, ` in this ${report.whole}. `];
  return el("p", { class: "nothing" }, before, name, after, back);
}

/** @param {"list" | "item"} shown */
function setPage(shown) {
  document.title = shown === "list" ? title : `${itemPage().dataset.item} · ${title}`;
  byId("list-page").hidden = shown !== "list";
  itemPage().hidden = shown !== "item";
}

function goToList() {
  location.hash = listAddress(list.choice);
}

/** @param {Row} row @param {number} step */
function goToNeighbour(row, step) {
  const other = list.shown[list.shown.indexOf(row) + step];
  if (other) location.replace(addressOf(other.id)); // so that going back leads to the list
}
