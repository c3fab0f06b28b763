// The page as a whole: what it must know of its report, and how it begins.

/**
 * @typedef {{
 *   noun: string, whole: string, elsewhere: string,
 *   setUp: (head: any) => void,
 *   filtersOf: (choice: Choice) => Record<string, string>,
 *   filtersIn: (parts: URLSearchParams) => Omit<Choice, "query" | "sort" | "down">,
 *   chosen: (rows: Row[], choice: Choice) => Row[],
 *   drawFilters: () => void, drawRows: () => void,
 *   goToRow: (index: number) => void, furtherMoves: () => Record<string, number>,
 *   drawItem: (row: Row, record: any, trial: number) => void,
 *   goToNext: () => void, unfoldAll: () => void,
 *   leftOut: (items: string) => string
 * }} Report
 *
 * noun: what the list is a list of, and `whole` what they are in.
 * elsewhere: where a reader finds the same who cannot see it here.
 * filtersOf, filtersIn: what of a choice only this report knows, to the address and back.
 * furtherMoves: keys beside those that every list knows, each with how many rows it goes.
 * drawItem: draw the page of an item; its record is null when it was left out.
 * goToNext: go to the next place in an item that wants a look.
 * leftOut: say what this file does not hold of so many items.
 */

/** @type {Ledger} */
let ledger;

async function begin() {
  byId("loading").hidden = false;
  byId("theme").addEventListener("click", toggleTheme);
  byId("show-keys").addEventListener("click", showKeys);
  addEventListener("beforeprint", report.unfoldAll);
  ledger = openLedger(byId("packed"));
  try {
    report.setUp(await ledger.head);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const instead = `The same is in ${report.elsewhere}, beside this file.`;
    byId("loading").textContent = `The record could not be unpacked. ${why} ${instead}`;
    return;
  }
  byId("loading").hidden = true;
  addEventListener("hashchange", follow);
  addEventListener("keydown", onKey);
  await follow();
  document.documentElement.dataset.ready = "yes";
  tellWhatIsLeftOut(list.all.length - (await ledger.traces));
}

/** @param {number} items of which this file holds no more than their rows */
function tellWhatIsLeftOut(items) {
  byId("left-out").hidden = items <= 0;
  byId("left-out").textContent = report.leftOut(count(items, report.noun));
}

begin();
