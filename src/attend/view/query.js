// What competes beside the words as they were first read: function words brought back, and the words that a position of the
// question or of an option attends to.

Object.assign(state, { back: false, asked: -1 });

// ---- function words -------------------------------------------------------------------------------------------------

/** Words of the columns of a row's table of words, if it holds function words beside those that competed; else `null`. */
function heldColumns(one, row) {
  if (!row.map) return null;
  const columns = columnsOf(one, row);
  return columns.length > ranked(row).length ? columns : null;
}

/** Whether function words that this page was made without can be shown on it. */
const canBringBack = (one, row) => settings.drop_stop_words && one.lists_function_words && heldColumns(one, row) !== null;

const broughtBack = () => state.back && isOpen() && canBringBack(data.cases[state.item], data.cases[state.item].rows[state.row]);

/** Whether the words that compete are those that did when the page was made. */
const wordsAsMade = () => !leavesOut() && !broughtBack();

/** Whether function words are among those that compete in what is shown. */
const functionWordsCompete = (one) => one.lists_function_words && (settings.drop_stop_words ? broughtBack() : !leavesOut());

/** Words of one key together, or each alone, heaviest first. */
function rankingOf(one, places, weights) {
  const words = new Map();
  for (const at of places) {
    const text = one.words[at][0], key = text.normalize("NFKC").toLowerCase().replaceAll("\u2019", "'").replace(/'s?$/, "");
    const name = settings.repeats_together === "apart" ? at : key;
    if (!words.has(name)) words.set(name, { text, key, weight: 0, words: [] });
    words.get(name).words.push(at);
    words.get(name).weight += weights[at];
  }
  return [...words.values()].sort((a, b) => b.weight - a.weight || a.words[0] - b.words[0]);
}

/** A row with function words among its words, for the layers and heads of a view. */
const besideFunctionWords = (one, row, view) => throughTables(one, row, view, heldColumns(one, row));

// ---- any position ---------------------------------------------------------------------------------------------------

/** Whether a page holds what the position of this word attends to. */
const canAsk = (one, at) => Boolean(one.positions?.words.includes(at));

/** Shows what a word attends to; -1 for the positions that the page was made for. */
function ask(at) {
  Object.assign(state, { asked: at, contrast: -1 });
  draw();
}

const askedName = (one) => `\u201c${one.words[state.asked][0]}\u201d in ${one.parts[one.words[state.asked][2]]?.[0] ?? "the prompt"}`;

/** What the word asked about attends to: among the words of the scope, or of the whole prompt where that is shown. */
function ofAsked(one, row) {
  const values = lineOf(one.positions.table, one.positions.words.indexOf(state.asked));
  const columns = one.words.map((_, at) => at).filter((at) => one.words[at][1] !== 2);
  const whole = sum(values) || 1, weights = new Array(one.words.length).fill(0);
  const shares = new Map([["special", 0], ...one.parts.map(([name]) => [name, 0])]);
  columns.forEach((at, column) => {
    const [, kind, part] = one.words[at], name = kind === 3 || !one.parts[part] ? "special" : one.parts[part][0];
    shares.set(name, shares.get(name) + values[column] / whole);
    const left = isFunction(one, at) && !functionWordsCompete(one);
    if (kind === 0 && at !== state.asked && !left && (state.whole || one.parts[part]?.[1])) weights[at] = values[column];
  });
  const places = columns.filter((at) => weights[at] > 0), total = sum(weights) || 1;
  places.forEach((at) => { weights[at] /= total; });
  return { ...row, query: askedName(one), asked: true, map: null, drops: null, faint: false, weights, ranking: rankingOf(one, places, weights), shares, ...spread(places.map((at) => weights[at])) };
}

/** The numbers of all that is shown. */
function figuresShown(one, row) {
  if (state.asked >= 0) return ofAsked(one, row);
  return broughtBack() ? besideFunctionWords(one, row, holds(row, chosen()) ? chosen() : asked(row)) : figures(one, row);
}

/** Words of a part of the prompt, those dotted that can be asked what they attend to. */
function askable(one, part, weights) {
  const top = largest(weights);
  return one.words.flatMap(([text, kind, of], at) => {
    if (of !== part || kind === 3) return [];
    if (kind === 2) return [text];
    const strength = state.asked >= 0 && top > 0 ? weights[at] / top : 0;
    const look = strength > 0 ? { class: "w tint", style: `--s: ${strength.toFixed(3)}` } : { class: "w" };
    if (!canAsk(one, at)) return [strength > 0 ? el("span", look, text) : text];
    const pressed = state.asked === at;
    return [el("button", { type: "button", ...look, class: `plain ask ${look.class}`, "aria-pressed": String(pressed), "data-focus": `ask-${at}`,
      title: t("attends_to", { word: text }), onclick: () => ask(pressed ? -1 : at) }, text)];
  });
}

// ---- all heads of a layer -------------------------------------------------------------------------------------------

Object.assign(state, { layer: -1 });

/** A small picture of each head of one layer: its weight on the words of the scope, in text order. */
function headsCard(one, row) {
  if (row.map?.kind !== "full") return null;
  const { map } = row, layer = map.layers.includes(state.layer) ? state.layer : state.to;
  const body = el("div", { class: "small-maps" });
  const fillIn = () => body.replaceChildren(...Array.from({ length: map.heads }, (_, head) => headPicture(one, row, layer, head)));
  const choose = (event) => { state.layer = Number(event.target.value); draw(); };
  const node = card(t("all_heads"),
    el("label", { class: "row quiet" }, t("layer"), el("select", { "data-focus": "small-layer", onchange: choose }, ...map.layers.map((each) => el("option", { value: each, selected: each === layer }, String(each))))),
    body, el("p", { class: "quiet", ...inEnglish() }, `Weight of each head on the words in ${settings.scope}, from the first to the last, each out of its own largest, with the word it looks at most. A click reads the story with that head.`));
  return foldAway(node, "heads", fillIn);
}

function headPicture(one, row, layer, head) {
  const shown = broughtBack() ? besideFunctionWords(one, row, everyHead(layer, layer, head)) : figures(one, row, everyHead(layer, layer, head));
  const places = shown.ranking.flatMap((word) => word.words).sort((a, b) => a - b), width = 120, height = 40, step = width / Math.max(1, places.length);
  const top = largest(shown.weights) || 1;
  const lines = places.map((at, place) => { const high = Math.max(0, shown.weights[at] / top) * height; return high > 0.3 ? `M${((place + 0.5) * step).toFixed(1)} ${height}v-${high.toFixed(1)}` : ""; }).join("");
  const first = shown.ranking[0];
  const current = state.head === head && state.from === layer && state.to === layer;
  return el("button", { type: "button", "aria-pressed": String(current), "data-focus": `small-${head}`,
    onclick: () => { Object.assign(state, { from: layer, to: layer, head, asked: -1 }); draw(); } },
    el("span", { class: "row between" }, el("b", null, spokenOnly(`${t("head")} `), String(head)), first ? el("bdi", { lang: one.language }, first.text) : "", first ? el("span", null, percent(first.weight, 0)) : ""),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", preserveAspectRatio: "none" }, svg("path", { d: lines || "M0 0", style: `stroke: rgb(var(--heat)); fill: none; stroke-width: ${Math.max(1, step * 0.7).toFixed(1)}` })));
}
