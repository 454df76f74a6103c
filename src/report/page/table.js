// Tables of the overview: without this script they are whole; with it they fit the page in blocks of columns, fold by
// group, can be sorted and turned, and are copied as text.

/** Width of a printed page in pixels. */
const PAPER = 680;
/** Least width in pixels of names that go on in further lines: of a single column, which the style has too, and of each of several. */
const NAMES = 112, SEVERAL_NAMES = 92;
/** On phones, tables begin with the values alone. */
const narrow = matchMedia("(max-width: 560px)");
const textOf = (cell) => (typeof cell === "string" ? cell : [...cell.childNodes].filter((node) => node.nodeName !== "svg").map((node) => node.textContent).join(""));
const tables = [...document.querySelectorAll("table.grid")].map(readTable);

/** A table as its HTML has it: groups of entries, each a line with the lines under it. */
function readTable(node) {
  const labels = Number(node.dataset.labels);
  const head = [...node.tHead.rows[0].cells].map((cell) => cell.textContent);
  const groups = [];
  for (const row of node.tBodies[0].rows) {
    const cells = [...row.cells].map((cell) => cell.querySelector("svg") ? cell.cloneNode(true) : cell.textContent);
    const above = groups[groups.length - 1], names = cells.slice(0, labels - 1);
    // A name that is left out is that of the line above.
    const other = above && names.some((name, at) => textOf(name) && textOf(name) !== textOf(above.names[at]));
    if (!above || row.className === "starts") groups.push({ names, entries: [], folded: false });
    else if (other) groups.push({ names: names.map((name, at) => (textOf(name) ? name : above.names[at])), entries: [], folded: false });
    const group = groups[groups.length - 1];
    const line = { name: cells[labels - 1], values: cells.slice(labels) };
    if (row.className === "under" && group.entries.length) group.entries[group.entries.length - 1].push(line);
    else group.entries.push([line]);
  }
  groups.forEach((group) => { group.folded = narrow.matches; });
  return { id: node.dataset.table, node, box: node.parentNode, caption: node.caption.textContent, labels, head, groups, sort: null, hidden: new Set(), turned: false };
}

/** A line of names without values, such as `paper, all 2,860 items`, heads the lines after it. */
const isHeading = (entry) => entry.length === 1 && entry[0].values.length > 0 && entry[0].values.every((value) => value === "");

/** Entries in the wanted order; once sorted, lines below a heading carry its words. */
function sorted(table, entries) {
  if (!table.sort) return entries;
  let heading = "";
  const named = entries.flatMap((entry) => {
    if (isHeading(entry)) { heading = textOf(entry[0].name); return []; }
    return [heading ? [{ ...entry[0], name: `${textOf(entry[0].name)} (${heading})` }, ...entry.slice(1)] : entry];
  });
  return named.sort((one, other) => compared(table.sort, one, other));
}

function compared({ column, down }, one, other) {
  const key = (entry) => (column < 0 ? textOf(entry[0].name) : parseFloat(entry[0].values[column].replaceAll(",", "")));
  const [a, b] = [key(one), key(other)];
  if (typeof a === "string") return (down ? -1 : 1) * a.localeCompare(b);
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return down ? b - a : a - b;
}

/** The table as it is wanted: names of columns and groups of entries, turned if asked; on paper the `whole` of it. */
function wanted(table, whole = false) {
  const own = table.head.slice(table.labels);
  const single = table.groups.every((group) => group.entries.length === 1);
  let groups = table.groups.map((group) => ({ ...group, from: group, entries: sorted(table, group.entries) }));
  if (single && table.sort) groups.sort((one, other) => compared(table.sort, one.entries[0], other.entries[0]));
  const kept = own.map((_, column) => column).filter((column) => whole || !table.hidden.has(column));
  groups = groups.map((group) => ({ ...group, entries: group.entries.map((entry) => entry.map((line) => ({ ...line, values: kept.map((column) => line.values[column]) }))) }));
  const labels = table.head.slice(0, table.labels);
  if (!table.turned) return { labels, columns: kept.map((column) => own[column]), origin: kept, groups };
  const lines = groups.flatMap((group) => group.entries.flatMap((entry) => (group.folded && !whole ? entry.slice(0, 1) : entry)).map((line) => ({ ...line, group: group.names.map(textOf).filter(Boolean).join(" ") })));
  const columns = lines.map((line) => [line.group, textOf(line.name)].filter(Boolean).join(" "));
  const entries = kept.map((column, at) => [{ name: own[column], values: lines.map((line) => line.values[at]) }]);
  return { labels: [t("cell_column")], columns, origin: null, groups: [{ names: [], entries, folded: false }] };
}

/** Columns in blocks that are as wide as the page, by the widths that they would like to have. */
function blocks(view, width) {
  const probe = el("table", { class: "grid probe" }, el("thead", null, headRow(null, view, view.columns)), el("tbody", null, ...bodyRows(null, view, view.groups, view.columns.map((_, at) => at), true)));
  document.getElementById("overview").append(probe);
  const widths = [...probe.rows[0].cells].map((cell) => Math.ceil(cell.getBoundingClientRect().width));
  probe.remove();
  // Columns of names shrink to their headings, and go on in further lines.
  const labels = widths.slice(0, view.labels.length), least = sum(labels.map((name) => Math.min(name, labels.length > 1 ? SEVERAL_NAMES : NAMES)));
  const names = Math.max(least, Math.min(sum(labels), width * 0.45));
  const packed = (taken) => {
    const all = [[]];
    let used = taken;
    view.columns.forEach((_, at) => {
      const own = widths[view.labels.length + at];
      if (used + own > width && all[all.length - 1].length) { all.push([]); used = taken; }
      all[all.length - 1].push(at);
      used += own;
    });
    return all;
  };
  // Names that go on in a second line leave room for a column or two.
  const [apart, close] = [packed(names), packed(Math.min(names, Math.max(width * 0.22, least)))];
  return close.length < apart.length ? close : apart;
}

const sortButton = (table, name, column) => el("button", { type: "button", class: "sort", onclick: () => sortBy(table, column) }, name);

function headRow(table, view, names, origin) {
  const sorting = (column) => (table?.sort?.column === column && !table.turned ? (table.sort.down ? "descending" : "ascending") : null);
  const button = (name, column) => (!table ? el("span", { class: "head" }, name) : table.turned ? name : sortButton(table, name, column));
  const last = view.labels.length - 1;
  return el("tr", null,
    ...view.labels.map((name, at) => el("th", { scope: "col", "aria-sort": at === last ? sorting(-1) : null }, at === last ? button(name, -1) : name)),
    ...names.map((name, at) => el("th", { scope: "col", class: "num", "aria-sort": origin ? sorting(origin[at]) : null }, origin ? button(name, origin[at]) : table ? name : button(name))));
}

function bodyRows(table, view, groups, columns, whole) {
  return groups.flatMap((group) => {
    const lines = group.folded && !whole ? group.entries.map((entry) => entry.slice(0, 1)).flat() : group.entries.flat();
    const firsts = new Set(group.entries.map((entry) => entry[0]));
    return lines.map((line, at) => el("tr", { class: at === 0 && groups.length > 1 ? "starts" : firsts.has(line) ? null : "under" },
      ...group.names.map((name, part) => (at > 0 || !textOf(name) ? el("td") : el("th", { scope: "row" }, part === 0 && table ? foldButton(table, group, name) : textOf(name)))),
      typeof line.name !== "string" ? line.name.cloneNode(true) : line.name ? el("th", { scope: "row" }, line.name) : el("td"),
      ...columns.map((column) => el("td", { class: "num" }, line.values[column]))));
  });
}

function foldButton(table, group, name) {
  const { from } = group;
  if (!group.entries.some((entry) => entry.length > 1)) return textOf(name);
  return el("button", { type: "button", class: "fold-group", "aria-expanded": String(!from.folded), title: from.folded ? t("show_intervals") : t("values_alone"),
    onclick: () => { from.folded = !from.folded; changed(table); } }, `${from.folded ? "\u25b8" : "\u25be"} ${textOf(name)}`);
}

/** Whether the table fits as its HTML has it; then it only gets its buttons. */
function fits(table, room) {
  const { node, box, labels, groups } = table;
  if (!node.isConnected || tableState(table) || groups.some((group) => group.folded)) return false;
  node.classList.add("probe");
  const wide = node.offsetWidth > room;
  node.classList.remove("probe");
  if (wide) return false;
  [...node.tHead.rows[0].cells].slice(labels - 1).forEach((cell, at) => cell.replaceChildren(sortButton(table, cell.textContent, at - 1)));
  const firsts = [...node.tBodies[0].rows].filter((row, at) => at === 0 || row.className === "starts");
  if (labels > 1) firsts.forEach((row, at) => { const { names, entries } = groups[at]; if (textOf(names[0])) row.cells[0].replaceChildren(foldButton(table, { from: groups[at], entries }, names[0])); });
  box.append(toolsOf(table));
  return true;
}

function drawTable(table, width) {
  const room = width || table.box.clientWidth;
  const first = !table.drawnFor;
  table.drawnFor = room;
  if (first && !width && fits(table, room)) return;
  const view = wanted(table, Boolean(width));
  const parts = blocks(view, room);
  const drawn = parts.map((columns, at) => el("table", { class: "grid" },
    el("caption", null, parts.length < 2 ? table.caption : t("part_of", { name: table.caption, part: at + 1, of: parts.length })),
    el("thead", null, headRow(table, view, columns.map((column) => view.columns[column]), view.origin && columns.map((column) => view.origin[column]))),
    el("tbody", null, ...bodyRows(table, view, view.groups, columns, Boolean(width)))));
  table.box.replaceChildren(...drawn, toolsOf(table));
}

function toolsOf(table) {
  const own = table.head.slice(table.labels);
  const told = el("span", { class: "quiet", role: "status" });
  const copy = (name, make) => el("button", { type: "button", onclick: () => copyText(make(wanted(table), table)).then(() => { told.textContent = t("copied_as", { name }); }, () => { told.textContent = t("not_copied", { name }); }) }, t("copy_as", { name }));
  const box = (column) => el("label", null, el("input", { type: "checkbox", checked: !table.hidden.has(column), onchange: (event) => {
    if (event.target.checked) table.hidden.delete(column); else table.hidden.add(column);
    changed(table);
  } }), own[column]);
  const chooser = el("details", { open: table.choosing, ontoggle: (event) => { table.choosing = event.target.open; } }, el("summary", null, t("columns")), el("div", { class: "row" }, ...own.map((_, column) => box(column))));
  const turn = el("button", { type: "button", "aria-pressed": String(table.turned), onclick: () => { table.turned = !table.turned; changed(table); } }, t("transpose"));
  const folded = table.groups.every((group) => group.folded);
  const under = table.groups.some((group) => group.entries.some((entry) => entry.length > 1));
  const fold = under && el("button", { type: "button", "aria-pressed": String(folded), onclick: () => { table.groups.forEach((group) => { group.folded = !folded; }); changed(table); } }, t("values_alone"));
  const order = table.sort && el("button", { type: "button", onclick: () => { table.sort = null; changed(table); } }, t("original_order"));
  return el("div", { class: "controls row" }, fold || null, turn, copy("TSV", asTsv), copy("Markdown", asMarkdown), copy("LaTeX", asLatex), order || null, own.length > 1 ? chooser : null, told);
}

function sortBy(table, column) {
  const was = table.sort?.column === column ? table.sort : null;
  // Numbers first from the highest, names from A.
  table.sort = was ? { column, down: !was.down } : { column, down: column >= 0 };
  changed(table);
}

function changed(table) {
  drawTable(table);
  toAddress(true);
}

// ---- as text -------------------------------------------------------------------------------------------------------

const linesOf = (view) => view.groups.flatMap((group) => group.entries.flat().map((line, at) => [...group.names.map((name) => (at ? "" : textOf(name))), textOf(line.name), ...line.values]));
const withHead = (view) => [[...view.labels, ...view.columns], ...linesOf(view)];
const harmless = (text) => (/^[=+\-@]./.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text).replace(/[\t\r\n]/g, " ");
const asTsv = (view) => withHead(view).map((line) => line.map(harmless).join("\t")).join("\n") + "\n";

function asMarkdown(view) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const [head, ...lines] = withHead(view).map(line);
  return [head, line([...view.labels.map(() => "---"), ...view.columns.map(() => "--:")]), ...lines].join("\n") + "\n";
}

function asLatex(view, table) {
  const signs = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  const plain = (text) => text.replace(/[\\~^&%$#_{}]/g, (letter) => signs[letter] || `\\${letter}`);
  const line = (cells) => `${cells.map(plain).join(" & ")} \\\\`;
  const [head, ...lines] = withHead(view).map(line);
  const columns = "l".repeat(view.labels.length) + "r".repeat(view.columns.length);
  return ["\\begin{table}", `\\caption{${plain(table.caption)}}`, `\\begin{tabular}{${columns}}`, "\\toprule", head, "\\midrule", ...lines, "\\bottomrule", "\\end{tabular}", "\\end{table}", ""].join("\n");
}

/** Pages opened from disk may have no clipboard of their own. */
async function copyText(text) {
  if (navigator.clipboard) {
    try { await navigator.clipboard.writeText(text); return; } catch { /* The older way is left. */ }
  }
  const field = el("textarea", { class: "off" });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("not copied");
}

// ---- in the address ------------------------------------------------------------------------------------------------

/** What is changed of a table: `s2d` sorted by its third column downwards, `t` transposed, `h1.4` hidden columns, `f0`
    groups whose folding is not that of the start. */
function tableState({ sort, turned, hidden, groups }) {
  const folds = groups.map((_, at) => at).filter((at) => groups[at].folded !== narrow.matches);
  return [folds.length && `f${folds.join(".")}`, sort && `s${sort.column}${sort.down ? "d" : "u"}`, turned && "t", hidden.size && `h${[...hidden].join(".")}`].filter(Boolean).join(",");
}

function setTable(table, state) {
  const [, column, way] = /(?:^|,)s(-?\d+)([du])/.exec(state) || [];
  const count = table.head.length - table.labels;
  table.sort = column !== undefined && Number(column) < count ? { column: Number(column), down: way === "d" } : null;
  table.turned = /(?:^|,)t(?:,|$)/.test(state);
  const [, folds = ""] = /(?:^|,)f([\d.]+)/.exec(state) || [];
  table.groups.forEach((group, at) => { group.folded = folds.split(".").includes(String(at)) !== narrow.matches; });
  const [, hidden = ""] = /(?:^|,)h([\d.]+)/.exec(state) || [];
  table.hidden = new Set(hidden.split(".").filter(Boolean).map(Number).filter((own) => own < count));
}

// ---- drawing -------------------------------------------------------------------------------------------------------

/** Tables in folded parts are drawn when these open. */
const isShown = ({ box }) => !box.closest("details:not([open]), [hidden]");
const drawTables = () => tables.filter((table) => isShown(table) && table.box.clientWidth !== table.drawnFor).forEach((table) => drawTable(table));
addEventListener("resize", drawTables);
document.getElementById("overview").addEventListener("toggle", drawTables, true);
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details.table:not([open]), #settings:not([open])")];
  closed.forEach((node) => { node.open = true; });
  tables.forEach((table) => drawTable(table, PAPER));
});
addEventListener("afterprint", () => {
  closed.forEach((node) => { node.open = false; });
  tables.forEach((table) => { table.drawnFor = 0; });
  drawTables();
});
