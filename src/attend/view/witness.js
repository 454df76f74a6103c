// The witness strip: time across, reality and each mind below each other, and what the answer position pays to each sentence.

const STRIP = { column: 26, band: 20, head: 19, bars: 60 };

/** What all strips take their patterns from; each strip has its own names, so that none depends on another one being shown. */
const patternsOf = (name) => data.witness_patterns.replaceAll("witness-", `${name}-`);
const fillOf = (place, name) => (place >= data.witness_colours ? "var(--track)" : place === 0 ? "var(--series-1)" : `url(#${name}-${place})`);

/** A small picture of a place's colour and pattern. */
function swatch(place, name) {
  const picture = svg("svg", { width: 18, height: 14, "aria-hidden": "true", class: "swatch" });
  picture.innerHTML = patternsOf(name);
  picture.append(svg("rect", { width: 18, height: 14, style: `fill: ${place === null ? "var(--track)" : fillOf(place, name)}` }));
  return picture;
}

function witnessCard(one) {
  const found = one.witness;
  if (!found) return null;
  const title = "Who saw what, and where the model looked";
  if (found.absent) return card(title, el("p", inEnglish(), `No witness strip: ${found.absent}`));
  const known = one.chances || { each: found.sentences.map((each) => each.chance), told: found.attention_told };
  const chance = (at) => known.each[at] ?? null;
  const name = `w${state.item}`, place = (at) => (at === null ? null : found.places[at]);
  const readout = el("p", { class: "readout", "aria-live": "polite", ...inEnglish() }, "Point at a sentence, or choose the strip and use the arrow keys.");
  const tell = (at) => {
    const each = found.sentences[at];
    const who = each.perceived === null ? "" : each.missed_by.length ? ` Missed by ${each.missed_by.join(", ")}.` : ` ${each.perceived === "seen" ? "Seen" : "Heard"} by all asked about.`;
    const lanes = found.lanes.map((lane, order) => `${lane}: ${place(each.lanes[order])?.name ?? "no place yet"}`).join("; ");
    const like = chance(at) ? `, by chance ${percent(chance(at).per_word, 2)} (${chance(at).stories} other ${chance(at).stories === 1 ? "story" : "stories"})` : ", no chance known";
    readout.replaceChildren(`${at + 1}. `, el("bdi", { lang: one.language }, each.text), `${who} ${lanes}. ${percent(each.per_word, 2)} per word${like}.`);
  };
  const strip = el("div", { class: "scroll" }, drawnStrip(one, found, chance, name, tell));
  const options = one.options.map((option) => {
    const at = found.places.findIndex((each) => each.name === option.text);
    return { option, at: at < 0 ? null : at };
  });
  const shown = options.filter(({ option, at }) => at !== null || option.chosen || option.gold);
  const others = options.filter((each) => !shown.includes(each)).map(({ option }) => option.probability);
  const unoffered = found.places.map((each, at) => [each, at]).filter(([each]) => !one.options.some((option) => option.text === each.name));
  const chip = (at, text) => el("span", { class: "chip" }, swatch(at, `${name}c${at ?? ""}`), " ", text);
  return card(title, ...[...found.told, known.told].filter(Boolean).map((line) => el("p", inEnglish(), line)), strip, readout,
    el("div", { class: "chips", lang: one.language },
      ...shown.map(({ option, at }) => chip(at, `${option.label} ${option.text}${option.probability === null ? "" : ` ${percent(option.probability)}`}${option.chosen ? ` \u25b6 ${t("chosen")}` : ""}${option.gold ? ` \u2713 ${t("gold")}` : ""}`)),
      ...unoffered.map(([each, at]) => chip(at, `${each.letter} ${each.name}, not offered`)),
      others.length ? chip(null, `${others.length} other options${others.includes(null) ? "" : ` ${percent(sum(others))}`}`) : null),
    el("p", { class: "quiet", ...inEnglish() }, `Bars: attention per word of the answer position, as share of that on the story${one.rows[0].map ? `, ${viewName(asked(one.rows[0]))}` : ""}; the controls do not change them. Lines across: chance. Dot: seen by all asked about; ring: heard by all; cross: missed by one. ${caveats.witness}`));
}

/** The strip: bars with chance, a mark for who perceives, then reality and the minds as bands. */
function drawnStrip(one, found, chance, name, tell) {
  const { column, band, head, bars } = STRIP, count = found.sentences.length, left = 4;
  const letters = (at) => (at === null ? "-" : found.places[at].letter);
  const width = Math.max(left + count * column + 4, 240), first = head + bars + 22, high = first + found.lanes.length * (head + band) + 16;
  const most = largest([...found.sentences.map((each) => each.per_word), ...found.sentences.map((_, at) => chance(at)?.per_word ?? 0)]) || 1;
  const frame = svg("rect", { y: head - 2, width: column, height: high - head - 14, style: "fill: none; stroke: var(--accent); stroke-width: 2.5", visibility: "hidden" });
  let cursor = -1;
  const show = (at) => {
    cursor = at;
    frame.setAttribute("x", left + at * column);
    frame.setAttribute("visibility", "visible");
    tell(at);
  };
  const picture = drawing("Witness strip; arrow keys move from sentence to sentence", {
    viewBox: `0 0 ${width} ${high}`, width, height: high, class: "strip", tabindex: "0", "data-focus": "strip",
    onfocus: () => { if (cursor < 0) show(0); },
    onkeydown: (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      show(Math.min(count - 1, Math.max(0, cursor + by)));
      picture.parentElement.scrollLeft = Math.max(0, left + cursor * column - picture.parentElement.clientWidth / 2);
    },
  });
  const defs = svg("g", null);
  defs.innerHTML = patternsOf(name);
  picture.append(defs, label(left, 11, `attention per word, to ${percent(most, 2)}`, "start"));
  found.sentences.forEach((each, at) => {
    const x = left + at * column, base = head + bars, tall = (bars * each.per_word) / most, y = base + 12, middle = x + column / 2;
    picture.append(svg("rect", { x: x + 5, y: base - tall, width: column - 10, height: tall, style: "fill: rgb(var(--heat))" }));
    if (chance(at)) picture.append(svg("rect", { x: x + 1, y: base - (bars * chance(at).per_word) / most - 1, width: column - 2, height: 2.5, style: "fill: var(--ink)" }));
    if (each.perceived === "missed") picture.append(svg("path", { d: `M ${middle - 4} ${y - 4} l 8 8 m 0 -8 l -8 8`, style: "stroke: var(--ink); stroke-width: 2" }));
    else if (each.perceived) picture.append(svg("circle", { cx: middle, cy: y, r: 4, style: `stroke: var(--ink); stroke-width: 1.6; fill: ${each.perceived === "seen" ? "var(--ink)" : "none"}` }));
    found.lanes.forEach((_, order) => {
      const top = first + order * (head + band) + head, at_ = each.lanes[order], before = at ? found.sentences[at - 1].lanes[order] : undefined;
      picture.append(svg("rect", { x, y: top, width: column, height: band, style: at_ === null ? "fill: none; stroke: var(--line)" : `fill: ${fillOf(at_, name)}` }));
      if (at_ === before && at !== count - 1) return;
      picture.append(svg("rect", { x: middle - 8, y: top + 2, width: 16, height: band - 4, rx: 3, style: "fill: var(--card)" }), label(middle, top + 14, letters(at_), "middle"));
    });
    if (at % 5 === 4 || at === 0) picture.append(label(middle, high - 3, at + 1, "middle"));
    picture.append(svg("rect", { x, y: head, width: column, height: high - head, style: "fill: transparent", onmouseenter: () => show(at), onclick: () => show(at) }));
  });
  found.lanes.forEach((lane, order) => picture.append(label(left, first + order * (head + band) + 14, lane, "start")));
  picture.append(frame);
  frame.style.pointerEvents = "none";
  return picture;
}

/** Attention to unseen sentences over all prompts. */
function witnessGroupCard() {
  const left = (findings.without_witness || []).map(([reason, items]) => `${items} left out: ${reason}`);
  if (!findings.witness && !left.length) return null;
  const rows = findings.witness || [], two = (value) => (value === null ? "-" : percent(value, 2));
  const tables = (rows[0]?.comparisons || []).map(({ comparison }, at) => tableOf(`Table of ${comparison}`, [comparison, "Prompts", "Stories", "First", "Second", "Difference, points", "95 %", "p by Holm"],
    rows.map((row) => {
      const each = row.comparisons[at];
      return [row.group + ofModel(row.model), String(each.items), String(each.stories), two(each.first), two(each.second), each.difference === null ? "-" : signed(100 * each.difference), percents(each.interval), pText(each.holm)];
    })));
  return card("Attention to what is unseen, all prompts", ...tables, ...left.map((line) => el("p", { class: "quiet" }, line)),
    el("p", { class: "quiet" }, `Attention per word as share of that on the story, false beliefs alone; intervals and tests by Student's t, clustered by story, with five stories or more; Holm over all comparisons of all rows. ${caveats.witness}`));
}
