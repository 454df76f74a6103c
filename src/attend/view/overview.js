// An analysis of many prompts: a table of all of them, and what is shown of each, which lies in files beside the page.

const beside = data.beside || null;
const chunks = [];
/** Rows of the table that are drawn at once. */
const ROWS = 100;
const table = { from: 0, by: -1, down: false };

const isRead = (item) => !beside || data.cases[item].rows !== undefined;

/** Read what is shown of a prompt, with that of its neighbours. */
function details(item) {
  const number = beside.firsts.findLastIndex((first) => first <= item);
  const take = ({ cases, contrasts }) => {
    cases.forEach((one, at) => Object.assign(data.cases[beside.firsts[number] + at], one));
    data.contrasts.push(...contrasts);
  };
  if (!canUnpack) return Promise.reject(new Error(`this browser cannot unpack it: ${needsUnpacking}`));
  chunks[number] ||= packedBeside(beside.folder, number).then(unpack).then(take).catch((error) => { delete chunks[number]; throw error; });
  return chunks[number];
}

const figure = (value, text) => (value === null || value === undefined ? "" : text(value));
const verdictSign = (one) => (one.right === null ? "" : one.right ? "\u2713" : "\u2717");

/** Names of kinds of conclusions: their labels begin with `kind_`, a prompt's headline with `headline_`, which what was not checked has
 * not, for what was chosen stands there, and their counts with `tell_`. */
const kindsShown = { letter: "letter", "more-than-random": "more", "no-more-than-random": "no_more", "could-not-tell": "not_told", "not-checked": "not_checked" };
const kindOf = (one) => one.conclusion?.kind;
const kindName = (one) => (kindOf(one) ? t(`kind_${kindsShown[kindOf(one)]}`) : null);
const byRules = () => el("p", { class: "quiet" }, sentence("tell_by_rules"));

/** What the analysis shows over all prompts: how many have each kind of conclusion. */
function countsCard() {
  const judged = data.cases.filter(kindOf);
  if (!judged.length) return null;
  const right = data.cases.filter((one) => one.right !== null);
  // What was not checked tells nothing either way.
  const checked = judged.filter((one) => kindOf(one) !== "not-checked");
  const counts = Object.entries(kindsShown).map(([kind, name]) => [checked.filter((one) => kindOf(one) === kind).length, name]).filter(([count]) => count);
  const times = new Map();
  for (const word of data.cases.flatMap((one) => [...new Set(one.words)])) times.set(word, (times.get(word) || 0) + 1);
  // The sort keeps the order of first occurrence among equals.
  const often = [...times].sort((one, other) => other[1] - one[1]).slice(0, 5);
  const lowMass = judged.filter((one) => one.conclusion.sentences.some(({ name }) => name === "conclusion_label_mass")).length;
  return el("section", { class: "card conclusion" }, el("h2", null, t("what_shows")),
    el("p", { class: "headline" }, sentence("tell_right", { right: right.filter((one) => one.right).length, of: right.length })),
    often.length ? el("p", null, sentence("tell_often", { words: Math.max(...data.cases.map((one) => one.words.length)), often: often.map(([word, count]) => `${word} ${count}`).join(", ") })) : null,
    lowMass ? el("p", { class: "verdict wrong" }, sentence("tell_low_mass", { count: lowMass, of: judged.length })) : null,
    el("p", null, sentence("tell_of_checked", { checked: checked.length, of: judged.length })),
    el("ul", null, ...counts.map(([count, name]) => el("li", null, sentence(`tell_${name}`, { count, of: checked.length })))), byRules());
}

/** Columns: heading, what is sorted by, what is shown, and whether it is a number. Those that hold nothing are left out. */
function columns() {
  const facets = usefulFacets().map(([facet]) => facet);
  const known = firstFacets.filter((facet) => facets.includes(facet));
  const shownFacets = [...known, ...facets.filter((facet) => !known.includes(facet))].slice(0, data.cases.some(kindOf) ? 2 : 4);
  const has = (key) => data.cases.some((one) => one[key] !== null);
  const number = (name, key, text) => [name, (one) => one[key], (one) => figure(one[key], text), true];
  return [
    [t("prompt"), (one) => one.item, (one, index) => el("button", { type: "button", class: "plain", onclick: () => open(index) }, one.variant ? `${one.item} (${one.variant})` : one.item), false],
    ...shownFacets.map((facet) => [facet, (one) => facetOf(one, facet) ?? "", (one) => facetOf(one, facet) ?? "", false]),
    [t("gold_head"), (one) => one.gold.join(" "), (one) => one.gold.join(" "), false],
    [t("choice"), (one) => `${one.right} ${one.chosen.join(" ")}`, (one) => `${one.chosen.join(" ")}\u00a0${verdictSign(one)}`, false],
    ...(has("label_mass") ? [number(t("label_mass"), "label_mass", percent)] : []),
    ...(has("overlap") ? [number(t("overlap"), "overlap", (value) => percent(value, 0))] : []),
    ...(has("fall") ? [number(t("fall"), "fall", (value) => signed(value)), number("p", "p", (value) => value.toFixed(3))] : []),
    ...(data.cases.some(kindOf) ? [[t("moved_it"), kindName, (one) => kindName(one) ?? "", false]] : []),
    [t("first_words"), (one) => one.words.join(" "), (one) => el("bdi", { lang: one.language }, one.words.join(", ")), false],
  ];
}

function overviewCards() {
  const all = columns();
  const shown = visible();
  if (table.by >= 0) {
    const [, key] = all[table.by];
    const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a ?? "").localeCompare(String(b ?? "")));
    // What has no value stands last, whichever way it goes.
    const missing = (index) => (key(data.cases[index]) === null || key(data.cases[index]) === undefined ? 1 : 0);
    shown.sort((one, other) => missing(one) - missing(other) || (table.down ? -1 : 1) * order(key(data.cases[one]), key(data.cases[other])) || one - other);
  }
  table.from = Math.min(table.from, Math.max(0, Math.floor((shown.length - 1) / ROWS) * ROWS));
  const sort = (at) => { Object.assign(table, { by: at, down: table.by === at && !table.down, from: 0 }); draw(); };
  const heading = ([name, , , number], at) => el("th", { class: number ? "num" : null, scope: "col", "aria-sort": table.by === at ? (table.down ? "descending" : "ascending") : null },
    el("button", { type: "button", class: "plain", "data-focus": `sort${at}`, onclick: () => sort(at) }, name, table.by === at ? (table.down ? " \u2193" : " \u2191") : ""));
  const row = (index) => el("tr", null, ...all.map(([, , cell, number]) => el("td", { class: number ? "num" : null }, cell(data.cases[index], index))));
  const move = (by, name) => el("button", { type: "button", disabled: by < 0 ? table.from === 0 : table.from + ROWS >= shown.length, "data-focus": name,
    onclick: () => { table.from += by; draw(); } }, name);
  const to = Math.min(shown.length, table.from + ROWS);
  return [countsCard(), card(t("all_prompts"),
    el("div", { class: "row between" }, el("p", { class: "quiet" }, shown.length ? t("count_of", { shown: `${printing ? 1 : table.from + 1}\u2013${printing ? shown.length : to}`, all: shown.length }) : t("no_fit")),
      shown.length > ROWS ? el("div", { class: "row" }, move(-ROWS, t("earlier")), move(ROWS, t("later"))) : null),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("all_prompts") },
      el("table", { class: "prompts" }, caption(t("all_prompts")), el("thead", null, el("tr", null, ...all.map(heading))), el("tbody", null, ...(printing ? shown : shown.slice(table.from, to)).map(row)))),
    el("p", { class: "quiet", ...inEnglish() }, "Choose a prompt to read its story; a heading sorts. Label mass: how likely the model is to go on with any of the labels. Overlap: of the first keywords with those of people. Fall: of the log-odds of the choice without the keywords, in nats, with the p of its deletion check.")),
  failuresCard()].filter(Boolean);
}

function failuresCard() {
  const failures = data.failures || [];
  if (!failures.length) return null;
  return card(null, el("details", null, el("summary", null, t("not_analysed", { count: failures.length })),
    el("ul", null, ...failures.map(([item, why]) => el("li", null, el("b", null, item), `: ${why}`)))));
}

/** The table of all prompts in the place of one. */
function showAll(step = true) {
  Object.assign(state, { item: -1, view: "" });
  if (step) noteAddress(true);
  drawList();
  draw();
}
