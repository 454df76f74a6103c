// Whether what was looked at matters: the deletion check, parts switched off, and what the model would answer after each layer.

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
  return drawing(`${name}: falls in nats, tested words ${signed(effect.fall)}, random words ${signed(from)} to ${signed(to)}`, { viewBox: `0 0 ${width} 88`, class: "fig" },
    svg("rect", { x: x(from), y: 22, width: Math.max(2, x(to) - x(from)), height: 34, rx: 4, style: "fill: var(--track)" }),
    ...effect.random.map((fall, index) => svg("circle", { cx: x(fall), cy: 39 + ((index * 7) % 5 - 2) * 5, r: 3, style: "fill: var(--soft); fill-opacity: .55" })),
    svg("line", { x1: x(0), x2: x(0), y1: 16, y2: 64, class: "axis" }),
    svg("path", { d: `M ${at} 18 l 8 -12 h -16 z`, style: "fill: rgb(var(--heat))" }),
    svg("line", { x1: at, x2: at, y1: 18, y2: 62, style: "stroke: rgb(var(--heat)); stroke-width: 2.5" }),
    ...ticks.map((value) => label(x(value), 80, value === 0 ? "0" : signed(value), "middle")));
}

function effectVerdict(effect, leans) {
  if (effect.p < 0.05) return [sentence(leans)];
  return [sentence("tell_within"), ...(effect.smallest_p < 0.05 ? [] : [" ", sentence("tell_few")])];
}

function effectText(effect, name) {
  const [from, to] = effect.interval.map((fall) => signed(fall));
  return sentence(name, {
    from, to, moved: effect.fall < 0 ? "tell_rise" : "tell_fall", nats: Math.abs(effect.fall).toFixed(2), flips: effect.flips ? "tell_flips" : "", sets: effect.described,
    rare: signed(effect.rare), random_flips: effect.random_flips, p: effect.p.toFixed(3), smallest: effect.smallest_p.toFixed(3),
    ended: effect.ended_early ? "tell_ended" : "tell_draws", draws: effect.counted,
  });
}

function deletionPart(check, whose) {
  const half = (title, name, text, effect, leans) => el("div", null, el("h3", null, title), el("p", null, ...effectVerdict(effect, leans)), effectPicture(effect, name), el("p", { class: "quiet" }, effectText(effect, text)));
  return [
    el("p", null, sentence("tell_checked", {
      whose, words: check.words, occurrences: check.occurrences, tokens: check.tokens.toFixed(0), option: check.option, nats: signed(check.log_odds), probability: percent(check.probability),
      mass: percent(check.label_mass), random_tokens: check.random_tokens.toFixed(1), shared: check.shared.toFixed(1),
    })),
    el("div", { class: "two" },
      half(t("without_them"), "without these words", "tell_without", check.without, "tell_leans"),
      half(t("with_no_others"), "with no other words", "tell_no_others", check.only, "tell_keep")),
  ];
}

/** For what was made once, while the rest of the page leaves function words out. */
const withFunctionWords = settings.drop_stop_words ? "tell_words_out" : "tell_words_in";

/** The check of the keywords, and folded those of people's words. */
function deletionCards(one) {
  const check = one.deletion, first = one.rows[0];
  const marked = one.humans.filter((human) => human.deletion);
  if (!check && !marked.length) return [card(t("deletion_check"), el("p", { class: "quiet" }, t("not_checked_item")))];
  const layers = first.map ? `, ${viewName(asked(first))}` : "";
  const legend = () => el("p", { class: "quiet" }, t("deletion_legend"));
  const people = marked.map((human) => foldAway(card(t("deletion_of", { reader: human.reader }), ...deletionPart(human.deletion, t("tell_words_of", { reader: human.reader })), legend())));
  return [check ? card(t("deletion_check"), ...deletionPart(check, t("tell_first", { count: settings.top })), legend(),
    el("p", { class: "quiet" }, sentence("tell_made_once", { place: placeName(first), layers, words: withFunctionWords }))) : null, ...people];
}

/** What depends on parts of the model. */
function causalCards(one) {
  if (!one.knocked_out.length) return [];
  return [card(t("parts_off"),
    tableOf(t("parts_off"), [t("without"), t("fall_odds"), t("probability"), t("label_mass"), t("choice")],
      one.knocked_out.map((off) => [off.parts, signed(off.fall), percent(off.probability), percent(off.label_mass), off.flips ? t("another") : t("the_same")])),
    el("p", { class: "quiet", ...inEnglish() }, "Of the chosen option among the options shown. Heads give zero and layers add no attention, at every position. A model was never trained without these parts: a change may come from what later layers make of that."))];
}

/** What the model would answer after each layer. */
function lensCards(one) {
  const cards = [];
  const lens = one.lens;
  if (lens) {
    const width = 420, left = 40, right = 26, top = 12, base = 150, last = lens.label_mass.length - 1;
    const x = (layer) => left + (layer / Math.max(last, 1)) * (width - left - right), y = (share) => base - share * (base - top);
    const line = (values, style) => svg("path", { d: values.map((value, layer) => `${layer ? "L" : "M"} ${x(layer).toFixed(1)} ${y(value).toFixed(1)}`).join(" "), style: `fill: none; ${style}` });
    const ends = one.options.map((option, slot) => ({ option, slot, at: y(lens.probabilities[last][slot]) })).sort((a, b) => a.at - b.at);
    // Labels stand apart, and none below the axis.
    ends.forEach((end, place) => { if (place) end.at = Math.max(end.at, ends[place - 1].at + 16); });
    [...ends].reverse().forEach((end, place, all) => { end.at = Math.min(end.at, place ? all[place - 1].at - 16 : base); });
    const picture = drawing(`Logit lens: probability of each option after each layer, at last ${one.options.map((option, slot) => `${option.label} ${percent(lens.probabilities[last][slot], 0)}`).join(", ")}`, { viewBox: `0 0 ${width} 184`, class: "fig" },
      ...[0, 0.5, 1].flatMap((share) => [svg("line", { x1: left, x2: width - right, y1: y(share), y2: y(share), class: "axis" }), label(left - 5, y(share) + 4, percent(share, 0), "end")]),
      line(lens.label_mass, "stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 3 3"),
      ...one.options.map((option, slot) => line(lens.probabilities.map((row) => row[slot]), option.chosen ? "stroke: rgb(var(--heat)); stroke-width: 2.5" : `stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: ${["none", "8 3", "5 3 1 3", "2 2"][slot % 4]}`)),
      ...ends.map((end) => label(width - right + 5, end.at + 4, end.option.label, "start")),
      label(left, base + 18, "embedding", "start"), label(width - right, base + 18, t("layer_one", { layer: last - 1 }), "end"));
    cards.push(card(t("logit_lens"), picture,
      el("p", { class: "quiet", ...inEnglish() }, `What the head makes of the answer position after each layer: the options' ${lens.first_tokens_only ? "first tokens" : "labels"} among themselves (the chosen one in colour), and their mass (dotted). ` +
        "The head was trained for the last layer; early ones need not speak its language.")));
  }
  return cards;
}
