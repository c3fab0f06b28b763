// The report of an experiment, which is a list of tasks.

let scoring = { round_to: 5, complete_at: 80 };

/** @type {Report} */
const report = {
  noun: "task",
  whole: "experiment",
  elsewhere: "results.md and in runs/",
  setUp: (head) => {
    scoring = head;
    setUpTasks(head);
  },
  filtersOf: ({ way, beside }) => ({ way, beside: beside < 0 ? "" : String(beside) }),
  filtersIn: (parts) => {
    const beside = Number(parts.get("beside") ?? -1);
    const known = beside in conditions.slice(1);
    return { way: parts.get("way") ?? "", beside: known ? beside : -1 };
  },
  chosen,
  drawFilters,
  drawRows,
  goToRow,
  furtherMoves: () => ({}),
  drawItem: (row, task, trial) => drawTask(row, task, trial, scoring),
  goToNext: goToNextQuote,
  unfoldAll,
  leftOut: (tasks) =>
    `The answers to ${tasks} were left out to keep this file small, ` +
    "those that differ least first. They are in runs/.",
};
