// Results of several people, before what is left to adjudicate.

/** A table with a caption, without columns that say nothing; on narrow screens each cell names its column. */
function gridTable({ title, labels, header, rows, notes }) {
  const columns = header.map((_, column) => column).filter((column) => rows.some((row) => row[column]));
  const kind = (column) => (rows.every((row) => /^[\d-]|^$/.test(row[column])) ? "num" : null);
  const cell = (row, column) => (column < labels && row[column]
    ? el("th", { scope: "row", dir: "auto", "data-head": header[column] }, row[column])
    : el("td", { class: kind(column), dir: "auto", "data-head": header[column] }, row[column]));
  return [el("table", { class: "results" }, el("caption", null, title),
    el("thead", null, el("tr", null, ...columns.map((column) => el("th", { scope: "col", class: column < labels ? null : kind(column) }, header[column])))),
    el("tbody", null, ...rows.map((row) => el("tr", null, ...columns.map((column) => cell(row, column)))))),
  ...notes.map((note) => el("p", { class: "quiet" }, note))];
}

function progressOf({ rater, done, of, adjudicates }) {
  const text = t("so_far", { done, of });
  return el("li", null, el("b", null, rater), bar(of ? done / of : 0, `${rater}: ${text}`), el("span", { class: "quiet" }, adjudicates ? `${text}, ${t("adjudicates")}` : text));
}

function resultCards() {
  const { people, agreement, tables, shared } = head.results;
  const disputed = state.hand.length ? t("in_dispute", { open: state.hand.length, of: shared }) : t("no_dispute");
  const begin = state.hand.length ? [el("p", null, t("so_far", { done: doneCount(), of: state.hand.length })), el("p", { class: "quiet" }, t("kept_here")),
    el("div", { class: "wide" }, el("button", { type: "button", class: "main", id: "begin", onclick: () => open(firstOpen()) }, doneCount() ? t("go_on") : t("adjudicate")), fileButton())] : [];
  return [
    head.scheme ? card(null, el("p", { class: "lead" }, disputed), ...begin) : null,
    card(t("progress"), el("ul", { class: "people" }, ...people.map(progressOf))),
    ...agreement.map((grid) => card(null, ...gridTable(grid))),
    ...tables.map((grid) => card(null, el("details", null, el("summary", null, grid.title), ...gridTable(grid)))),
  ].filter(Boolean);
}
