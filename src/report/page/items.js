// The items of a run: unpacking them, filters, and the list.

const head = JSON.parse(document.getElementById("head").textContent);
const pane = document.getElementById("item");
const wide = matchMedia("(min-width: 901px)");
/** Number of list entries drawn at once. */
const SLICE = 200;
const several = head.ways.length > 1;
/** Names of the ways, without their common leading words. */
const shortWays = (() => {
  const words = head.ways.map((name) => name.split(" "));
  const alike = several ? words[0].findIndex((word, at) => words.some((other) => other[at] !== word || other.length === at + 1)) : 0;
  return words.map((own) => own.slice(Math.max(0, alike)).join(" ").replace(/^\((.*)\)$/, "$1"));
})();
const noFilters = () => ({ text: "", way: 0, verdict: "", votes: "", between: "", sort: "", pick: Object.create(null) });
let filters = noFilters();
const state = { index: null, shown: [], drawn: 0, item: -1, chunks: [], prompts: false };

// ---- words of the page's HTML --------------------------------------------------------------------------------------

/** Marks of runs, and what bars say: values between names that stand at the start of a part. */
if (!isEnglish()) {
  for (const title of document.querySelectorAll(".mark title")) title.textContent = t("run_named", { run: title.textContent.split(" ").pop() });
  const parts = new Map(Object.entries({ interval: t("interval"), chance: t("chance"), best_published: t("best_published") }).map(([name, own]) => [tongue.texts.en[name], own]));
  const inWords = (part) => { const items = /^([\d,]+) items$/.exec(part); if (items) return t("count_items", { n: items[1] }); const named = [...parts.keys()].find((english) => part.startsWith(`${english} `)); return named ? parts.get(named) + part.slice(named.length) : part; };
  for (const bar of document.querySelectorAll(".barline")) bar.title = ranges(bar.title.split("; ").map(inWords).join("; "));
}

// ---- unpacking -----------------------------------------------------------------------------------------------------

function packedItems(number) {
  if (head.folder === null) return Promise.resolve(document.getElementById(`items-${number}`).textContent);
  return packedBeside(head.folder, number);
}

/** Texts, frames and items of one chunk, read on first use. */
function chunk(number) {
  state.chunks[number] ||= packedItems(number).then(unpack).catch((error) => { delete state.chunks[number]; throw error; });
  return state.chunks[number];
}

const chunkOf = (item) => head.firsts.findLastIndex((first) => first <= item);

/** An item with its details. */
async function details(item) {
  const number = chunkOf(item);
  const { texts, frames, items } = await chunk(number);
  return { texts, frames, ...items[item - head.firsts[number]] };
}

// ---- data of an item in the list -----------------------------------------------------------------------------------

const value = (column, item) => (column.of[item] < 0 ? null : column.values[column.of[item]]);
const facetsOf = (item) => Object.entries(state.index.facets).map(([name, column]) => [name, value(column, item)]).filter(([, own]) => own !== null);
const asked = (way, item) => state.index.answers[way].right[item] !== null;
const right = (way, item) => state.index.answers[way].right[item];
const waysOf = (item) => head.ways.map((_, way) => way).filter((way) => asked(way, item));
const chosen = (way, item) => JSON.stringify(state.index.answers[way].choice[item]);

/** Whether two ways that were asked chose differently. */
function differs(item, of) {
  const ways = waysOf(item).filter((way) => right(way, item) !== 3);
  return ways.some((way) => of(way, item) !== of(ways[0], item));
}

const verdicts = {
  right: [t("verdict_right"), (way, item) => right(way, item) === 1],
  wrong: [t("verdict_wrong"), (way, item) => right(way, item) === 0],
  failed: [t("verdict_failed"), (way, item) => right(way, item) === 2],
  none: [t("verdict_none"), (way, item) => ![null, 3].includes(right(way, item)) && state.index.answers[way].choice[item] === null],
};
const unanimity = {
  all: [t("votes_all"), (answers, item) => answers.draws[item] > 0 && answers.votes[item] === answers.draws[item]],
  split: [t("votes_split"), (answers, item) => answers.draws[item] > answers.votes[item]],
  tied: [t("votes_tied"), (answers, item) => answers.tied[item] === 1],
};
const betweens = {
  flips: [t("between_flips"), (item) => differs(item, right)],
  choice: [t("between_choice"), (item) => differs(item, chosen)],
  same: [t("between_same"), (item) => waysOf(item).filter((way) => right(way, item) !== 3).length > 1 && !differs(item, chosen)],
  fall: [t("between_fall"), (item) => right(0, item) === 1 && waysOf(item).some((way) => right(way, item) === 0)],
  rise: [t("between_rise"), (item) => right(0, item) === 0 && waysOf(item).some((way) => right(way, item) === 1)],
};
const shareOfVotes = (item) => state.index.answers[filters.way].votes[item] / Math.max(1, state.index.answers[filters.way].draws[item]);
const sorts = {
  "": [several ? t("sort_flips") : t("sort_data"), several ? (item) => (differs(item, right) ? 0 : differs(item, chosen) ? 1 : 2) : null],
  data: [t("sort_data"), null],
  votes: [t("sort_votes"), shareOfVotes],
};

/** Letter and colour of a way, as the figures have them. */
function markOf(way) {
  return several ? svg("svg", { class: "mark", width: 30, height: 18, role: "img" },
    svg("title", null, t("run_named", { run: optionName(way) })), svg("rect", { class: `fill s${way % 7 + 1}`, y: 3, width: 12, height: 12 }), svg("text", { x: 16, y: 14 }, optionName(way))) : null;
}

/** Searched text: id and facets, and the texts of unpacked items. */
const haystacks = [];
function haystack(item) {
  haystacks[item] ||= [state.index.ids[item], ...facetsOf(item).map(([, own]) => own)].join("\n").toLowerCase();
  return haystacks[item];
}

/** Includes the texts of all items in the search. */
async function searchTexts(told) {
  for (let number = 0; number < head.firsts.length; number++) {
    told(number);
    const { texts, items } = await chunk(number);
    items.forEach((one, at) => {
      const own = [...(one.context || []).map(([, text]) => text), one.question, ...(one.options || [])];
      const found = own.filter((text) => text !== undefined).map((text) => texts[text].toLowerCase());
      const item = head.firsts[number] + at;
      haystacks[item] = [haystack(item), ...found].join("\n");
    });
  }
}

function visible() {
  const { index } = state;
  const answers = index.answers[filters.way];
  const wanted = filters.text.toLowerCase();
  const picks = Object.entries(filters.pick).filter(([, own]) => own !== "").map(([name, own]) => {
    const column = index[name] || index.facets[name.slice("facet:".length)];
    const number = column.values.indexOf(own);
    return (item) => column.of[item] === number;
  });
  const shown = index.ids.map((_, item) => item).filter((item) =>
    picks.every((fits) => fits(item)) &&
    (!filters.verdict || verdicts[filters.verdict][1](filters.way, item)) &&
    (!filters.votes || (asked(filters.way, item) && unanimity[filters.votes][1](answers, item))) &&
    (!filters.between || betweens[filters.between][1](item)) &&
    (!wanted || haystack(item).includes(wanted)));
  const by = sorts[filters.sort][1];
  if (!by) return shown;
  const keys = new Map(shown.map((item) => [item, by(item)]));
  return shown.sort((a, b) => keys.get(a) - keys.get(b) || a - b);
}

// ---- the list ------------------------------------------------------------------------------------------------------

const list = el("ol");
/** The scrolling part of the list, so that the filters stay visible. */
const listing = el("div", { class: "listing" });
const count = el("p", { class: "quiet", id: "count", "aria-live": "polite" });
const more = el("button", { type: "button", class: "more", onclick: () => drawMore() }, t("show_more"));

/** A choice of the list's filters; `key` is its name in the address. */
function choose(key, name, choices, first) {
  return el("select", { "aria-label": name, "data-key": key, onchange: (event) => { setFilter(key, event.target.value); drawList(); toAddress(true); } },
    first === undefined ? null : el("option", { value: "" }, first), ...choices.map(([own, text]) => el("option", { value: own }, text)));
}

/** Sets a filter by its name in the address; an unknown value is none. */
function setFilter(key, own) {
  const known = (group) => (Object.hasOwn(group, own) ? own : "");
  const column = state.index[key] || state.index.facets[key.slice("facet:".length)];
  if (key === "q") filters.text = own;
  else if (key === "run") filters.way = Math.max(0, head.ways.findIndex((_, way) => optionName(way) === own));
  else if (key === "verdict") filters.verdict = known(verdicts);
  else if (key === "votes") filters.votes = known(unanimity);
  else if (key === "between") filters.between = several ? known(betweens) : "";
  else if (key === "sort") filters.sort = known(sorts);
  else if (Array.isArray(column?.values)) filters.pick[key] = column.values.includes(own) ? own : "";
}

/** The filters that are set, by their names in the address. */
function filtersSet() {
  const { text, way, verdict, votes, between, sort, pick } = filters;
  return Object.entries({ q: text, run: way ? optionName(way) : "", verdict, votes, between, sort, ...pick }).filter(([, own]) => own !== "");
}

/** Sets the filters of an address, and the fields with them. */
function setFilters(pairs) {
  filters = noFilters();
  pairs.forEach(([key, own]) => setFilter(key, own));
  const set = new Map(filtersSet());
  for (const field of document.querySelectorAll("#list [data-key]")) field.value = set.get(field.dataset.key) ?? (field.dataset.key === "run" ? "A" : "");
  drawList();
}

/** Columns worth a filter: with several values, but not nearly as many as items. */
function pickable() {
  const { benchmark, language, flags, facets } = state.index;
  const columns = [["benchmark", t("benchmark"), benchmark], ["language", t("cell_language"), language],
    ...Object.entries(facets).map(([name, column]) => [`facet:${name}`, name, column])];
  const useful = columns.filter(([, , { values }]) => values.length > 1 && values.length <= Math.max(12, head.items / 3));
  return flags.values.length ? [...useful, ["flags", t("anomalies"), flags]] : useful;
}

function buildList() {
  const search = el("input", { type: "search", id: "search", placeholder: t("search_items"), "aria-label": t("search_items"), "data-key": "q", oninput: (event) => { setFilter("q", event.target.value); drawList(); toAddress(false); } });
  const named = (group) => Object.entries(group).map(([key, [name]]) => [key, name]);
  const box = el("div", { class: "filters" }, search,
    several ? choose("run", t("which_answers"), shortWays.map((name, way) => [optionName(way), `${optionName(way)}: ${name}`])) : null,
    choose("verdict", t("right_or_wrong"), named(verdicts), t("all_of", { name: t("right_or_wrong") })),
    choose("votes", t("votes_over_orders"), named(unanimity), t("all_of", { name: t("votes_over_orders") })),
    several ? choose("between", t("between_runs"), named(betweens), t("all_of", { name: t("between_runs") })) : null);
  const picks = pickable().map(([key, name, { values }]) =>
    choose(key, name, [...values].sort().map((own) => [own, own]), t("all_of", { name })));
  box.append(...picks.slice(0, 3));
  if (picks.length > 3) box.append(el("details", null, el("summary", null, t("more_filters")), el("div", { class: "filters" }, ...picks.slice(3))));
  box.append(choose("sort", t("order_of_list"), Object.entries(sorts).filter(([key]) => several || key !== "data").map(([key, [name]]) => [key, t("list_by", { order: name })])));
  if (head.texts) box.append(textSearch());
  const legend = several ? el("p", { class: "legend" }, ...shortWays.map((name, way) => el("span", null, markOf(way), ...written(name)))) : null;
  if (legend) document.getElementById("list").append(legend);
  document.getElementById("list").append(
    el("details", { class: "fold", open: wide.matches }, el("summary", null, t("search_filter")), box), count, listing);
  listing.append(list, more);
  // Draws the next slice before scrolling reaches it.
  new IntersectionObserver((seen) => { if (seen[0].isIntersecting && !more.hidden) drawMore(); }, { root: listing, rootMargin: "300px" }).observe(more);
  drawList();
}

/** A page with all data inside searches texts at once; one with files next to it, on request. */
function textSearch() {
  const told = el("span", { "aria-live": "polite" }, head.folder === null ? t("also_in_texts") : t("loads_texts", { size: (head.bytes / 1e6).toFixed(0) }));
  const box = el("input", { type: "checkbox", id: "in-texts" });
  const begin = async () => {
    box.disabled = true;
    try {
      await searchTexts((number) => { told.textContent = t("reading_texts", { done: number, of: head.firsts.length }); });
      told.textContent = t("texts_searched");
      drawList();
    } catch (error) {
      told.textContent = error.message;
      box.disabled = box.checked = false;
    }
  };
  box.addEventListener("change", begin);
  return el("label", { class: "row quiet" }, box, told);
}

function sign(way, item) {
  const { choice, votes, draws, tied } = state.index.answers[way];
  const named = [`\u2717 ${t("verdict_wrong")}`, `\u2713 ${t("verdict_right")}`, `\u2013 ${t("sign_failed")}`, `\u2013 ${t("sign_first")}`][right(way, item)];
  if (named === undefined) return t("not_asked");
  const answer = right(way, item) === 3 ? "" : choice[item] === null && right(way, item) !== 2 ? t("verdict_none") : draws[item] > 1 ? `${t("votes_of", { votes: votes[item], of: draws[item] })}${tied[item] ? `, ${t("tie")}` : ""}` : "";
  return [named, answer].filter(Boolean).join(" \u00b7 ");
}

function entry(item) {
  const signs = head.ways.map((_, way) => el("small", null, markOf(way), sign(way, item)));
  return el("li", null, el("button", { type: "button", "data-item": item, "aria-current": item === state.item ? "true" : null, onclick: () => open(item) },
    ...written(state.index.ids[item]), ...signs));
}

function drawMore() {
  const next = state.shown.slice(state.drawn, state.drawn + SLICE);
  state.drawn += next.length;
  list.append(...next.map(entry));
  more.hidden = state.drawn >= state.shown.length;
}

function drawList() {
  state.shown = visible();
  state.drawn = 0;
  list.replaceChildren();
  drawMore();
  count.textContent = t("count_items_of", { shown: state.shown.length, all: head.items });
}

/** Marks an item in the list without redrawing; one far down is not marked, as all entries before it would be drawn. */
function markCurrent() {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const place = state.shown.indexOf(state.item);
  while (place < 25 * SLICE && place >= state.drawn) drawMore();
  const button = list.querySelector(`[data-item="${state.item}"]`);
  if (!button) return;
  button.setAttribute("aria-current", "true");
  // `scrollIntoView` would move the whole page along with the list.
  const [own, around] = [button.getBoundingClientRect(), listing.getBoundingClientRect()];
  if (own.top < around.top) listing.scrollTop -= around.top - own.top;
  if (own.bottom > around.bottom) listing.scrollTop += own.bottom - around.bottom;
}

function step(by) {
  if (!state.shown.length) return;
  const at = state.shown.indexOf(state.item);
  const { length } = state.shown;
  open(state.shown[at < 0 ? 0 : (at + by + length) % length]);
}

