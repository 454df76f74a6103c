// The list of items beside the page, its search and filters, and the step from one prompt to another.

const main = document.getElementById("main");
const filters = { text: "", wrong: false, language: "", shows: "", facets: Object.create(null) };
/** Facets offered at once; others stand behind a click. */
const firstFacets = ["task", "dimension", "ability", "order", "question_type"];

/** A facet of a prompt; nothing where it has none of this name, whatever all objects have. */
const facetOf = (one, facet) => (Object.hasOwn(one.facets, facet) ? one.facets[facet] : undefined);

function visible() {
  return data.cases.map((_, index) => index).filter((index) => {
    const one = data.cases[index];
    if (filters.wrong && one.right !== false) return false;
    if (filters.shows && kindName(one) !== filters.shows) return false;
    if (filters.language && one.language_name !== filters.language) return false;
    if (Object.entries(filters.facets).some(([facet, value]) => value && facetOf(one, facet) !== value)) return false;
    return `${one.item} ${one.variant} ${one.question ?? ""}`.toLowerCase().includes(filters.text.toLowerCase());
  });
}

/** Facets worth a filter: several values, but not nearly as many as items. */
function usefulFacets() {
  const values = Object.create(null);
  for (const one of data.cases) for (const [facet, value] of Object.entries(one.facets)) (values[facet] ||= new Set()).add(value);
  return Object.entries(values).filter(([, set]) => set.size > 1 && set.size <= Math.max(12, data.cases.length / 3));
}

function buildList() {
  const nav = document.getElementById("items");
  if (data.cases.length < 2) {
    document.getElementById("shell").classList.add("single");
    nav.remove();
    return;
  }
  const redraw = () => { drawList(); if (state.item < 0) draw(); };
  const search = (event) => { filters.text = event.target.value; redraw(); };
  const wrong = (event) => { filters.wrong = event.target.checked; redraw(); };
  const box = el("div", { class: "filters" },
    el("input", { type: "search", placeholder: t("search_items"), "aria-label": t("search_items"), oninput: search }),
    el("label", { class: "row quiet" }, el("input", { type: "checkbox", onchange: wrong }), t("wrong_only")));
  const select = (name, values, choose) => el("select", { "aria-label": name, onchange: (event) => { choose(event.target.value); redraw(); } },
    el("option", { value: "" }, t("all_of", { name })), ...[...values].sort().map((value) => el("option", { value }, value)));
  const languages = new Set(data.cases.map((one) => one.language_name));
  if (languages.size > 1) box.append(select(t("cell_language"), languages, (value) => { filters.language = value; }));
  const shows = new Set(data.cases.filter(kindOf).map(kindName));
  if (shows.size > 1) box.append(select(t("moved_it"), shows, (value) => { filters.shows = value; }));
  const facets = usefulFacets().map(([facet, values]) => [facet, select(facet, values, (value) => { filters.facets[facet] = value; })]);
  const [first, others] = [true, false].map((wanted) => facets.filter(([facet]) => firstFacets.includes(facet) === wanted).map(([, node]) => node));
  box.append(...first);
  if (others.length) box.append(el("details", null, el("summary", null, t("more_filters")), el("div", { class: "filters" }, ...others)));
  if (beside) nav.append(el("button", { type: "button", onclick: showAll }, t("all_prompts")));
  nav.append(el("details", { class: "fold", open: matchMedia("(min-width: 901px)").matches }, el("summary", null, t("search_filter")), box), el("p", { class: "quiet", id: "count", "aria-live": "polite" }), el("ol", { id: "list" }));
  drawList();
}

/** Prompts listed at once, around the one that is shown. */
const LISTED = 400;

function drawList() {
  const list = document.getElementById("list");
  if (!list) return;
  const shown = visible();
  const from = Math.max(0, Math.min(shown.indexOf(state.item) - LISTED / 2, shown.length - LISTED));
  document.getElementById("count").textContent = `${t("count_of", { shown: shown.length, all: data.cases.length })}${shown.length > LISTED ? ` (${from + 1}\u2013${from + LISTED})` : ""}`;
  list.replaceChildren(...shown.slice(from, from + LISTED).map((index) => {
    const one = data.cases[index];
    const sign = one.right === null ? "" : one.right ? `\u2713 ${t("verdict_right")}` : `\u2717 ${t("verdict_wrong")}`;
    const model = data.models.length > 1 ? data.models[one.model].name : "";
    return el("li", null, el("button", { type: "button", "aria-current": index === state.item ? "true" : null, onclick: () => open(index) },
      one.item, el("small", null, [sign, one.variant, model].filter(Boolean).join(" \u00b7 "))));
  }));
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** Opens a prompt as it was made, or as an address tells; `step` for one more step for Back. */
function open(index, address = "", step = true) {
  Object.assign(state, { item: index, row: 0, contrast: -1, picked: -1, asked: -1, target: "scope", cell: null, view: "" });
  if (!isRead(index)) {
    const shows = (node) => { if (state.item === index) main.replaceChildren(card(null, node)); };
    shows(el("p", { class: "quiet" }, t("reading_item", { item: data.cases[index].item })));
    details(index).then(() => { if (state.item === index) open(index, address, step); }, (error) => shows(el("p", { class: "departure" }, `${data.cases[index].item} cannot be shown: ${error.message}`)));
    return;
  }
  resetSliders();
  if (address) takeAddress(address);
  if (step) noteAddress(true);
  drawList();
  draw();
  if (state.view) goTo(state.view);
}

function step(by) {
  const shown = visible();
  if (!shown.length) return;
  const at = shown.indexOf(state.item);
  open(shown[at < 0 ? 0 : (at + by + shown.length) % shown.length]);
}

function resetSliders() {
  const { layers } = data.cases[state.item].rows[state.row];
  Object.assign(state, { head: -1, from: layers.length ? layers[0] : 0, to: layers.length ? layers[layers.length - 1] : 0 });
}
