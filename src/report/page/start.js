// The parts of the page, their addresses, keys, and the start.

const parts = { overview: document.getElementById("overview"), items: document.getElementById("items") };
const settings = document.getElementById("settings");

function showPart(name) {
  for (const [part, node] of Object.entries(parts)) node.hidden = part !== name;
  for (const link of document.querySelectorAll(".tabs a")) {
    const current = link.getAttribute("href") === `#${name}`;
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (name === "overview") drawTables();
  if (name === "items" && state.index && state.item < 0 && state.shown.length) open(state.shown[0], undefined, false);
}

/** What is shown, as an address: the part or item, then what differs from the start: filters, or changed tables. */
function address() {
  const pair = ([key, own]) => `${encodeURIComponent(key)}=${encodeURIComponent(own)}`;
  if (parts.items.hidden) {
    return ["overview", ...tables.map((table) => [`table:${table.id}`, tableState(table)]).filter(([, own]) => own).map(pair)].join("&");
  }
  const place = state.item < 0 ? "items" : pair(["item", state.index.ids[state.item]]);
  return [place, ...filtersSet().map(pair)].join("&");
}

/** Writes what is shown into the address; a step is one that Back undoes. */
function toAddress(step) {
  const own = `#${address()}`;
  if (own !== location.hash) history[step ? "pushState" : "replaceState"](null, "", own);
}

/** Part or item of an address, and its further settings. */
function addressed() {
  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  const [first, ...more] = location.hash.slice(1).split("&");
  const cut = (text) => { const at = text.indexOf("="); return at < 0 ? [decoded(text), ""] : [decoded(text.slice(0, at)), decoded(text.slice(at + 1))]; };
  const pairs = more.map(cut);
  const [part, item] = cut(first);
  if (part !== "item") return { part, item: null, pairs };
  // An id may hold an unescaped ampersand.
  const rest = fragment().slice("item=".length);
  return { part: "items", item: state.index?.ids.includes(rest) ? rest : item, pairs };
}

/** Shows what the address says: `#overview`, `#settings`, `#items`, or `#item=` with an item's id, and what follows. */
function follow() {
  const { part, item: wanted, pairs } = addressed();
  if (part === "main") return;
  if (part === "items") {
    const item = wanted === null || !state.index ? -1 : state.index.ids.indexOf(wanted);
    if (state.index) setFilters(pairs);
    if (item >= 0) state.item = item;
    showPart("items");
    if (item >= 0) open(item, undefined, false);
    else if (wanted !== null && state.index) count.textContent = t("no_item", { id: wanted });
    return;
  }
  const states = new Map(pairs);
  tables.forEach((table) => {
    const own = states.get(`table:${table.id}`) || "";
    if (own === tableState(table)) return;
    setTable(table, own);
    table.drawnFor = 0;
  });
  showPart("overview");
  if (part === "settings") {
    settings.open = true;
    settings.scrollIntoView();
  }
}

async function start() {
  if (!head.items) {
    pane.replaceChildren(card(null, el("p", null, t("no_single_items"))));
    return;
  }
  state.index = await unpackedIndex;
  buildList();
}

/** The age of a page of an unfinished run, by its file's own time. */
function tellAge() {
  const place = document.getElementById("age");
  if (!place) return;
  place.prepend(`${t("written_on", { date: document.lastModified })} `);
  place.append(" ", el("button", { type: "button", onclick: () => location.reload() }, t("reload")));
}

/** Shows a part as it was left. */
function go(part) {
  showPart(part);
  toAddress(true);
}

for (const link of document.querySelectorAll(".tabs a")) {
  const part = link.getAttribute("href").slice(1);
  if (Object.hasOwn(parts, part)) link.addEventListener("click", (event) => { event.preventDefault(); go(part); });
}
onKeys({
  o: () => go("overview"), i: () => go("items"), s: () => { location.hash = "settings"; },
  "/": () => { go("items"); document.querySelector(".fold")?.setAttribute("open", ""); setTimeout(() => document.getElementById("search")?.focus()); },
  j: () => { if (!parts.items.hidden) step(1); }, k: () => { if (!parts.items.hidden) step(-1); },
  p: () => { for (const box of pane.querySelectorAll("[data-prompts]")) box.open = !box.open; },
});
addEventListener("hashchange", follow);
for (const link of document.querySelectorAll(".tabs a:not([href^=\"#\"])")) link.href += location.search;
tellAge();
start().catch((error) => pane.replaceChildren(card(null, el("p", { class: "departure" }, `The items cannot be unpacked: ${error.message}`)))).then(follow);
