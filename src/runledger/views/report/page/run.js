// The report of a run, which is a list of cases.

/** @type {Report} */
const report = {
  noun: "case",
  whole: "run",
  elsewhere: "summary.json and run.jsonl",
  setUp: setUpCases,
  filtersOf: ({ statuses, tag }) => ({ status: [...statuses].join(","), tag }),
  filtersIn: (parts) => ({
    statuses: new Set((parts.get("status") ?? "").split(",").filter(Boolean)),
    tag: parts.get("tag") ?? "",
  }),
  chosen,
  drawFilters,
  drawRows: drawAnew,
  goToRow,
  furtherMoves: pageMoves,
  drawItem: drawCase,
  goToNext: () => goToNextPlace(".timeline .failure"),
  unfoldAll: () => unfold(itemPage()),
  leftOut: (cases) =>
    `The traces of ${cases} were left out to keep this file small, ` +
    "those of passing cases first. They are in run.jsonl.",
};
