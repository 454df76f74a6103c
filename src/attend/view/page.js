const main = document.getElementById("main");
const filters = { text: "", wrong: false, language: "", facets: Object.create(null) };
/** Facets offered at once; others stand behind a click. */
const firstFacets = ["task", "dimension", "ability", "order", "question_type"];

// ---- the list of items ---------------------------------------------------------------------------------------------

/** A facet of a prompt; nothing where it has none of this name, whatever all objects have. */
const facetOf = (one, facet) => (Object.hasOwn(one.facets, facet) ? one.facets[facet] : undefined);

function visible() {
  return data.cases.map((_, index) => index).filter((index) => {
    const one = data.cases[index];
    if (filters.wrong && one.right !== false) return false;
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
    el("input", { type: "search", placeholder: "Search items", "aria-label": "Search items", oninput: search }),
    el("label", { class: "row quiet" }, el("input", { type: "checkbox", onchange: wrong }), "Wrong only"));
  const select = (name, values, choose) => el("select", { "aria-label": name, onchange: (event) => { choose(event.target.value); redraw(); } },
    el("option", { value: "" }, `${name}: all`), ...[...values].sort().map((value) => el("option", { value }, value)));
  const languages = new Set(data.cases.map((one) => one.language_name));
  if (languages.size > 1) box.append(select("language", languages, (value) => { filters.language = value; }));
  const facets = usefulFacets().map(([facet, values]) => [facet, select(facet, values, (value) => { filters.facets[facet] = value; })]);
  const [first, others] = [true, false].map((wanted) => facets.filter(([facet]) => firstFacets.includes(facet) === wanted).map(([, node]) => node));
  box.append(...first);
  if (others.length) box.append(el("details", null, el("summary", null, "More filters"), el("div", { class: "filters" }, ...others)));
  if (beside) nav.append(el("button", { type: "button", onclick: showAll }, "All prompts"));
  nav.append(el("details", { class: "fold", open: matchMedia("(min-width: 901px)").matches }, el("summary", null, "Search and filter"), box), el("p", { class: "quiet", id: "count", "aria-live": "polite" }), el("ol", { id: "list" }));
  drawList();
}

/** Prompts listed at once, around the one that is shown. */
const LISTED = 400;

function drawList() {
  const list = document.getElementById("list");
  if (!list) return;
  const shown = visible();
  const from = Math.max(0, Math.min(shown.indexOf(state.item) - LISTED / 2, shown.length - LISTED));
  document.getElementById("count").textContent = `${shown.length} of ${data.cases.length}${shown.length > LISTED ? `; ${from + 1} to ${from + LISTED} are listed, the table has all` : ""}`;
  list.replaceChildren(...shown.slice(from, from + LISTED).map((index) => {
    const one = data.cases[index];
    const sign = one.right === null ? "" : one.right ? "\u2713 right" : "\u2717 wrong";
    const model = data.models.length > 1 ? data.models[one.model].name : "";
    return el("li", null, el("button", { type: "button", "aria-current": index === state.item ? "true" : null, onclick: () => open(index) },
      one.item, el("small", null, [sign, one.variant, model].filter(Boolean).join(" \u00b7 "))));
  }));
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

function open(index) {
  Object.assign(state, { item: index, row: 0, contrast: -1, picked: -1, target: "scope", cell: null });
  if (!isRead(index)) {
    const shows = (node) => { if (state.item === index) main.replaceChildren(card(null, node)); };
    shows(el("p", { class: "quiet" }, `Reading ${data.cases[index].item} \u2026`));
    details(index).then(() => { if (state.item === index) open(index); }, (error) => shows(el("p", { class: "departure" }, `${data.cases[index].item} cannot be shown: ${error.message}`)));
    return;
  }
  resetSliders();
  history.replaceState(null, "", `#${index}`);
  drawList();
  draw();
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

// ---- the page of one item ------------------------------------------------------------------------------------------

function draw() {
  // What is not read yet draws itself when it is.
  if (state.item >= 0 && !isRead(state.item)) return;
  const focus = main.querySelector(":focus")?.dataset.focus;
  main.replaceChildren(...(state.item < 0 ? overviewCards() : cards()), ...[groupsCard(), ...findingsCards(), aboutCard()].filter(Boolean));
  if (focus) main.querySelector(`[data-focus="${focus}"]`)?.focus({ preventScroll: true });
}

/** All cards of the prompt chosen; the story and what changes it stand side by side where there is room. */
function cards() {
  const one = data.cases[state.item];
  const row = one.rows[state.row];
  const shown = figures(one, row);
  const map = mapCard(one, row), profile = profileCard(one, shown);
  return [
    heading(one),
    ...conclusionCards(one),
    el("div", { class: "linked" },
      el("div", { class: "stack" }, storyCard(one, shown), ...one.humans.map((human) => humanCard(one, human, shown)), optionsCard(one)),
      el("div", { class: "stack side" }, controls(one, row), map || profile)),
    ...(map
      ? [pair(keywordsCard(one, shown), partsCard(one, shown)), longPair(profile, deletionCard(one))]
      : [pair(keywordsCard(one, shown), el("div", { class: "stack" }, partsCard(one, shown), deletionCard(one)))]),
    ...causalCards(one),
    ...insideCards(one),
  ];
}

/** What the analysis shows, by rules; not while function words compete. */
function conclusionCards(one) {
  if (!one.conclusion) return [];
  return [card("What this shows", ...one.conclusion.sentences.map((sentence) => el("p", null, sentence)),
    el("p", { class: "quiet" }, `By rules, for the keywords of the answer position as they were first read; it tells what was seen, not why.`))];
}

const pair = (...nodes) => el("div", { class: "two" }, ...nodes);
/** On paper one below the other, since long text in half a page's width fills many. */
const longPair = (...nodes) => el("div", { class: "two long" }, ...nodes);

/** Layers and heads in words. */
function viewName({ from, to, head }) {
  return `${from === to ? `layer ${from}` : `layers ${from} to ${to}`}, ${head >= 0 ? `head ${head}` : settings.heads === "all" ? "mean of all heads" : `mean of heads ${settings.heads}`}`;
}

const placeName = (row) => (row.query === "answer" ? "the answer position" : `the end of ${row.query}`);

/** What the weights shown were read from, in words that are true of every measure. */
function source(row) {
  const left = leavesOut() || settings.drop_stop_words ? "; function words left out" : "";
  const of = { attention: "Attention", value: "Value-weighted attention" }[settings.measure];
  if (of) return `${of} of ${placeName(row)}, ${viewName(chosen())}${left}`;
  if (settings.measure === "rollout") return `Rollout from ${placeName(row)} down through all layers, mean of all heads in each${left}`;
  return `Occlusion: what the choice loses when a word is left out; it reads no layers and no heads${left}`;
}

function heading(one) {
  const judged = one.right === null ? "" : one.right ? "right" : "wrong";
  const chips = [data.models[one.model].name, one.language_name, ...Object.entries(one.facets).map((pair) => pair.join(": "))];
  return card(null,
    el("div", { class: "row between" },
      el("div", null, el("h1", null, one.item), one.variant ? el("p", { class: "quiet" }, one.variant) : null,
        el("p", { class: `verdict ${judged}` }, one.verdict)),
      data.cases.length < 2 ? null : el("div", { class: "row" },
        el("button", { type: "button", onclick: () => step(-1), "data-focus": "previous" }, "\u2190 Previous"),
        el("button", { type: "button", onclick: () => step(1), "data-focus": "next" }, "Next \u2192"))),
    el("div", { class: "chips" }, ...chips.map((chip) => el("span", { class: "chip" }, chip))));
}

function controls(one, row) {
  const box = el("section", { class: "card controls", "aria-label": "What is shown" });
  const select = (name, key, choices, change) => el("label", null, name,
    el("select", { "data-focus": key, onchange: (event) => { change(Number(event.target.value)); draw(); } },
      ...choices.map(([value, text]) => el("option", { value, selected: value === state[key] }, text))));
  if (one.rows.length > 1) {
    const names = one.rows.map((each, index) => [index, placeName(each)]);
    box.append(select("Seen from", "row", names, (value) => { state.row = value; resetSliders(); }));
  }
  const contrasts = data.contrasts.map((each, index) => [each, index]).filter(([each]) => each.first[0] === state.item);
  if (contrasts.length) {
    const names = contrasts.map(([each, index]) => [index, each.name]);
    box.append(select("Colour shows", "contrast", [[-1, "weights"], ...names], (value) => { state.contrast = value; }));
  }
  if (row.map) box.append(...sliders(row));
  for (const [key, name, disabled] of [["numbers", "Numbers"], ["whole", "Whole prompt"], ["content", "No function words", !canLeaveOut(one)]]) {
    const change = (event) => { state[key] = event.target.checked; draw(); };
    box.append(el("label", { class: "check", title: key === "content" ? aboutLists(one) : null },
      el("input", { type: "checkbox", checked: key === "content" ? leavesOut() || settings.drop_stop_words : state[key], "data-focus": key, disabled, onchange: change }), name));
  }
  box.append(exportButtons());
  if (row.map) {
    const reset = () => { resetSliders(); draw(); };
    box.append(el("button", { type: "button", "data-focus": "reset", disabled: asAsked(row), onclick: reset }, `Back to ${viewName(asked(row))}`));
  }
  return box;
}

/** Whether function words can be left out here: their language has a list, and they were not left out for good. */
const canLeaveOut = (one) => one.lists_function_words && !settings.drop_stop_words;

function aboutLists(one) {
  if (settings.drop_stop_words) return "They were left out when this page was made; --function-words keeps them.";
  return one.lists_function_words ? "Leave out articles, pronouns, prepositions, conjunctions and auxiliaries, but no word of negation, time or cause" : `There is no list of function words of ${one.language_name}.`;
}

function sliders(row) {
  const { map } = row;
  const first = map.layers[0], last = map.layers[map.layers.length - 1];
  const fixed = headsAreFixed(row) && state.head >= 0;
  const range = (key, min, max, name, text, disabled) => el("label", { class: "slider" }, text, el("input", {
    type: "range", min, max, value: state[key], "aria-label": name, "data-focus": key, disabled,
    oninput: (event) => {
      state[key] = Number(event.target.value);
      if (state.from > state.to) state[key === "from" ? "to" : "from"] = state[key];
      if (headsAreFixed(row) && state.head >= 0) Object.assign(state, { ...asked(row), head: state.head });
      draw();
    },
  }));
  const layers = state.from === state.to ? `${state.from}` : `${state.from} to ${state.to}`;
  return [
    el("fieldset", null, el("span", null, `Layers ${first} to ${last}`),
      el("div", { class: "row" }, range("from", first, last, "First layer", "from", fixed), range("to", first, last, "Last layer", "to", fixed), el("output", null, layers))),
    el("fieldset", null, el("span", null, `Heads 0 to ${map.heads - 1}`),
      el("div", { class: "row" }, range("head", -1, map.heads - 1, "Head; leftmost for the mean", "mean, then each"), el("output", null, state.head < 0 ? "mean" : String(state.head)))),
    headsAreFixed(row) ? el("p", { class: "quiet" }, "A page of many prompts holds single heads for the layers asked for alone, so the layers stand still while one is chosen; analyse fewer prompts to move both.") : null,
  ].filter(Boolean);
}

/** The scope's text, or the whole prompt, with a node for each word that is not white space. */
function prose(one, name, wordNode) {
  const box = el("div", { class: "story", lang: one.language, dir: direction(one), tabindex: "0", role: "group", "aria-label": name });
  let last = -1;
  one.words.forEach((word, at) => {
    const [text, kind, part] = word;
    if (kind === 3 || !(state.whole || one.parts[part][1])) return;
    if (part !== last) {
      if (state.whole) box.append(el("span", { class: "part-name", dir: "ltr", lang: "en" }, one.parts[part][0]));
      else if (last >= 0 && !/\n\s*$/.test(box.textContent)) box.append("\n");
      last = part;
    }
    box.append(kind === 2 ? text : wordNode(text, at));
  });
  return box;
}

function storyCard(one, shown) {
  const contrast = contrastShown();
  const difference = new Map(contrast ? contrast.differences.map(([first, , value]) => [first, value]) : []);
  const alone = new Set(contrast ? contrast.only_first : []);
  const top = largest(contrast ? [...difference.values()].map(Math.abs) : shown.weights);
  const rankOf = new Map();
  shown.ranking.slice(0, settings.top).forEach((word, rank) => word.words.forEach((at) => rankOf.set(at, rank + 1)));
  const readout = el("p", { class: "readout", "aria-live": "polite" }, "Point at a word for its numbers.");
  const tell = (at) => { readout.textContent = describe(one, shown, at, contrast, difference, alone); };
  const pick = (at) => { Object.assign(state, { picked: at, ...(shown.map?.kind === "full" && { target: "word" }) }); draw(); };
  const nodes = [];
  const box = prose(one, "Story with the model's weights; arrow keys move from word to word", (text, at) => {
    const value = contrast ? difference.get(at) || 0 : shown.weights[at];
    const strength = top > 0 ? Math.abs(value) / top : 0;
    const rank = contrast ? undefined : rankOf.get(at);
    const style = strength > 0 ? `--s: ${strength.toFixed(3)}; border-bottom: ${strength > 0.1 ? Math.ceil(strength * 3) : 0}px ${value < 0 ? "dashed" : "solid"} currentColor` : null;
    const classes = ["w", strength > 0 && "tint", value < 0 && "less", rank && "key", state.picked === at && "picked", alone.has(at) && "gone"];
    const figure = state.numbers && value !== 0 ? (contrast ? signed(100 * value, 1) : (100 * value).toFixed(1)) : null;
    // Figures are content of the style, so that copied text is the story alone.
    const node = el("span", { class: classes.filter(Boolean).join(" "), style, "data-rank": rank, "data-figure": figure, onmouseenter: () => tell(at), onclick: () => pick(at) }, text);
    nodes.push([at, node]);
    return node;
  });
  box.dataset.focus = "story";
  let cursor = nodes.findIndex(([at]) => at === state.picked);
  box.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Enter" && cursor >= 0) { pick(nodes[cursor][0]); return; }
    if (!by) return;
    event.preventDefault();
    cursor = Math.min(nodes.length - 1, Math.max(0, cursor + (direction(one) === "rtl" ? -by : by)));
    nodes.forEach(([, node], index) => node.classList.toggle("picked", index === cursor));
    tell(nodes[cursor][0]);
  });
  if (state.picked >= 0) tell(state.picked);
  return card(data.models[one.model].name, el("p", { class: "quiet source" }, `${source(shown)}.`), box, readout, contrast ? contrastLegend(contrast, top) : weightLegend(top));
}

function weightLegend(top) {
  const words = leavesOut() || settings.drop_stop_words ? "all words shown that are no function words" : `all words in ${settings.scope}`;
  const of = settings.measure === "occlusion" ? "all falls" : settings.keep_sink ? "the whole row" : words;
  return el("div", { class: "legend" }, el("span", null, "0"), el("i"), el("span", null, percent(top)),
    el("span", null, `share of ${of}. Small numbers rank the first ${settings.top} keywords`));
}

function contrastLegend(contrast, top) {
  const gone = contrast.only_first.length ? ". Struck through: not in the other prompt" : "";
  return el("div", { class: "legend" }, el("span", null, `\u2212${percent(top)}`), el("i", { class: "both" }), el("span", null, `+${percent(top)}`),
    el("span", null, `${contrast.name}: solid line more, dashed line less; distance ${contrast.distance.toFixed(2)} of 1${gone}${contrast.current ? "" : `. For ${viewName(asked(data.cases[contrast.first[0]].rows[contrast.first[1]]))}, not those chosen`}`));
}

function describe(one, shown, at, contrast, difference, alone) {
  const pieces = [`\u201c${one.words[at][0]}\u201d`];
  const rank = shown.ranking.findIndex((word) => word.words.includes(at));
  const drop = shown.drops && shown.drops[at];
  if (contrast) {
    pieces.push(alone.has(at) ? "only in this prompt" : `difference ${signed(100 * (difference.get(at) || 0))} points`);
  } else if (rank < 0) {
    pieces.push("does not compete to be a keyword");
  } else {
    const word = shown.ranking[rank];
    pieces.push(percent(shown.weights[at], 2), `rank ${rank + 1} of ${shown.ranking.length}`);
    if (word.words.length > 1) pieces.push(`occurrence ${word.words.indexOf(at) + 1} of ${word.words.length}, together ${percent(word.weight, 2)}`);
    if (typeof drop === "number") pieces.push(`without it the log-odds of the choice change by ${signed(-drop)} nats`);
  }
  return pieces.join(" \u00b7 ");
}

function humanCard(one, human, shown) {
  const marks = marksShown(one, human);
  const agreed = asAsked(shown) && state.row === 0 && !leavesOut() ? human : agreement(shown, marks.keywords);
  const marked = new Set(human.words);
  const box = prose(one, `Story with the marks of ${human.reader}`, (text, at) => el("span", { class: marked.has(at) ? "w marked" : "w" }, text));
  const facts = [
    agreed.overlap !== null && `overlap of the first ${settings.top}: ${percent(agreed.overlap, 0)}${byChance(human.overlap_by_chance, (value) => percent(value, 0))}`,
    agreed.jaccard !== null && `Jaccard ${agreed.jaccard.toFixed(2)}${byChance(human.jaccard_by_chance)}`,
    agreed.rank_biased_overlap !== null && `rank-biased overlap ${agreed.rank_biased_overlap.toFixed(2)}${byChance(human.rank_biased_overlap_by_chance)}`,
    marks.read_to !== null && `sure after ${percent(marks.read_to, 0)} of the words`,
  ].filter(Boolean);
  return card(`Person: ${human.reader}`, box, el("p", { class: "readout" }, facts.join(" \u00b7 ")),
    el("p", { class: "quiet" }, `Compared with the keywords shown, and again whenever they change${leavesOut() ? "; function words among the marks do not count, and what is by chance is that of the words marked at first" : ""}.`),
    human.missing.length ? el("p", { class: "quiet" }, `Marked, but not in the text: ${human.missing.join(", ")}`) : null,
    human.read_to_missing ? el("p", { class: "quiet" }, `Read to words that are not in the text: ${human.read_to_missing}`) : null);
}

/** What an overlap is by chance; it depends on the number of words alone, which layers and heads do not change. */
const byChance = (value, text = (one) => one.toFixed(2)) => (value === null || value === undefined ? "" : ` (by chance ${text(value)})`);

function optionsCard(one) {
  const scored = one.options.filter((option) => option.probability !== null);
  const mass = sum(scored.map((option) => Math.exp(option.logprob)));
  return card("Question and options as shown", el("p", { lang: one.language, dir: direction(one) }, one.question),
    el("div", { class: "options" }, ...one.options.map((option) => {
      const known = option.probability !== null;
      const tags = [option.chosen && "\u25b6 chosen", option.gold && "\u2713 gold"].filter(Boolean).join("  ");
      return el("div", { class: option.chosen ? "option chosen" : "option" },
        el("span", { class: "label" }, option.label),
        el("div", null, el("div", { class: "row between" }, el("span", { lang: one.language, dir: direction(one) }, option.text), el("span", { class: "tag" }, tags)),
          known ? bar(option.probability, percent(option.probability)) : null,
          known ? el("small", { class: "quiet" }, `${percent(option.probability)} of the options shown \u00b7 raw probability ${percent(Math.exp(option.logprob))}`) : null));
    })),
    scored.length ? el("p", { class: "quiet" }, `Label mass ${percent(mass)}: how likely the model is to go on with any of the labels at all. Bars are out of 100 % of the options shown.`) : null);
}

function keywordsCard(one, shown) {
  const people = one.humans.map((human) => marksShown(one, human));
  const marked = new Set(people.flatMap((human) => human.keywords));
  const words = shown.ranking.slice(0, settings.top);
  const most = largest(words.map((word) => word.weight)) || 1;
  const head = (name, kind) => el("th", { class: kind }, name);
  const asWritten = (key) => shown.ranking.find((word) => word.key === key)?.text ?? key;
  return card(`First ${words.length} keywords`, el("div", { class: "scroll" }, el("table", null,
    el("thead", null, el("tr", null, head("#", "num"), head("Word"), head("Weight", "num"), head(""), head("Times", "num"), marked.size ? head("Person") : null)),
    el("tbody", null, ...words.map((word, rank) => el("tr", null,
      el("td", { class: "num" }, String(rank + 1)), el("td", { lang: one.language, dir: "auto" }, word.text), el("td", { class: "num" }, percent(word.weight)),
      el("td", { class: "wide" }, bar(word.weight / most)), el("td", { class: "num" }, String(word.words.length)),
      marked.size ? el("td", null, marked.has(word.key) ? "marked" : "") : null))))),
  shown.faint ? el("p", { class: "quiet" }, "Function words hold nearly all of the weight here: how the rest is shared among other words is rounding.") : null,
  marked.size ? el("p", { class: "quiet" }, "Person's words: ", el("bdi", { lang: one.language }, people.map((human) => human.keywords.map(asWritten).join(", ")).join(" | "))) : null);
}

/** Where the weight went, by the names that are shown. */
function sharesShown(one, shown) {
  const names = { first: "first token (sink)", special: "tokens without text" };
  const shares = [...shown.shares].filter(([name]) =>
    name === "first" ? !settings.keep_sink : name !== "special" || one.words.some(([, kind]) => kind === 3));
  return shares.map(([name, share]) => [names[name] || name, share]);
}

function partsCard(one, shown) {
  const shares = sharesShown(one, shown);
  const even = Math.max(1, Math.round(2 ** shown.entropy_bits));
  const entropy = el("p", { class: "quiet" }, `Entropy over the words in ${settings.scope}: ${shown.entropy_bits.toFixed(2)} bits, as if ${even} words shared the weight evenly.`);
  if (shown.drops) return card("How even the weight is", entropy);
  return card("Where the weight went", el("table", null, el("tbody", null, ...shares.map(([name, share]) => el("tr", null,
    el("td", null, name), el("td", { class: "wide" }, bar(share)), el("td", { class: "num" }, percent(share)))))),
    el("p", { class: "quiet" }, "Of the whole row shown. Bars are out of 100 %."), entropy);
}

// ---- the map of heads ----------------------------------------------------------------------------------------------

function mapCard(one, row) {
  const map = row.map;
  if (!map) return null;
  const choices = [["scope", settings.scope], ...[...new Set(one.parts.map(([name]) => name))].map((name) => [`part:${name}`, name]),
    ["sink", "first token (sink)"], ["entropy", "entropy of the row"]];
  if (state.picked >= 0 && map.kind === "full") choices.push(["word", `word \u201c${one.words[state.picked][0]}\u201d`]);
  const unit = state.target === "entropy" ? (value) => `${value.toFixed(2)} bits` : (value) => percent(value);
  const choose = (event) => { state.target = event.target.value; draw(); };
  const head = el("div", { class: "row between" }, el("h2", null, "Layers (up) and heads (across)"),
    el("label", { class: "quiet row" }, "Share on", el("select", { "data-focus": "target", onchange: choose },
      ...choices.map(([value, name]) => el("option", { value, selected: value === state.target }, name)))));
  const values = headValues(one, row, state.target);
  const top = largest(values) || 1;
  const readout = el("p", { class: "readout", "aria-live": "polite" }, "Point at a cell for its number.");
  const how = map.kind === "full"
    ? "Click a word in the story to see which heads look at it, or a cell to read the story with that head"
    : "Click a cell to read the story with its layer. Single words are not held for every head on a page of many prompts";
  return card(null, head, heatMap(map, values, top, (layer, at) => {
    readout.textContent = `Layer ${map.layers[layer]}, head ${at}: ${unit(values[layer * map.heads + at])}`;
  }), readout, el("div", { class: "legend" }, el("span", null, "0"), el("i"), el("span", null, unit(top)),
    el("span", null, `${state.target === "entropy" ? "Entropy" : "Share"} of each head's own row, seen from ${placeName(row)}. Bracket: the layers shown. ${how}`)));
}

function heatMap(map, values, top, tell) {
  const layers = map.layers.length, heads = map.heads, left = 34, width = 460;
  const tall = Math.min(20, Math.max(4, 250 / layers)), wide = (width - left) / heads;
  const frame = svg("rect", { fill: "none", stroke: "var(--ink)", "stroke-width": 2, width: wide, height: tall, visibility: "hidden" });
  const show = (layer, head) => {
    state.cell = [layer, head];
    frame.setAttribute("x", left + head * wide);
    frame.setAttribute("y", (layers - 1 - layer) * tall);
    frame.setAttribute("visibility", "visible");
    tell(layer, head);
  };
  const pick = (layer, head) => { Object.assign(state, { from: map.layers[layer], to: map.layers[layer], head: map.kind === "full" ? head : -1 }); draw(); };
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${layers * tall + 18}`, class: "fig map", tabindex: "0", role: "img", "data-focus": "map",
    "aria-label": "Map of layers and heads; arrow keys move, Enter reads the story with that head",
    onkeydown: (event) => {
      const [layer, head] = state.cell || [layers - 1, 0];
      const [up, across] = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] || [0, 0];
      if (event.key === "Enter") { pick(layer, head); return; }
      if (!up && !across) return;
      event.preventDefault();
      show(Math.min(layers - 1, Math.max(0, layer + up)), Math.min(heads - 1, Math.max(0, head + across)));
    },
  });
  for (let layer = 0; layer < layers; layer++) {
    const y = (layers - 1 - layer) * tall;
    for (let head = 0; head < heads; head++) {
      const strength = (values[layer * heads + head] / top).toFixed(3);
      picture.append(svg("rect", {
        class: "heat", x: left + head * wide, y, width: wide - 1, height: tall - 1, style: `fill: rgba(var(--heat), ${strength}); stroke: var(--line); stroke-width: .5`,
        onmouseenter: () => show(layer, head), onclick: () => pick(layer, head),
      }));
    }
    if (layers <= 16 || map.layers[layer] % 5 === 0) picture.append(label(left - 8, y + tall / 2 + 4, map.layers[layer], "end"));
  }
  for (let head = 0; head < heads; head++) if (heads <= 16 || head % 4 === 0) picture.append(label(left + (head + 0.5) * wide, layers * tall + 13, head, "middle"));
  const shownRows = map.layers.map((_, at) => at).filter((at) => map.layers[at] >= state.from && map.layers[at] <= state.to);
  const [low, high] = [Math.min(...shownRows), Math.max(...shownRows)];
  picture.append(svg("path", { d: `M ${left - 1} ${(layers - 1 - high) * tall} h -3 V ${(layers - low) * tall - 1} h 3`, class: "bracket" }), frame);
  return picture;
}

function label(x, y, text, anchor) {
  return svg("text", { x, y, "text-anchor": anchor }, String(text));
}

// ---- position, deletion, groups ------------------------------------------------------------------------------------

function profileCard(one, shown) {
  const width = 420, left = 12, base = 130, step = (width - 2 * left) / 10;
  const top = Math.max(largest(shown.tenths), 0.1);
  const picture = svg("svg", { viewBox: `0 0 ${width} 166`, class: "fig", role: "img", "aria-label": `Share of the weight in each tenth: ${shown.tenths.map((share) => percent(share, 0)).join(", ")}` });
  shown.tenths.forEach((share, bin) => {
    const high = (share / top) * (base - 28);
    picture.append(svg("rect", { x: left + bin * step + 3, y: base - high, width: step - 6, height: high, rx: 3, style: "fill: rgb(var(--heat)); fill-opacity: .75" }),
      label(left + (bin + 0.5) * step, base - high - 5, percent(share, 0), "middle"));
  });
  picture.append(svg("line", { x1: left, x2: width - left, y1: base, y2: base, class: "axis" }),
    label(left, base + 33, "start", "start"), label(width - left, base + 33, "end", "end"));
  const mark = (share, fill) => {
    if (share !== null) picture.append(svg("path", { d: `M ${left + share * (width - 2 * left)} ${base + 3} l 6 13 h -12 z`, style: `fill: ${fill}; stroke: var(--ink); stroke-width: 1.5` }));
  };
  const people = one.humans.map((human) => marksShown(one, human));
  for (const human of people) mark(human.half_way, "var(--card)");
  mark(shown.half_way, "var(--ink)");
  const facts = [];
  if (shown.half_way !== null) facts.push(`\u25b2 half of the model's weight: the first ${percent(shown.half_way, 0)} of the words in ${settings.scope}.`);
  for (const human of people) {
    if (human.half_way !== null) facts.push(`\u25b3 half of the marks of ${human.reader}: the first ${percent(human.half_way, 0)}.`);
    if (human.read_to !== null) facts.push(`${human.reader} was sure after ${percent(human.read_to, 0)}.`);
  }
  return card("How far into the text", picture, el("p", { class: "quiet" }, `${facts.join(" ")}`));
}

const moved = (fall) => `${fall < 0 ? "rise" : "fall"} by ${Math.abs(fall).toFixed(2)}`;

/* The falls of random sets as dots, the tested words as a line: one change of the prompt. */
function effectPicture(effect, name) {
  const all = [...effect.random, effect.fall, 0];
  const low = Math.min(...all), high = Math.max(...all), span = high - low || 1, width = 420;
  const x = (value) => 24 + ((value - low) / span) * (width - 48);
  const [from, to] = effect.interval, at = x(effect.fall);
  // A figure under each end, and under nought where it stands clear of them.
  const clear = Math.abs(x(low) - x(0)) > 60 && Math.abs(x(high) - x(0)) > 60;
  const ticks = [low, ...(high > low ? [high] : []), ...(clear ? [0] : [])];
  return svg("svg", { viewBox: `0 0 ${width} 88`, class: "fig", role: "img", "aria-label": `${name}: falls in nats, tested words ${signed(effect.fall)}, random words ${signed(from)} to ${signed(to)}` },
    svg("rect", { x: x(from), y: 22, width: Math.max(2, x(to) - x(from)), height: 34, rx: 4, style: "fill: var(--track)" }),
    ...effect.random.map((fall, index) => svg("circle", { cx: x(fall), cy: 39 + ((index * 7) % 5 - 2) * 5, r: 3, style: "fill: var(--soft); fill-opacity: .55" })),
    svg("line", { x1: x(0), x2: x(0), y1: 16, y2: 64, class: "axis" }),
    svg("path", { d: `M ${at} 18 l 8 -12 h -16 z`, style: "fill: rgb(var(--heat))" }),
    svg("line", { x1: at, x2: at, y1: 18, y2: 62, style: "stroke: rgb(var(--heat)); stroke-width: 2.5" }),
    ...ticks.map((value) => label(x(value), 80, value === 0 ? "0" : signed(value), "middle")));
}

function effectText(effect, name, beyond, leans) {
  const [from, to] = effect.interval;
  const ended = effect.ended_early ? `ended at draw ${effect.counted}, the tenth to reach it` : `${effect.counted} draws`;
  const small = effect.smallest_p < 0.05 ? "" : " So few draws cannot give a p below 0.05.";
  const verdict = effect.p < 0.05 ? leans : `That is within what random words do.${small} It says neither that these words matter nor that they do not.`;
  return `${name} the log-odds ${moved(effect.fall)} nats${effect.flips ? " and another option becomes the likeliest" : ""}; with random words they fall by ${signed(from)} to ${signed(to)} ` +
    `(middle 95 % of ${effect.described}), 5 % of these ${beyond} ${signed(effect.rare)}, and ${effect.random_flips} of ${effect.described} change the choice. One-sided p = ${effect.p.toFixed(3)} (smallest possible ${effect.smallest_p.toFixed(3)}; ${ended}). ${verdict}`;
}

function deletionPart(check, whose) {
  return [
    el("p", null, `${whose}: ${check.words} words, ${check.occurrences} occurrences, ${check.tokens.toFixed(0)} tokens. For the whole prompt option ${check.option} has log-odds of ${signed(check.log_odds)} nats ` +
      `among the options shown (${percent(check.probability)}; label mass ${percent(check.label_mass)}). Random sets have ${check.random_tokens.toFixed(1)} tokens and ${check.shared.toFixed(1)} of these words on average.`),
    effectPicture(check.without, "without these words"),
    el("p", null, effectText(check.without, "Without them", "above", "The choice leans on these words more than on random ones.")),
    effectPicture(check.only, "with no other words"),
    el("p", null, effectText(check.only, "With no other words of the scope", "below", "These words alone keep the choice better than random ones do.")),
  ];
}

/** For what was made once, while the rest of the page leaves function words out. */
const withFunctionWords = settings.drop_stop_words ? ", function words left out" : ", function words among them";

function deletionCard(one) {
  const check = one.deletion, first = one.rows[0];
  const marked = one.humans.filter((human) => human.deletion);
  if (!check && !marked.length) return card("Deletion check", el("p", { class: "quiet" }, "Not made on this item, so it is unknown whether the choice depends on these words."));
  const layers = first.map ? `, ${viewName(asked(first))}` : "";
  return card("Deletion check", ...(check ? deletionPart(check, `The first ${settings.top} keywords`) : []),
    ...marked.flatMap((human) => deletionPart(human.deletion, `The words of ${human.reader}`)),
    el("p", { class: "quiet" }, "\u25bc the words tested, \u25cf random words (band: their middle 95 %); falls of the log-odds in nats."),
    el("p", { class: "quiet" }, `Made once, for the keywords of ${placeName(first)}${layers}${withFunctionWords}; the controls above do not change it.`));
}

/* What depends on parts of the model, and what it would answer after each layer. */
function causalCards(one) {
  const cards = [];
  if (one.knocked_out.length) cards.push(card("Parts switched off",
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of parts switched off" }, el("table", null,
      el("thead", null, el("tr", null, ...["Without", "Fall of the log-odds, nats", "Probability", "Label mass", "Choice"].map((name, at) => el("th", { class: at ? "num" : null }, name)))),
      el("tbody", null, ...one.knocked_out.map((off) => el("tr", null, el("td", null, off.parts), el("td", { class: "num" }, signed(off.fall)),
        el("td", { class: "num" }, percent(off.probability)), el("td", { class: "num" }, percent(off.label_mass)), el("td", { class: "num" }, off.flips ? "another" : "the same")))))),
    el("p", { class: "quiet" }, "Of the chosen option among the options shown. Heads give zero and layers add no attention, at every position. A model was never trained without these parts: a change may come from what later layers make of that.")));
  const lens = one.lens;
  if (lens) {
    const width = 420, left = 40, right = 26, top = 12, base = 150, last = lens.label_mass.length - 1;
    const x = (layer) => left + (layer / Math.max(last, 1)) * (width - left - right), y = (share) => base - share * (base - top);
    const line = (values, style) => svg("path", { d: values.map((value, layer) => `${layer ? "L" : "M"} ${x(layer).toFixed(1)} ${y(value).toFixed(1)}`).join(" "), style: `fill: none; ${style}` });
    const ends = one.options.map((option, slot) => ({ option, slot, at: y(lens.probabilities[last][slot]) })).sort((a, b) => a.at - b.at);
    // Labels stand apart, and none below the axis.
    ends.forEach((end, place) => { if (place) end.at = Math.max(end.at, ends[place - 1].at + 16); });
    [...ends].reverse().forEach((end, place, all) => { end.at = Math.min(end.at, place ? all[place - 1].at - 16 : base); });
    const picture = svg("svg", { viewBox: `0 0 ${width} 184`, class: "fig", role: "img", "aria-label": `Logit lens: probability of each option after each layer, at last ${one.options.map((option, slot) => `${option.label} ${percent(lens.probabilities[last][slot], 0)}`).join(", ")}` },
      ...[0, 0.5, 1].flatMap((share) => [svg("line", { x1: left, x2: width - right, y1: y(share), y2: y(share), class: "axis" }), label(left - 5, y(share) + 4, percent(share, 0), "end")]),
      line(lens.label_mass, "stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 3 3"),
      ...one.options.map((option, slot) => line(lens.probabilities.map((row) => row[slot]), option.chosen ? "stroke: rgb(var(--heat)); stroke-width: 2.5" : `stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: ${["none", "8 3", "5 3 1 3", "2 2"][slot % 4]}`)),
      ...ends.map((end) => label(width - right + 5, end.at + 4, end.option.label, "start")),
      label(left, base + 18, "embedding", "start"), label(width - right, base + 18, `layer ${last - 1}`, "end"));
    cards.push(card("Logit lens", picture,
      el("p", { class: "quiet" }, `What the head makes of the answer position after each layer: the options' ${lens.first_tokens_only ? "first tokens" : "labels"} among themselves (the chosen one in colour), and their mass (dotted). ` +
        "The head was trained for the last layer; early ones need not speak its language.")));
  }
  return cards.length > 1 ? [longPair(...cards)] : cards;
}

function groupsCard() {
  if (!data.groups.length) return null;
  const nats = (value) => signed(value);
  const check = (show) => ({ deletion }) => deletion ? show(deletion) : null;
  const number = (key, show) => (group) => group[key] === null || group[key] === undefined ? null : show(group[key]);
  const columns = [
    ["Prompts", number("items", String)], ["First token", number("sink", percent)], ["Words", number("on_words", percent)],
    ["Entropy", number("entropy_bits", (value) => value.toFixed(2))], ["Half-way", number("half_way", (value) => percent(value, 0))],
    ["Overlap", number("overlap", (value) => percent(value, 0))],
    ["Fall without keywords", check((checks) => nats(checks.keywords))], ["Without random words", check((checks) => nats(checks.random))],
    ["Difference, 95 %", check(({ difference }) => difference ? `${nats(difference[0])} to ${nats(difference[1])}` : null)],
    ["p < 0.05", check((checks) => `${checks.leaning} of ${checks.items}`)], ["By chance", check((checks) => checks.expected.toFixed(1))],
    ["Flips", check((checks) => `${checks.flips}; ${percent(checks.random_flips, 0)}`)],
  ].filter(([, show]) => data.groups.some((group) => show(group) !== null));
  const shown = (column) => columns.some(([name]) => name === column);
  const line = (group) => [
    el("tr", { class: "over" }, el("th", { scope: "row" }, group.name), ...columns.map(([, show]) => el("td", { class: "num" }, show(group) ?? "-"))),
    ...group.keywords.map((recurring) => el("tr", null, el("td", { class: "words", colspan: String(columns.length + 1) }, el("div", { class: "still" }, `Recurring keywords${group.keywords.length > 1 ? `, ${data.languages[recurring.language]}` : ""} (prompts): `,
      ...listed(recurring.words.slice(0, 12), ([word, items]) => [word, ` (${items})`], ", "))))),
  ];
  const table = el("table", null,
    el("thead", null, el("tr", null, el("th", null, "Group"), ...columns.map(([name]) => el("th", { class: "num" }, name)))),
    el("tbody", null, ...data.groups.flatMap(line)));
  const off = data.groups.flatMap((group) => (group.knocked_out || []).map((off) => el("p", { class: "quiet" },
    `${group.name}, without ${off.parts}: the log-odds ${moved(off.fall)} nats on average (${off.interval ? `95 % ${signed(off.interval[0])} to ${signed(off.interval[1])} over ${off.stories} stories` : "one story: no interval"}); ${off.flips} of ${off.items} choices change.`)));
  const shifts = data.shifts.map((shift) => el("p", { class: "quiet" }, `Keywords of ${shift.first} minus ${shift.second}${shift.model === null ? "" : ofModel(shift.model)}, ${data.languages[shift.language]}: `,
    ...(shift.within.reason ? [] : [`${shift.significant} of ${shift.tested} words of five prompts below 0.05 by Holm, within ${shift.within.strata} strata (${shift.within.items[0]} and ${shift.within.items[1]} prompts). `,
      ...listed(shift.words, ({ text, items, difference, holm }) => [text, ` ${signed(100 * difference, 0)} points (${items.join(", ")}; Holm ${pText(holm)})`], "; "), " "]), leftOut(shift.within)));
  const differences = (data.differences || []).flatMap(differencesTable);
  return card("All prompts of this analysis", el("div", { class: "scroll all", tabindex: "0", role: "region", "aria-label": "Table of groups" }, table),
    el("p", { class: "quiet" }, `Made once, for the answer position${["attention", "value"].includes(settings.measure) ? ` with layers ${settings.layers} and heads ${settings.heads}` : ""}${settings.drop_stop_words ? ", function words left out" : ", with function words"}; the controls above do not change it.`),
    el("p", { class: "quiet" }, `Means over prompts. First token and Words: shares of the whole row. Entropy in bits. Half-way: how far into the words half of the weight lies.${shown("Overlap") ? " Overlap: with the first keywords of people." : ""}${shown("Flips") ? " Deletion check: mean falls of the log-odds in nats, without the keywords and without random words; 95 % interval of their difference, clustered by story; prompts with p < 0.05, and how many chance alone would give; prompts whose choice changes without the keywords, and the share of random sets after which it does." : ""}`),
    ...off, ...quietly(differences), ...shifts, differences.length ? el("p", { class: "quiet" }, caveats.differences) : null);
}

/** Words with remarks, each word on its own so that scripts of both directions can stand in one line. */
function listed(entries, split, separator) {
  return entries.flatMap((entry, index) => {
    const [word, remark] = split(entry);
    return [index ? separator : "", el("bdi", null, word), remark];
  });
}

const terms = [
  ["Nat", "The unit of log-likelihoods and log-odds, by the natural logarithm: a fall of 0.69 nats halves a probability or odds, one of 2.3 divides them by ten."],
  ["Jaccard index", `Words that are both among the model's first ${settings.top} and among the person's, divided by words that are among either: 1 for the same words, 0 for none in common.`],
  ["Rank-biased overlap", "How alike two ranked lists are, upper ranks counting more (the first ten ranks carry 86 %): 1 for the same order, 0 for none in common."],
  ["Distance", "Half the sum of the differences of all word weights, without sign: 0 where two views weigh all words alike, 1 where they share none."],
  ["Entropy", "How widely weight is spread: 0 bits on one word, one bit more for each doubling of the words that share it evenly."],
  ["First token (sink)", "Many heads rest on the first token when they have nothing to look for."],
  ["Function words", "Articles, pronouns, prepositions, conjunctions and auxiliaries, by a list for each language: in English, French, German and Russian NLTK\u2019s with additions, elsewhere short lists of our own or NLTK\u2019s; verbs of knowing, seeing, wanting and saying are none of them."],
];

function aboutCard() {
  const models = data.models.map((model) => {
    const hashes = Object.entries(model.sha256).map(([file, hash]) => `${file} ${hash}`);
    return `${model.name}: ${model.layers} layers of ${model.heads} heads, ${model.dtype}` + (hashes.length ? `. SHA-256: ${hashes.join(", ")}` : "");
  });
  return card(null, el("details", { open: true }, el("summary", null, "What this can and cannot show, and what its words mean"), el("p", null, data.caveat),
    el("dl", null, ...terms.flatMap(([term, text]) => [el("dt", null, term), el("dd", null, text)])),
    ...data.notes.map((note) => el("p", null, note)), ...[...models, data.program].map((line) => el("p", { class: "quiet" }, line))));
}

// ---- keys, start ----------------------------------------------------------------------------------------------------

/** Whether a prompt is shown, and not the table of all. */
const isOpen = () => state.item >= 0 && isRead(state.item);

/** Show one layer alone, the next one up or down. */
function nudge(by) {
  if (!isOpen()) return;
  const { map } = data.cases[state.item].rows[state.row];
  if (!map) return;
  if (headsAreFixed(data.cases[state.item].rows[state.row])) state.head = -1;
  const alone = state.from === state.to;
  const at = map.layers.indexOf(by > 0 ? state.to : state.from) + (alone ? by : 0);
  state.from = state.to = map.layers[Math.min(map.layers.length - 1, Math.max(0, at))];
  draw();
}

/** On paper every prompt stands below the other, with layers and heads as asked. */
function unfold() {
  const kept = { ...state };
  const all = data.cases.flatMap((_, item) => {
    Object.assign(state, { item, row: 0, contrast: -1, picked: -1, target: "scope", cell: null });
    resetSliders();
    return cards();
  });
  main.replaceChildren(...all, ...[groupsCard(), ...findingsCards(), aboutCard()].filter(Boolean));
  Object.assign(state, kept);
}

addEventListener("beforeprint", () => { if (data.cases.length > 1 && !beside) unfold(); });
addEventListener("afterprint", () => { if (data.cases.length > 1 && !beside) draw(); });

const toggle = (key) => { state[key] = !state[key]; if (isOpen()) draw(); };
const keys = {
  j: () => step(1), k: () => step(-1), n: () => toggle("numbers"), w: () => toggle("whole"), f: () => { if (isOpen() && canLeaveOut(data.cases[state.item])) toggle("content"); },
  "[": () => nudge(-1), "]": () => nudge(1), 0: () => { if (isOpen()) { resetSliders(); draw(); } },
  q: () => { if (!isOpen()) return; state.row = (state.row + 1) % data.cases[state.item].rows.length; resetSliders(); draw(); },
  c: () => {
    if (!isOpen()) return;
    const own = [-1, ...data.contrasts.map((_, index) => index).filter((index) => data.contrasts[index].first[0] === state.item)];
    state.contrast = own[(own.indexOf(state.contrast) + 1) % own.length];
    draw();
  },
};
onKeys(keys);
document.getElementById("method").textContent = data.method;

// The fragment of an address is the number of a prompt here, or the id of an item, as the pages of runs link to it.
const wanted = fragment();
const named = data.cases.findIndex((one) => one.item === wanted);
state.item = named >= 0 ? named : wanted && data.cases[Number(wanted)] ? Number(wanted) : beside ? -1 : 0;
if (named < 0 && wanted && !data.cases[Number(wanted)]) {
  document.getElementById("method").before(el("p", { class: "departure" }, `This page holds no prompt of ${wanted}.`));
}
buildList();
if (data.cases.length && beside && state.item >= 0) {
  open(state.item);
} else if (data.cases.length) {
  if (!beside) resetSliders();
  draw();
} else {
  main.replaceChildren(el("p", null, "No prompt was analysed."));
}
