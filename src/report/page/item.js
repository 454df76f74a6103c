// One item: its texts, answers, prompts and replies.

const optionName = (option) => (option < 26 ? String.fromCharCode(65 + option) : String(option + 1));
const listNames = (choice, names) => (choice.length ? choice.map(names).join(", ") : t("none_chosen"));
/** A part of an item by name, where the words have one. */
const partName = (kind) => (!isEnglish() && isSpoken(`part_${kind}`) ? t(`part_${kind}`) : kind);
const tenths = (share) => (share / 10).toFixed(1);
/** Text of a mark in a table, for screen readers. */
const spoken = (mark, meaning) => el("span", { role: "img", "aria-label": meaning, title: meaning }, mark);

function itemCards(item, one) {
  const language = value(state.index.language, item);
  const own = { lang: language, dir: direction({ language }) };
  return [headingCard(item), textCard(one, own), ...waysOf(item).map((way) => answerCard(item, one, way, own))].filter(Boolean);
}

function headingCard(item) {
  const { index } = state;
  const chips = [value(index.benchmark, item), value(index.language, item), ...facetsOf(item).map((pair) => pair.join(": ")), value(index.flags, item) && t("anomaly", { what: value(index.flags, item) })].filter(Boolean);
  const link = head.attention && el("a", { href: `${head.attention}${location.search}#${encodeURIComponent(index.ids[item])}` }, t("model_looked"));
  return card(null,
    el("div", { class: "row between" },
      el("h1", { tabindex: "-1", id: "item-name" }, ...written(index.ids[item])),
      el("div", { class: "row" },
        el("button", { type: "button", onclick: () => step(-1), "data-focus": "previous" }, `${arrows()[0]} ${t("previous")}`),
        el("button", { type: "button", onclick: () => step(1), "data-focus": "next" }, `${t("next")} ${arrows()[1]}`))),
    ...waysOf(item).map((way) => {
      const verdict = right(way, item);
      return el("p", { class: `verdict ${["wrong", "right"][verdict] || ""}` }, several ? markOf(way) : null, several ? el("bdi", null, `${head.ways[way]}: `) : null, sign(way, item));
    }),
    el("div", { class: "chips" }, ...chips.map((chip) => el("span", { class: "chip" }, ...written(chip)))), link || null);
}

function textCard(one, own) {
  if (!head.texts) return card(null, el("p", { class: "quiet" }, t("no_texts")));
  const prose = (text) => el("div", { class: "prose", ...own }, ...written(one.texts[text]));
  const parts = one.context.flatMap(([kind, text]) => [el("span", { class: "tag" }, partName(kind)), prose(text)]);
  return card(t("text_question"), ...parts, el("span", { class: "tag" }, partName("question")), el("div", null, el("strong", null, prose(one.question))));
}

const labelsOf = (one, trial) => (trial.labels === undefined ? [] : one.texts[trial.labels].split("\n"));
const orderOf = (one, trial) => trial.order || Array.from({ length: one.count }, (_, at) => at);

/** The label shown for an option; none if options were not shown. */
function shownAs(one, trial, option) {
  return labelsOf(one, trial)[orderOf(one, trial).indexOf(option)] ?? "";
}

function trialName(trial, at) {
  const drawn = trial.n > 1 ? ` \u00d7${trial.n}` : "";
  return trial.sample === undefined ? t("order_number", { number: at + 1 }) + drawn : t("reply_number", { number: at + 1 }) + drawn;
}

const nameOf = (way) => el("span", null, markOf(way), head.ways[way]);

function answerCard(item, one, way, own) {
  const trials = one.answers[way];
  const phase = head.phases[way] && el("p", { class: "quiet", ...inEnglish() }, ...written(`This is ${head.phases[way]}.`));
  if (right(way, item) === 3) return card(several ? nameOf(way) : t("first_phase"), phase, ...failures(one, trials), ...replies(one, trials, own), prompts(one, trials));
  const answers = state.index.answers[way];
  const options = Array.from({ length: one.count }, (_, option) => option);
  const weights = trials.map((trial) => trial.n || 1);
  const scored = (trial) => trial.p && one.kind !== "slots";
  const mean = (option) => {
    const among = trials.map((trial, at) => [trial, weights[at]]).filter(([trial]) => scored(trial));
    const all = sum(among.map(([, weight]) => weight));
    return all ? sum(among.map(([trial, weight]) => weight * trial.p[option])) / all : null;
  };
  const votes = (option) => sum(trials.map((trial, at) => (trial.choice?.includes(option) ? weights[at] : 0)));
  const cell = (trial, option) => {
    const hit = trial.choice?.includes(option);
    return el("td", { class: hit ? "num hit" : "num" }, hit ? spoken("\u25cf ", t("chosen")) : "", scored(trial) ? tenths(trial.p[option]) : "",
      el("small", null, ` ${shownAs(one, trial, option)}`));
  };
  const isGold = (option) => one.gold.includes(option);
  const anyMean = trials.some(scored);
  const rows = options.map((option) => el("tr", { class: isGold(option) ? "gold" : null },
    el("td", null, optionName(option)),
    el("td", null, head.texts ? el("div", { class: "text", ...own }, ...written(one.texts[one.options[option]])) : null, isGold(option) ? el("strong", { class: "tag" }, `\u2713 ${t("gold")}`) : null),
    el("td", { class: "num" }, t("votes_of", { votes: votes(option), of: answers.draws[item] })),
    anyMean ? el("td", { class: "num" }, mean(option) === null ? "-" : tenths(mean(option)), bar(mean(option) / 1000)) : null,
    ...trials.map((trial) => cell(trial, option))));
  const heads = [t("letter"), t("option"), t("votes"), anyMean ? t("mean_percent") : null, ...trials.map(trialName)].filter((name) => name !== null);
  const table = el("table", { class: "choices" }, el("caption", null, t("options_table")), el("thead", null, el("tr", null, ...heads.map((name, at) => el("th", { scope: "col", class: at > 1 ? "num" : null }, name)))), el("tbody", null, ...rows));
  return card(several ? nameOf(way) : t("options_orders"),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": several ? `${t("options_by_order")}: ${head.ways[way]}` : t("options_by_order") }, table),
    el("p", isSpoken("tell_marks") ? { class: "quiet" } : { class: "quiet", ...inEnglish() }, remark(one, trials, answers, item)),
    ...slotLines(one, trials), ...failures(one, trials), ...replies(one, trials, own), phase, prompts(one, trials));
}

function remark(one, trials, answers, item) {
  const choice = answers.choice[item], gold = listNames(one.gold, optionName);
  const voted = choice === null ? t("tell_no_vote") : t("tell_voted", { choice: listNames(choice, optionName), tie: answers.tied[item] ? t("tell_by_tie") : "", gold });
  const kinds = { labels: t("tell_labels"), slots: t("tell_slots") };
  const numbers = one.kind === "single" && trials.some((trial) => trial.p) ? t("tell_shares") : "";
  return [voted, kinds[one.kind], numbers, trials.some((trial) => trial.labels !== undefined) ? t("tell_marks_labels") : t("tell_marks")].filter(Boolean).join(" ");
}

/** The choice in each order, if several slots form one answer. */
function slotLines(one, trials) {
  if (one.kind !== "slots") return [];
  return trials.map((trial, at) => {
    const chance = trial.p?.length === 2 ? ` (${tenths(trial.p[0])} %; the gold answer ${tenths(trial.p[1])} %)` : "";
    return el("p", null, `${trialName(trial, at)}: ${trial.choice ? listNames(trial.choice, optionName) : "no answer"}${chance}`);
  });
}

function failures(one, trials) {
  return trials.flatMap((trial, at) => (trial.failure ? [el("p", { class: "departure", ...inEnglish() }, `${trialName(trial, at)} failed: ${trial.failure}. `, ...written(trial.why || ""))] : []));
}

/** Replies, with the part that was read marked. */
function replies(one, trials, own) {
  const found = trials.map((trial, at) => [trial, at]).filter(([trial]) => trial.outcome !== undefined);
  return found.map(([trial, at]) => {
    const read = [trial.outcome, trial.rule && `by the rule ${trial.rule}`, trial.choice && `option ${listNames(trial.choice, optionName)}`, trial.cut && "cut off at the length limit"].filter(Boolean).join(", ");
    const pieces = trial.reply ? trial.reply.text.map((piece) => one.texts[piece]) : [];
    const body = pieces.length === 3 ? [...written(pieces[0]), el("mark", { title: read }, ...written(pieces[1])), ...written(pieces[2])] : pieces.flatMap((piece) => written(piece));
    const thinking = trial.reply?.thinking;
    return el("div", { class: "turn reply" }, el("span", { class: "tag" }, `${trialName(trial, at)}: `, el("span", inEnglish(), read)),
      typeof thinking === "number" ? el("details", null, el("summary", null, t("thoughts")), el("div", { class: "prose", ...own }, ...written(one.texts[thinking]))) : null,
      head.texts ? el("div", { class: "prose", ...own }, ...body) : null);
  });
}

/** The text of a prompt: its frame with the item's texts in their places. */
function filled(pieces, one, trial) {
  const order = orderOf(one, trial);
  const place = (name) => {
    if (name === "q") return one.question;
    return name[0] === "c" ? one.context[Number(name.slice(1))][1] : one.options[order[Number(name.slice(1))]];
  };
  return pieces.map((piece, at) => (at % 2 ? one.texts[place(piece)] : piece)).join("");
}

function prompts(one, trials) {
  const shown = trials.map((trial, at) => [trial, at]).filter(([trial]) => trial.prompts);
  if (!shown.length) return null;
  const place = el("div");
  const draw = (chosenOne) => {
    const [trial] = shown[chosenOne];
    place.replaceChildren(...trial.prompts.flatMap((number) => {
      const [turns, prefix] = one.frames[number];
      const own = turns.map(([role, pieces]) => el("div", { class: "turn" }, el("span", { class: "tag" }, role || t("plain_text")), el("div", { class: "prose", dir: "auto" }, ...written(filled(pieces, one, trial)))));
      const begun = prefix ? [el("div", { class: "turn" }, el("span", { class: "tag" }, t("turn_begins")), el("div", { class: "prose" }, ...written(prefix)))] : [];
      return [...own, ...begun];
    }));
  };
  const pick = shown.length < 2 ? null : el("label", { class: "row quiet" }, t("shown_in"), el("select", { onchange: (event) => draw(Number(event.target.value)) },
    ...shown.map(([trial, at], index) => el("option", { value: index }, `${trialName(trial, at)}: ${orderOf(one, trial).map(optionName).join(" ")}`))));
  const box = el("details", { open: state.prompts, "data-prompts": true, ontoggle: (event) => { state.prompts = event.target.open; if (event.target.open && !place.firstChild) draw(0); } },
    el("summary", null, t("prompt_shown")), pick, place);
  if (state.prompts) draw(0);
  return box;
}

/** The item requested last; an earlier request that arrives later is dropped. */
async function open(item, focus, step = true) {
  state.item = item;
  markCurrent();
  toAddress(step);
  const focused = pane.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  try {
    const one = await details(item);
    if (state.item !== item) return;
    pane.replaceChildren(...itemCards(item, one));
  } catch (error) {
    pane.replaceChildren(card(null, el("p", { class: "departure" }, error.message)));
  }
  const target = focused ? pane.querySelector(`[data-focus="${focused}"]`) : focus ? document.getElementById("item-name") : null;
  target?.focus({ preventScroll: !focus });
  if (!wide.matches && focus !== undefined) pane.scrollIntoView({ block: "start" });
}

