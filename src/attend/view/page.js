// The page of one prompt: a verdict, then four parts in the order of the question, all else folded.

function draw() {
  // What is not read yet draws itself when it is.
  if (state.item >= 0 && !isRead(state.item)) return;
  const focus = main.querySelector(":focus")?.dataset.focus;
  main.replaceChildren(...(state.item < 0 ? [...overviewCards(), ...groupCards(), aboutCard()] : [...cards(), ...moreCards()]));
  if (focus) main.querySelector(`[data-focus="${focus}"]`)?.focus({ preventScroll: true });
  document.title = state.item < 0 ? data.title : `${data.cases[state.item].item} \u00b7 ${data.title}`;
  noteAddress();
}

/** All of the prompt chosen, in the order of the question; the story and what changes it stand side by side where there is room. */
function cards() {
  const one = data.cases[state.item], row = one.rows[state.row], shown = figuresShown(one, row);
  const own = state.asked >= 0 ? shown : row, map = mapCard(one, own), place = profileCard(one, shown), parts = partsCard(one, shown);
  const side = el("div", { class: "stack side" }, controls(one, row), ...(map ? [map] : [place, parts]));
  const story = el("div", { class: "stack" }, storyCard(one, shown), keywordsCard(one, shown));
  return [
    heading(one),
    ...conclusionCards(one),
    jumps(),
    part("chosen", optionsCard(one, shown)),
    part("looked", takeaway(one, shown), witnessCard(one), el("div", { class: "linked" }, ...(printing ? [story, side] : [side, story])),
    map && el("div", { class: "folds" }, ...[headsCard(one, own), foldAway(parts, "parts"), foldAway(place, "place")].filter(Boolean))),
    part("against", ...againstCards(one, shown)),
    part("matters", ...deletionCards(one), ...causalCards(one), strongestCard(one)),
  ];
}

/** The first words among those that compete, in a sentence. */
function takeaway(one, shown) {
  const words = shown.ranking.slice(0, 3).map((word) => `${word.text} ${percent(word.weight, 0)}`).join(", ");
  return shown.asked || !words ? null : el("p", null, sentence(functionWordsCompete(one) || !one.lists_function_words ? "tell_looked_all" : "tell_looked", { words }));
}

/** A part of the question with its cards. */
const part = (key, ...nodes) => el("section", { class: "part", id: `view-${key}`, "aria-labelledby": `name-${key}` },
  el("h2", { class: "part-title", id: `name-${key}`, tabindex: "-1" }, views[key]), ...nodes.filter(Boolean));

/** All else, folded: more of this prompt, what was found over all, and what the words mean. */
function moreCards() {
  const one = data.cases[state.item];
  return [el("section", { class: "part", "aria-labelledby": "name-more" }, el("h2", { class: "part-title", id: "name-more" }, t("more_view")),
    el("div", { class: "folds" }, ...[...lensCards(one), ...insideCards(one), ...groupCards()].map((node) => foldAway(node)), aboutCard()))];
}

const groupCards = () => [groupsCard(), ...findingsCards()].filter(Boolean);

let printing = false;

/** A title as addresses name it, in every language by its English words. */
function inAddress(title) {
  const known = Object.keys(tongue.texts.en).find((name) => t(name) === title);
  return (known ? tongue.texts.en[known] : title).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
}

/** A card of which only the heading shows until it is opened, and which the address then names; `fill` makes what it holds. */
function foldAway(node, key, fill) {
  const title = node.querySelector("h2"), name = key || inAddress(title.textContent);
  const isOpenNow = printing || state.unfolded.has(name);
  if (fill && isOpenNow) fill();
  const toggled = ({ target }) => {
    if (printing || target.open === state.unfolded.has(name)) return;
    if (target.open) state.unfolded.add(name);
    else state.unfolded.delete(name);
    if (fill && target.open) fill();
    noteAddress();
  };
  const rest = [...node.childNodes].filter((child) => child !== title);
  node.classList.add("fold");
  node.replaceChildren(el("details", { open: isOpenNow, ontoggle: toggled }, el("summary", { "data-focus": `fold-${name}` }, title), ...rest));
  return node;
}

/** What the analysis shows, by rules; not while function words compete. */
function conclusionCards(one) {
  const found = one.conclusion, compete = functionWordsCompete(one);
  if (!found && !compete) return [];
  const headline = `headline_${kindsShown[kindOf(one)]}`;
  const said = [...(tongue.texts.en[headline] ? [sentence(`headline_${kindsShown[kindOf(one)]}`)] : []), ...(found?.sentences ?? []).map((each) => (each.name ? sentence(`conclusion_${each.name.slice("conclusion_".length)}`, each.values) : el("span", inEnglish(), each.text ?? each)))];
  const lines = found && !compete
    ? [el("p", { class: "headline" }, said[0] ?? ""), ...said.slice(1).map((each) => el("p", null, each)),
      byRules()]
    : [el("p", null, found ? sentence("tell_no_verdict") : sentence("tell_no_verdict_made"))];
  return [el("section", { class: "card conclusion" }, el("h2", null, t("what_shows")), ...lines)];
}

/** Buttons that lead to the parts of the question. */
function jumps() {
  const buttons = Object.entries(views).map(([key, name], at) => el("button", { type: "button", "data-focus": `go-${key}`, onclick: () => goTo(key) }, el("kbd", { "aria-hidden": "true" }, String(at + 1)), ` ${name}`));
  return el("nav", { class: "row jumps", "aria-label": t("parts_of_page") }, ...buttons);
}

/** Layers and heads in words. */
function viewName({ from, to, head }) {
  return `${from === to ? t("layer_one", { layer: from }) : t("layers_range", { from, to })}, ${head >= 0 ? t("head_one", { head }) : settings.heads === "all" ? t("mean_heads") : t("mean_some", { heads: settings.heads })}`;
}

/** The part of the prompt that keywords come from, in the language shown. */
const scopes = { "the story": "story", "story and question": "question", "the options": "options", "the whole prompt": "all" };
const scopeName = () => t(`scope_${scopes[settings.scope]}`);

/** A part of the prompt by name, where the words have one. */
const partName = (name) => (!isEnglish() && isSpoken(`part_${name}`) ? t(`part_${name}`) : name);

const placeName = (row) => (row.asked ? row.query : row.query === "answer" ? t("answer_position") : t("end_of", { query: row.query }));

/** What the weights shown were read from, in a sentence that is true of every measure. */
function source(row) {
  const one = data.cases[state.item], competing = functionWordsCompete(one) || !one.lists_function_words;
  return sentence(`tell_source_${row.asked ? "asked" : settings.measure}`, {
    place: row.asked ? row.query : placeName(row), view: viewName(row.asked ? asked(one.rows[0]) : chosen()), left: competing ? "" : "tell_left_out",
  });
}

/** What was chosen and whether it is right. */
function verdictShown(one) {
  if (isEnglish() || one.right === null) return [el("span", inEnglish(), one.verdict)];
  const labels = (key) => one.options.filter((option) => option[key]).map((option) => option.label).join(", ");
  return [`${one.right ? t("verdict_right") : t("verdict_wrong")}: ${t("chosen_gold", { chosen: labels("chosen"), gold: labels("gold") })}`];
}

function heading(one) {
  const judged = one.right === null ? "" : one.right ? "right" : "wrong";
  const chips = [data.models[one.model].name, one.language_name, ...Object.entries(one.facets).map((pair) => pair.join(": "))];
  return card(null,
    el("div", { class: "row between" },
      el("div", null, el("h1", null, one.item), one.variant ? el("p", { class: "quiet" }, one.variant) : null,
        el("p", { class: `verdict ${judged}` }, ...verdictShown(one))),
      data.cases.length < 2 ? null : el("div", { class: "row" },
        el("button", { type: "button", onclick: () => step(-1), "data-focus": "previous" }, `${arrows()[0]} ${t("previous")}`),
        el("button", { type: "button", onclick: () => step(1), "data-focus": "next" }, `${t("next")} ${arrows()[1]}`))),
    el("div", { class: "chips" }, ...chips.map((chip) => el("span", { class: "chip" }, chip))));
}

function controls(one, row) {
  const box = el("section", { class: "card controls", "aria-label": t("what_is_shown") });
  const select = (name, key, choices, change) => el("label", null, name,
    el("select", { "data-focus": key, onchange: (event) => { change(Number(event.target.value)); draw(); } },
      ...choices.map(([value, text]) => el("option", { value, selected: value === state[key] }, text))));
  if (one.rows.length > 1 || state.asked >= 0) {
    const names = one.rows.map((each, index) => [index, placeName(each)]);
    if (state.asked >= 0) names.push([-1, askedName(one)]);
    const chosenRow = state.asked >= 0 ? -1 : state.row;
    box.append(el("label", null, t("seen_from"), el("select", { "data-focus": "row", onchange: (event) => { state.asked = -1; state.row = Math.max(0, Number(event.target.value)); resetSliders(); draw(); } },
      ...names.map(([value, text]) => el("option", { value, selected: value === chosenRow }, text)))));
  }
  if (state.asked >= 0) box.append(backButton("back"));
  const contrasts = data.contrasts.map((each, index) => [each, index]).filter(([each]) => each.first[0] === state.item);
  if (contrasts.length && state.asked < 0 && !broughtBack()) {
    const names = contrasts.map(([each, index]) => [index, each.name]);
    box.append(select(t("colour_shows"), "contrast", [[-1, t("weights")], ...names], (value) => { state.contrast = value; }));
  }
  if (row.map && state.asked < 0) box.append(...sliders(row));
  const compete = functionWordsCompete(one);
  for (const [key, name, checked, disabled] of [["numbers", t("numbers"), state.numbers], ["whole", t("whole_prompt"), state.whole], ["content", t("no_function_words"), !compete && one.lists_function_words, !canSwitch(one, row)]]) {
    const change = (event) => {
      if (key === "content" && settings.drop_stop_words) state.back = !event.target.checked;
      else state[key] = event.target.checked;
      draw();
    };
    box.append(el("label", { class: "check", title: key === "content" ? aboutLists(one, row) : null },
      el("input", { type: "checkbox", checked, "data-focus": key, disabled, onchange: change }), name));
  }
  if (!canSwitch(one, row)) box.append(el("p", { class: "quiet", ...inEnglish() }, aboutLists(one, row)));
  box.append(exportButtons());
  if (row.map && state.asked < 0) {
    const reset = () => { resetSliders(); draw(); };
    box.append(el("button", { type: "button", "data-focus": "reset", disabled: asAsked(row), onclick: reset }, t("back_to_view", { view: viewName(asked(row)) })));
  }
  return box;
}

const backButton = (key) => el("button", { type: "button", "data-focus": key, onclick: () => { state.row = 0; resetSliders(); ask(-1); } }, t("back_to_answer"));

/** Whether function words can be left out or brought back here. */
const canSwitch = (one, row) => one.lists_function_words && (!settings.drop_stop_words || canBringBack(one, row));

function aboutLists(one, row) {
  if (!one.lists_function_words) return `There is no list of function words of ${one.language_name}.`;
  if (!canSwitch(one, row)) return "Function words were left out when this page was made; --function-words keeps them.";
  return "Leave out articles, pronouns, prepositions, conjunctions and auxiliaries, but no word of negation, time or cause";
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
  const layers = state.from === state.to ? `${state.from}` : `${state.from}\u2013${state.to}`;
  return [
    el("fieldset", null, el("span", null, t("layers_all", { from: first, to: last })),
      el("div", { class: "row" }, range("from", first, last, t("first_layer"), t("from_word"), fixed), range("to", first, last, t("last_layer"), t("to_word"), fixed), el("output", null, layers))),
    el("fieldset", null, el("span", null, t("heads_all", { to: map.heads - 1 })),
      el("div", { class: "row" }, range("head", -1, map.heads - 1, t("head_slider"), t("mean_then_each")), el("output", null, state.head < 0 ? t("mean") : String(state.head)))),
    headsAreFixed(row) ? el("p", { class: "quiet", ...inEnglish() }, "A page of many prompts holds single heads for the layers asked for alone, so the layers stand still while one is chosen; analyse fewer prompts to move both.") : null,
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
      if (state.whole) box.append(el("span", { class: "part-name", dir: "ltr", lang: tongue.language }, partName(one.parts[part][0])));
      else if (last >= 0 && !/\n\s*$/.test(box.textContent)) box.append("\n");
      last = part;
    }
    box.append(kind === 2 ? text : wordNode(text, at));
  });
  return box;
}

function storyCard(one, shown) {
  const contrast = broughtBack() || shown.asked ? null : contrastShown();
  const difference = new Map(contrast ? contrast.differences.map(([first, , value]) => [first, value]) : []);
  const alone = new Set(contrast ? contrast.only_first : []);
  const top = largest(contrast ? [...difference.values()].map(Math.abs) : shown.weights);
  const rankOf = new Map();
  shown.ranking.slice(0, settings.top).forEach((word, rank) => word.words.forEach((at) => rankOf.set(at, rank + 1)));
  const readout = el("p", { class: "readout", "aria-live": "polite" }, t("point_word"));
  const tell = (at) => { readout.textContent = describe(one, shown, at, contrast, difference, alone); };
  const pick = (at) => { Object.assign(state, { picked: at, ...(shown.map?.kind === "full" && { target: "word" }) }); draw(); };
  const nodes = [];
  const box = prose(one, t("part_story"), (text, at) => {
    const value = contrast ? difference.get(at) || 0 : shown.weights[at];
    const strength = top > 0 ? Math.abs(value) / top : 0;
    const rank = contrast ? undefined : rankOf.get(at);
    const style = strength > 0 ? `--s: ${strength.toFixed(3)}; border-bottom: ${strength > 0.1 ? Math.ceil(strength * 3) : 0}px ${value < 0 ? "dashed" : "solid"} currentColor` : null;
    const classes = ["w", strength > 0 && "tint", value < 0 && "less", rank && "key", state.picked === at && "picked", alone.has(at) && "gone", canAsk(one, at) && "askable", state.asked === at && "asked"];
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
    if (event.key === "a" && cursor >= 0 && canAsk(one, nodes[cursor][0])) { ask(nodes[cursor][0]); return; }
    if (!by) return;
    event.preventDefault();
    cursor = Math.min(nodes.length - 1, Math.max(0, cursor + (direction(one) === "rtl" ? -by : by)));
    nodes.forEach(([, node], index) => node.classList.toggle("picked", index === cursor));
    tell(nodes[cursor][0]);
  });
  if (state.picked >= 0) tell(state.picked);
  const asks = canAsk(one, state.picked) && state.picked !== state.asked ? el("button", { type: "button", "data-focus": "ask", onclick: () => ask(state.picked) }, t("attends_to", { word: one.words[state.picked][0] })) : null;
  return card(data.models[one.model].name, el("p", { class: "quiet source" }, source(shown)), box, readout, asks, contrast ? contrastLegend(contrast, top) : weightLegend(top));
}

function weightLegend(top) {
  const one = data.cases[state.item], scope = state.asked >= 0 && state.whole ? t("scope_all") : scopeName();
  const words = one.lists_function_words && !functionWordsCompete(one) ? t("content_words") : `${t("all_words")}, ${scope}`;
  const of = state.asked >= 0 ? words : settings.measure === "occlusion" ? t("all_falls") : settings.keep_sink ? t("whole_row") : words;
  return el("div", { class: "legend" }, el("span", null, "0"), el("i"), el("span", null, percent(top)),
    el("span", null, `${t("share_of", { what: of })} \u00b7 ${t("rank_first", { top: settings.top })}`));
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
    pieces.push(percent(shown.weights[at], 2), t("rank_of", { rank: rank + 1, of: shown.ranking.length }));
    if (word.words.length > 1) pieces.push(`occurrence ${word.words.indexOf(at) + 1} of ${word.words.length}, together ${percent(word.weight, 2)}`);
    if (typeof drop === "number") pieces.push(`without it the log-odds of the choice change by ${signed(-drop)} nats`);
  }
  return pieces.join(" \u00b7 ");
}

function humanCard(one, human, shown) {
  const marks = marksShown(one, human);
  const agreed = !shown.asked && asAsked(shown) && state.row === 0 && wordsAsMade() ? human : agreement(shown, marks.keywords);
  const marked = new Set(human.words);
  const box = prose(one, `Story with the marks of ${human.reader}`, (text, at) => el("span", { class: marked.has(at) ? "w marked" : "w" }, text));
  const facts = [
    agreed.overlap !== null && `overlap of the first ${settings.top}: ${percent(agreed.overlap, 0)}${byChance(human.overlap_by_chance, (value) => percent(value, 0))}`,
    agreed.jaccard !== null && `Jaccard ${agreed.jaccard.toFixed(2)}${byChance(human.jaccard_by_chance)}`,
    agreed.rank_biased_overlap !== null && `rank-biased overlap ${agreed.rank_biased_overlap.toFixed(2)}${byChance(human.rank_biased_overlap_by_chance)}`,
    marks.read_to !== null && `sure after ${percent(marks.read_to, 0)} of the words`,
  ].filter(Boolean);
  return card(t("person_named", { reader: human.reader }), box, el("p", { class: "readout", ...inEnglish() }, facts.join(" \u00b7 ")),
    el("p", { class: "quiet", ...inEnglish() }, `Compared with the keywords shown, and again whenever they change${leavesOut() ? "; function words among the marks do not count, and what is by chance is that of the words marked at first" : ""}.`),
    human.missing.length ? el("p", { class: "quiet" }, t("not_in_text", { words: human.missing.join(", ") })) : null,
    human.read_to_missing ? el("p", { class: "quiet" }, `Read to words that are not in the text: ${human.read_to_missing}`) : null);
}

/** What an overlap is by chance; it depends on the number of words alone, which layers and heads do not change. */
const byChance = (value, text = (one) => one.toFixed(2)) => (value === null || value === undefined ? "" : ` (by chance ${text(value)})`);

function optionsCard(one, shown) {
  const scored = one.options.filter((option) => option.probability !== null);
  const mass = sum(scored.map((option) => Math.exp(option.logprob)));
  const own = { lang: one.language, dir: direction(one) };
  const partOf = (name) => one.parts.findIndex(([part]) => part === name);
  // The words of the prompt, where they can be asked; else the text as it was given.
  const text = (name, given) => (one.positions && partOf(name) >= 0 ? askable(one, partOf(name), shown.weights) : [given]);
  const asks = one.positions?.words.length;
  // Through the layers, heads and words shown, where the page holds what the end of an option attends to.
  const looksAt = (name) => {
    const row = one.rows.find((each) => each.query === `option ${name}`);
    return row && figures(one, row).ranking.slice(0, 1).map((word) => `${word.text} ${percent(word.weight, 0)}`).join("");
  };
  return card(t("question_options"), el("p", { class: "question", ...own }, ...text("question", one.question)),
    el("div", { class: "options" }, ...one.options.map((option) => {
      const known = option.probability !== null;
      const tags = [option.chosen && `\u25b6 ${t("chosen")}`, option.gold && `\u2713 ${t("gold")}`].filter(Boolean).join("  ");
      return el("div", { class: option.chosen ? "option chosen" : "option" },
        el("span", { class: "label" }, option.label),
        el("div", null, el("div", { class: "row between" }, el("span", own, ...text(`option ${option.label}`, option.text)), el("span", { class: "tag" }, tags)),
          known ? bar(option.probability, percent(option.probability)) : null,
          looksAt(option.label) ? el("div", { class: "quiet looks" }, `${t("option_looks")} `, el("bdi", own, looksAt(option.label))) : null,
          known ? el("small", { class: "quiet" }, [t("of_options", { share: percent(option.probability) }), t("log_probability", { value: signed(option.logprob) }), t("raw_probability", { value: percent(Math.exp(option.logprob)) })].join(" \u00b7 ")) : null));
    })),
    asks && state.asked < 0 ? el("p", { class: "quiet" }, t("choose_dotted")) : null,
    ...(state.asked >= 0 ? [
      el("p", { "aria-live": "polite", ...inEnglish() }, `${askedName(one)} attends most to `, ...(shown.ranking.length ? listed(shown.ranking.slice(0, 5), (word) => [word.text, ` ${percent(word.weight, 0)}`], ", ") : ["no word"]), ` of ${state.whole ? "the whole prompt" : settings.scope}.`),
      el("div", { class: "row" }, backButton("back-above"), el("button", { type: "button", onclick: () => goTo("looked"), "data-focus": "see" }, t("see_in_story")))] : []),
    one.orders ? el("p", null, sentence("tell_rotated", one.orders)) : null,
    scored.length ? el("p", { class: "quiet" }, sentence("tell_mass", { mass: percent(mass) })) : null);
}

// ---- against what -----------------------------------------------------------------------------------------------------

/** Contrasts with how far apart they are and where they differ most, then each person's words. */
function againstCards(one, shown) {
  const own = data.contrasts.map((each, index) => [each, index]).filter(([each]) => each.first[0] === state.item);
  if (!own.length && !one.humans.length) return [card(null, el("p", { class: "quiet", ...inEnglish() }, "Nothing is compared here: --contrast sets options, orders, a model or a text without a sentence beside this prompt, --human what people marked."))];
  const kept = state.contrast;
  const line = ([contrast, index]) => {
    const most = (sign) => contrast.differences.filter((each) => sign * each[2] > 0).sort((a, b) => sign * (b[2] - a[2])).slice(0, 5);
    const words = (sign) => el("span", { class: "words" }, ...listed(most(sign), ([at, , value]) => [one.words[at][0], ` ${signed(100 * value, 1)}`], ", "));
    return [el("button", { type: "button", class: "plain", "aria-pressed": String(kept === index), "data-focus": `contrast-${index}`, onclick: () => { Object.assign(state, { contrast: kept === index ? -1 : index, asked: -1, back: false }); draw(); } }, contrast.name),
      contrast.distance.toFixed(2), words(1), words(-1)];
  };
  const table = own.length ? card(t("against_other"),
    tableOf(t("contrasts_table"), [t("contrast"), t("distance"), textColumn(t("more_here")), textColumn(t("less_here"))], own.map(line)),
    el("p", { class: "quiet" }, sentence("tell_contrasts", { words: withFunctionWords }))) : null;
  return [table, el("div", { class: one.humans.length > 1 ? "two" : "stack" }, ...one.humans.map((human) => humanCard(one, human, shown)))];
}

function keywordsCard(one, shown) {
  const people = one.humans.map((human) => marksShown(one, human));
  const marked = new Set(people.flatMap((human) => human.keywords));
  const words = shown.ranking.slice(0, settings.top);
  const most = largest(words.map((word) => word.weight)) || 1;
  const head = (name, kind) => el("th", { class: kind, scope: "col" }, name);
  const asWritten = (key) => shown.ranking.find((word) => word.key === key)?.text ?? key;
  return card(shown.asked ? t("first_words_of", { count: words.length, query: shown.query }) : t("first_keywords", { count: words.length }), el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("keywords_table") }, el("table", null, caption(t("keywords_table")),
    el("thead", null, el("tr", null, head("#", "num"), head(t("word")), head(t("weight"), "num"), head(spokenOnly(t("bar_of_weight"))), head(t("times"), "num"), marked.size ? head(t("person")) : null)),
    el("tbody", null, ...words.map((word, rank) => el("tr", null,
      el("td", { class: "num" }, String(rank + 1)), el("td", { lang: one.language, dir: "auto" }, word.text), el("td", { class: "num" }, percent(word.weight)),
      el("td", { class: "wide" }, bar(word.weight / most)), el("td", { class: "num" }, String(word.words.length)),
      marked.size ? el("td", null, marked.has(word.key) ? t("marked") : "") : null))))),
  shown.faint ? el("p", { class: "quiet", ...inEnglish() }, "Function words hold nearly all of the weight here: how the rest is shared among other words is rounding.") : null,
  marked.size ? el("p", { class: "quiet" }, `${t("persons_words")}: `, el("bdi", { lang: one.language }, people.map((human) => human.keywords.map(asWritten).join(", ")).join(" | "))) : null);
}

/** Where the weight went, by the names that are shown. */
function sharesShown(one, shown) {
  const names = { first: t("first_token"), special: t("without_text") };
  const shares = [...shown.shares].filter(([name]) =>
    name === "first" ? !settings.keep_sink : name !== "special" || one.words.some(([, kind]) => kind === 3));
  return shares.map(([name, share]) => [names[name] || partName(name), share]);
}

function partsCard(one, shown) {
  const shares = sharesShown(one, shown);
  const even = Math.max(1, Math.round(2 ** shown.entropy_bits));
  const entropy = el("p", { class: "quiet" }, sentence("tell_entropy", { scope: scopeName(), bits: shown.entropy_bits.toFixed(2), even }));
  if (shown.drops) return card(t("how_even"), entropy);
  return card(t("where_weight"), el("table", null, caption(t("share_parts")), el("tbody", null, ...shares.map(([name, share]) => el("tr", null,
    el("th", { scope: "row", class: "name" }, name), el("td", { class: "wide" }, bar(share)), el("td", { class: "num" }, percent(share)))))),
    el("p", { class: "quiet" }, sentence("tell_whole_row")), entropy);
}

// ---- the map of heads ----------------------------------------------------------------------------------------------

function mapCard(one, row) {
  const map = row.map;
  if (!map) return null;
  const choices = [["scope", scopeName()], ...[...new Set(one.parts.map(([name]) => name))].map((name) => [`part:${name}`, partName(name)]),
    ["sink", t("first_token")], ["entropy", t("entropy_row")]];
  if (state.picked >= 0 && map.kind === "full") choices.push(["word", t("word_named", { word: one.words[state.picked][0] })]);
  const unit = state.target === "entropy" ? (value) => `${value.toFixed(2)} bits` : (value) => percent(value);
  const choose = (event) => { state.target = event.target.value; draw(); };
  const head = el("div", { class: "row between" }, el("h2", null, t("layers_heads")),
    el("label", { class: "quiet row" }, t("share_on"), el("select", { "data-focus": "target", onchange: choose },
      ...choices.map(([value, name]) => el("option", { value, selected: value === state.target }, name)))));
  const values = headValues(one, row, state.target);
  const top = largest(values) || 1;
  const readout = el("p", { class: "readout", "aria-live": "polite" }, t("point_cell"));
  const how = map.kind === "full" ? "tell_map_full" : "tell_map_layers";
  return card(null, head, heatMap(map, values, top, (layer, at) => {
    readout.textContent = t("layer_head", { layer: map.layers[layer], head: at, value: unit(values[layer * map.heads + at]) });
  }), readout, el("div", { class: "legend" }, el("span", null, "0"), el("i"), el("span", null, unit(top)),
    el("span", null, sentence(state.target === "entropy" ? "tell_map_entropy" : "tell_map_share", { place: placeName(row), how }))));
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
  const picture = drawing("Map of layers and heads; arrow keys move, Enter reads the story with that head", {
    viewBox: `0 0 ${width} ${layers * tall + 18}`, class: "fig map", tabindex: "0", "data-focus": "map",
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

// ---- position, groups ------------------------------------------------------------------------------------------------

function profileCard(one, shown) {
  const width = 420, left = 12, base = 130, step = (width - 2 * left) / 10;
  const top = Math.max(largest(shown.tenths), 0.1);
  const picture = drawing(`Share of the weight in each tenth: ${shown.tenths.map((share) => percent(share, 0)).join(", ")}`, { viewBox: `0 0 ${width} 166`, class: "fig" });
  shown.tenths.forEach((share, bin) => {
    const high = (share / top) * (base - 28);
    picture.append(svg("rect", { x: left + bin * step + 3, y: base - high, width: step - 6, height: high, rx: 3, style: "fill: rgb(var(--heat)); fill-opacity: .75" }),
      label(left + (bin + 0.5) * step, base - high - 5, percent(share, 0), "middle"));
  });
  picture.append(svg("line", { x1: left, x2: width - left, y1: base, y2: base, class: "axis" }),
    label(left, base + 33, t("start_word"), "start"), label(width - left, base + 33, t("end_word"), "end"));
  const mark = (share, fill) => {
    if (share !== null) picture.append(svg("path", { d: `M ${left + share * (width - 2 * left)} ${base + 3} l 6 13 h -12 z`, style: `fill: ${fill}; stroke: var(--ink); stroke-width: 1.5` }));
  };
  const people = one.humans.map((human) => marksShown(one, human));
  for (const human of people) mark(human.half_way, "var(--card)");
  mark(shown.half_way, "var(--ink)");
  const facts = [];
  if (shown.half_way !== null) facts.push(t("tell_half", { share: percent(shown.half_way, 0), scope: scopeName() }));
  for (const human of people) {
    if (human.half_way !== null) facts.push(`\u25b3 half of the marks of ${human.reader}: the first ${percent(human.half_way, 0)}.`);
    if (human.read_to !== null) facts.push(`${human.reader} was sure after ${percent(human.read_to, 0)}.`);
  }
  return card(t("how_far"), picture, el("p", { class: "quiet" }, facts.join(" ")));
}

function groupsCard() {
  if (!data.groups.length) return null;
  const nats = (value) => signed(value);
  const check = (show) => ({ deletion }) => deletion ? show(deletion) : null;
  const number = (key, show) => (group) => group[key] === null || group[key] === undefined ? null : show(group[key]);
  const columns = [
    [t("prompts_word"), number("items", String)], [t("first_token"), number("sink", percent)], [t("words_word"), number("on_words", percent)],
    [t("entropy"), number("entropy_bits", (value) => value.toFixed(2))], [t("half_way"), number("half_way", (value) => percent(value, 0))],
    [t("overlap"), number("overlap", (value) => percent(value, 0))],
    [t("fall_keywords"), check((checks) => nats(checks.keywords))], [t("fall_random"), check((checks) => nats(checks.random))],
    [`${t("difference")}, 95 %`, check(({ difference }) => difference ? `${nats(difference[0])} to ${nats(difference[1])}` : null)],
    ["p < 0.05", check((checks) => `${checks.leaning} of ${checks.items}`)], [t("by_chance"), check((checks) => checks.expected.toFixed(1))],
    [t("flips"), check((checks) => `${checks.flips}; ${percent(checks.random_flips, 0)}`)],
  ].filter(([, show]) => data.groups.some((group) => show(group) !== null));
  const shown = (column) => columns.some(([name]) => name === column);
  const line = (group) => [
    el("tr", { class: "over" }, el("th", { scope: "row" }, group.name), ...columns.map(([, show]) => el("td", { class: "num" }, show(group) ?? "-"))),
    ...group.keywords.map((recurring) => el("tr", null, el("td", { class: "words", colspan: String(columns.length + 1) }, el("div", { class: "still" }, `Recurring keywords${group.keywords.length > 1 ? `, ${data.languages[recurring.language]}` : ""} (prompts): `,
      ...listed(recurring.words.slice(0, 12), ([word, items]) => [word, ` (${items})`], ", "))))),
  ];
  const table = el("table", null, caption("Means of groups of prompts"),
    el("thead", null, el("tr", null, el("th", { scope: "col" }, t("group")), ...columns.map(([name]) => el("th", { class: "num", scope: "col" }, name)))),
    el("tbody", null, ...data.groups.flatMap(line)));
  const off = data.groups.flatMap((group) => (group.knocked_out || []).map((off) => el("p", { class: "quiet" },
    `${group.name}, without ${off.parts}: the log-odds ${moved(off.fall)} nats on average (${off.interval ? `95 % ${signed(off.interval[0])} to ${signed(off.interval[1])} over ${off.stories} stories` : "one story: no interval"}); ${off.flips} of ${off.items} choices change.`)));
  const shifts = data.shifts.map((shift) => el("p", { class: "quiet" }, `Keywords of ${shift.first} minus ${shift.second}${shift.model === null ? "" : ofModel(shift.model)}, ${data.languages[shift.language]}: `,
    ...(shift.within.reason ? [] : [`${shift.significant} of ${shift.tested} words of five prompts below 0.05 by Holm, within ${shift.within.strata} strata (${shift.within.items[0]} and ${shift.within.items[1]} prompts). `,
      ...listed(shift.words, ({ text, items, difference, holm }) => [text, ` ${signed(100 * difference, 0)} points (${items.join(", ")}; Holm ${pText(holm)})`], "; "), " "]), leftOut(shift.within)));
  const differences = (data.differences || []).flatMap(differencesTable);
  return card(t("all_of_analysis"), el("div", { class: "scroll all", tabindex: "0", role: "group", "aria-label": "Table of groups" }, table),
    el("p", { class: "quiet", ...inEnglish() }, `Made once, for the answer position${["attention", "value"].includes(settings.measure) ? ` with layers ${settings.layers} and heads ${settings.heads}` : ""}${settings.drop_stop_words ? ", function words left out" : ", with function words"}; the controls above do not change it.`),
    el("p", { class: "quiet", ...inEnglish() }, `Means over prompts. First token and Words: shares of the whole row. Entropy in bits. Half-way: how far into the words half of the weight lies.${shown(t("overlap")) ? " Overlap: with the first keywords of people." : ""}${shown(t("flips")) ? " Deletion check: mean falls of the log-odds in nats, without the keywords and without random words; 95 % interval of their difference, clustered by story; prompts with p < 0.05, and how many chance alone would give; prompts whose choice changes without the keywords, and the share of random sets after which it does." : ""}`),
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
  return foldAway(card(t("about"), el("p", inEnglish(), data.caveat),
    el("dl", inEnglish(), ...terms.flatMap(([term, text]) => [el("dt", null, term), el("dd", null, text)])),
    ...data.notes.map((note) => el("p", inEnglish(), note)), ...[...models, data.program].map((line) => el("p", { class: "quiet" }, line))), "about");
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

/** On paper every prompt stands below the other, with layers and heads as asked, and nothing is folded. */
function unfold() {
  printing = true;
  if (beside || data.cases.length < 2) { draw(); return; }
  const kept = { ...state };
  const all = data.cases.flatMap((_, item) => {
    Object.assign(state, { item, row: 0, contrast: -1, picked: -1, asked: -1, target: "scope", cell: null });
    resetSliders();
    return [...cards(), ...[...lensCards(data.cases[item]), ...insideCards(data.cases[item])].map((node) => foldAway(node))];
  });
  main.replaceChildren(...all, ...groupCards().map((node) => foldAway(node)), aboutCard());
  Object.assign(state, kept);
}

addEventListener("beforeprint", () => { if (data.cases.length) unfold(); });
addEventListener("afterprint", () => { printing = false; if (data.cases.length) draw(); });

const toggle = (key) => { state[key] = !state[key]; if (isOpen()) draw(); };
const keys = {
  j: () => step(1), k: () => step(-1), n: () => toggle("numbers"), w: () => toggle("whole"), f: () => { if (isOpen() && canSwitch(data.cases[state.item], data.cases[state.item].rows[state.row])) toggle(settings.drop_stop_words ? "back" : "content"); },
  1: () => goTo("chosen"), 2: () => goTo("looked"), 3: () => goTo("against"), 4: () => goTo("matters"),
  "[": () => nudge(-1), "]": () => nudge(1), 0: () => { if (isOpen()) { resetSliders(); draw(); } },
  q: () => { if (!isOpen()) return; state.asked = -1; state.row = (state.row + 1) % data.cases[state.item].rows.length; resetSliders(); draw(); },
  Escape: () => { if (isOpen() && state.asked >= 0) ask(-1); },
  c: () => {
    if (!isOpen()) return;
    const own = [-1, ...data.contrasts.map((_, index) => index).filter((index) => data.contrasts[index].first[0] === state.item)];
    Object.assign(state, { asked: -1, back: false });
    state.contrast = own[(own.indexOf(state.contrast) + 1) % own.length];
    draw();
  },
};
onKeys(keys);
document.getElementById("method").textContent = data.method;

if (data.cases.length) {
  state.item = beside ? -1 : 0;
  buildList();
  followAddress();
} else {
  buildList();
  main.replaceChildren(el("p", null, t("none_analysed")));
}
