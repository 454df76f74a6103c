// Roles, contributions, other views, maps of groups of heads, and chosen heads switched off.

const findings = data.findings || {};
const caveats = data.caveats || {};
const groupMap = { at: 0, table: "difference", cell: null };

/** A table's name for those who do not see it. */
const caption = (name) => el("caption", { class: "off" }, name);
const spokenOnly = (text) => el("span", { class: "off" }, text);

/** A picture with its name, which is also its title. */
const drawing = (name, attributes, ...children) => svg("svg", { role: "img", "aria-label": name, ...attributes }, svg("title", null, name), ...children);

/** A table in a region that scrolls. Columns hold numbers, but for the first one and those made by `textColumn`. */
const tableOf = (name, heads, rows) => {
  const kind = heads.map((head, at) => (at && typeof head === "string" ? "num" : null));
  return el("div", { class: heads.length > 6 ? "scroll broad" : "scroll", tabindex: "0", role: "group", "aria-label": name }, el("table", null, caption(name),
    el("thead", null, el("tr", null, ...heads.map((head, at) => el("th", { class: kind[at], scope: "col" }, head.name || head)))),
    el("tbody", null, ...rows.map((row) => el("tr", null, ...row.map((cell, at) => el("td", { class: kind[at] }, cell)))))));
};
const textColumn = (name) => ({ name });
const pText = (p) => (p === null || p === undefined ? "-" : p < 0.0001 ? "< 0.0001" : p.toFixed(4));
const percents = (interval) => (interval ? `${percent(interval[0], 2)} to ${percent(interval[1], 2)}` : "-");
const nats = (interval) => (interval ? `${signed(interval[0])} to ${signed(interval[1])}` : "one story: no interval");
const ofModel = (index) => (data.models.length > 1 ? ` (${data.models[index].name})` : "");
const answerOf = (one) => (one.rows[0].map ? `${t("answer_position")}, ${viewName(asked(one.rows[0]))}` : t("answer_position"));

/** More of one prompt. */
const insideCards = (one) => [rolesCard(one), contributionsCard(one), viewsCard(one)].filter(Boolean);

function rolesCard(one) {
  const roles = one.roles;
  if (!roles) return null;
  if (roles.absent) return card(t("roles"), el("p", inEnglish(), `None: ${roles.absent}`, roles.detail ? el("bdi", { class: "quiet" }, ` (${roles.detail})`) : null));
  const belief = roles.belief === null ? "" : roles.belief ? " The belief asked about is true, so that believed and actual location are one." : " The belief asked about is false.";
  return card(t("roles"), tableOf(t("roles"), [t("role"), t("part_story"), t("part_question"), t("options_word"), t("mentions"), textColumn(t("who_what"))],
    roles.roles.map((role) => [role.role, percent(role.story, 2), percent(role.question, 2), percent(role.options, 2), String(role.mentions), el("bdi", { lang: one.language }, role.names.join(", "))])),
  roles.missing ? el("p", { class: "quiet" }, `Marked, but not in the story: ${roles.missing.join(", ")}`) : null,
  el("p", { class: "quiet" }, `From ${roles.source === "story" ? "the structure of the story" : `the marks of ${roles.source}`}.${belief} Shares of the whole row of ${answerOf(one)}; the controls above do not change them. ${caveats.roles}`));
}

function contributionsCard(one) {
  const found = one.contributions;
  if (!found) return null;
  const width = found.heads_per_layer, layers = found.heads.length / width;
  const readout = el("p", { class: "readout", "aria-live": "polite" }, t("point_cell"));
  const tell = (layer, head) => { readout.textContent = t("layer_head", { layer, head, value: `${signed(found.heads[layer * width + head], 3)} nats` }); };
  const total = (values) => signed(values.reduce((all, value) => all + value, 0));
  return card(t("contributions"),
    el("p", { class: "quiet source" }, `To logit ${found.first} (right) minus logit ${found.second} (the likeliest wrong one)${found.first_tokens_only ? ", first tokens of both" : ""}: ${signed(found.difference)} nats = heads ${total(found.heads)}, feed-forward blocks ${total(found.networks)}, embedding ${signed(found.embedding)}, biases ${total(found.biases)}.`),
    signedMap([...Array(layers).keys()], width, found.heads, null, "Direct contribution of each head", tell), readout,
    signedLegend(found.heads, (value) => `${signed(value)} nats`), el("p", { class: "quiet" }, caveats.contributions));
}

function viewsCard(one) {
  if (!one.sensitivity.length) return null;
  return card(t("other_views"), tableOf(t("other_views"), [t("view_word"), t("shared"), "Jaccard", "Rank-biased overlap"],
    one.sensitivity.map((view) => [el("span", { class: "whole" }, view.name), String(view.shared), view.jaccard.toFixed(2), view.rank_biased_overlap.toFixed(2)])),
  el("p", { class: "quiet" }, `The first ${settings.top} keywords when only this is changed, against those of ${answerOf(one)}.${one.sensitivity.some((view) => view.way === "order") ? "" : " One order of options was drawn, so that none is compared."}`));
}

function strongestCard(one) {
  if (!one.strongest.length) return null;
  return card(t("heads_off"), tableOf(t("heads_off"), [t("without"), t("fall_nats"), t("choice"), t("random_heads"), t("their_flips")],
    one.strongest.map((off) => {
      const random = off.random.length ? `${signed(Math.min(...off.random))} to ${signed(Math.max(...off.random))}` : "-";
      return [off.chosen, signed(off.fall), off.flips ? t("another") : t("the_same"), random, `${off.random_flips} of ${off.random.length}`];
    })), el("p", { class: "quiet" }, `Fall of the chosen option's log-odds among the options shown. ${caveats.strongest}`));
}

/** Numbers of two groups against each other within strata, with what was left out. */
function differencesTable(found) {
  const scale = (one) => (one.unit === "share" || one.unit === "place" ? 100 : 1);
  const show = (one, value, sign) => (value === null ? "-" : sign ? signed(scale(one) * value) : (scale(one) * value).toFixed(2));
  const name = (one) => `${one.quantity}, ${scale(one) === 100 ? "%" : one.unit}`;
  const lines = found.quantities.map((one) => one.within.reason ? [name(one), "-", "-", "-", "-", "-", "-"] : [name(one), one.within.items.join(" / "), show(one, one.first), show(one, one.second), show(one, one.difference, true),
    one.interval ? `${show(one, one.interval[0], true)} to ${show(one, one.interval[1], true)}` : "-", pText(one.holm)]);
  return [tableOf(`Table of ${found.groups.join(" against ")}`, [`${found.groups[0]} minus ${found.groups[1]}${found.model === null ? "" : ofModel(found.model)}`, "Prompts", "First", "Second", "Difference", "95 %", "p by Holm"], lines),
    ...new Set(found.quantities.map((one) => leftOut(one.within)).filter(Boolean))];
}

/** Why there is no comparison, and which strata are left out, in a sentence; empty where there is nothing to tell. */
function leftOut(within) {
  const reason = within.reason ? `No comparison: ${within.reason}. ` : "";
  const strata = (within.left_out || []).map((left) => `${left.stratum} (${left.items.join(" and ")})`);
  return reason + (strata.length ? `Left out, without two stories of each group: ${strata.join("; ")}.` : "");
}
const quietly = (parts) => parts.filter(Boolean).map((part) => (typeof part === "string" ? el("p", { class: "quiet" }, part) : part));

/** Cards of all prompts together. */
function findingsCards() {
  return [rolesGroupCard(), witnessGroupCard(), ...(findings.twins || []).map(twinsCard), headMapsCard(), viewsGroupCard(), ...(findings.strongest || []).map(strongestGroupCard)].filter(Boolean);
}

function rolesGroupCard() {
  const without = (findings.without_roles || []).map(([reason, items]) => el("p", { class: "quiet" }, `${items} prompts without roles: ${reason}`));
  if (!findings.roles && !without.length) return null;
  return card("Attention on roles, all prompts", findings.roles ? tableOf("Table of roles", ["Role", "Prompts", "Story", "95 %", "Mentions", "Per mention", "Question", "Options"],
    findings.roles.map((mean) => [mean.role + ofModel(mean.model), String(mean.items), percent(mean.story, 2), percents(mean.interval), mean.mentions.toFixed(1), percent(mean.per_mention, 2), percent(mean.question, 2), percent(mean.options, 2)])) : null,
  ...quietly((findings.role_differences || []).flatMap(differencesTable)),
  ...without, el("p", { class: "quiet" }, `Mean shares of the whole row; intervals by Student's t, clustered by story. ${caveats.differences} ${caveats.roles}`));
}

const kinds = {
  story: "one story and order of belief: about one agent the belief asked for is false, about the other true",
  form: "two stories in which the same things happen in another order, with other names",
  language: "one question in two languages", order: "one prompt with its options in two orders",
};

function twinsCard(twins) {
  return card(`Twins: ${twins.sides[0]} against ${twins.sides[1]}${ofModel(twins.model)}`,
    tableOf("Table of twins", ["Share of the row", "Pairs", twins.sides[0], twins.sides[1], "Difference", "95 %", "p", "p by Holm"],
      twins.quantities.map((one) => [one.quantity, String(one.pairs), percent(one.first, 2), percent(one.second, 2), `${signed(100 * one.difference)} points`, percents(one.interval), pText(one.p), pText(one.holm)])),
    el("p", { class: "quiet" }, `Twins of ${kinds[twins.kind]}. ${twins.pairs} pairs of ${twins.stories} stories; ${twins.alone} prompts have no twin. Paired tests by Student's t, clustered by story, adjusted over the rows of this table.`));
}

function headMapsCard() {
  const maps = findings.head_maps || [];
  if (!maps.length) return null;
  const map = maps[groupMap.at], values = map[groupMap.table], tested = groupMap.table === "difference", rests = map.within;
  const change = map.unit === "nats" ? (value) => `${signed(value, 3)} nats` : (value) => `${signed(100 * value, 2)} points`;
  // A share has no sign; one role minus another and a contribution have.
  const show = map.unit === "nats" || [...map.first, ...map.second].some((value) => value < 0) ? change : (value) => percent(value, 2);
  const readout = el("p", { class: "readout", "aria-live": "polite" }, "Point at a cell for its numbers.");
  const tell = (layer, head) => {
    const at = layer * map.heads + head;
    readout.textContent = `Layer ${map.layers[layer]}, head ${head}: ${map.groups[0]} ${show(map.first[at])}, ${map.groups[1]} ${show(map.second[at])}, difference ${change(map.difference[at])}; p ${pText(map.p[at])}, by Holm ${pText(map.holm[at])}`;
  };
  const select = (name, key, choices) => el("label", { class: "row quiet wrap" }, name, el("select", { "data-focus": `group-${key}`, onchange: (event) => { groupMap[key] = key === "at" ? Number(event.target.value) : event.target.value; draw(); } },
    ...choices.map(([value, text]) => el("option", { value, selected: value === groupMap[key] }, text))));
  const names = maps.map((each, at) => [at, `${each.quantity}: ${each.groups.join(" / ")}${ofModel(each.model)}`]);
  const tables = [["difference", `${map.groups[0]} minus ${map.groups[1]}`], ["first", `mean of ${map.groups[0]}`], ["second", `mean of ${map.groups[1]}`]];
  const order = map.difference.map((_, at) => at).sort((one, other) => Math.abs(map.difference[other]) - Math.abs(map.difference[one]) || one - other);
  const choices = el("div", { class: "row" }, select("Map", "at", names), select("Shows", "table", tables));
  if (rests.reason) return card("Heads of groups", choices, el("p", { class: "quiet" }, leftOut(rests)));
  return card("Heads of groups", choices,
    el("div", { class: "two" },
      el("div", null, signedMap(map.layers, map.heads, values, tested ? map.holm : null, `Map of ${map.quantity}: ${tables.find(([key]) => key === groupMap.table)[1]}`, tell), readout, signedLegend(values, tested ? change : show)),
      tableOf("Table of heads that differ most", ["Head", map.groups[0], map.groups[1], "Difference", "p by Holm"],
        order.slice(0, 10).map((at) => [`${map.layers[Math.floor(at / map.heads)]}.${at % map.heads}`, show(map.first[at]), show(map.second[at]), change(map.difference[at]), pText(map.holm[at])]))),
    el("p", { class: "quiet" }, `${map.quantity === "scope" ? `Mass on ${settings.scope}` : map.quantity === "contribution" ? "Direct contribution" : `Mass on ${map.quantity.replace("-", " minus ")} in the story`} of the answer position, ${map.unit}. Layers upward, heads across. ` +
      `${rests.items[0]} prompts of ${rests.stories[0]} stories against ${rests.items[1]} of ${rests.stories[1]}, within ${rests.strata} strata; means are weighted as the differences are. A test for each head, clustered by story, adjusted by Holm over the ${map.difference.length} heads of the map: ${map.significant} below 0.05${tested ? ", framed" : ""}. ${leftOut(rests)}`),
    map.warning ? el("p", { class: "caution" }, `Take care: ${map.warning}.`) : null);
}

/** Layers up and heads across in two colours, with what `holm` finds framed. */
function signedMap(layers, heads, values, holm, name, tell) {
  const left = 34, width = 460, count = layers.length;
  const tall = Math.min(20, Math.max(4, 290 / count)), wide = (width - left) / heads, top = largest(values.map(Math.abs)) || 1;
  let cell = [count - 1, 0];
  const frame = svg("rect", { fill: "none", stroke: "var(--accent)", "stroke-width": 2.5, width: wide, height: tall, visibility: "hidden" });
  const show = (layer, head) => {
    cell = [layer, head];
    frame.setAttribute("x", left + head * wide);
    frame.setAttribute("y", (count - 1 - layer) * tall);
    frame.setAttribute("visibility", "visible");
    tell(layer, head);
  };
  const picture = drawing(`${name}; arrow keys move`, { viewBox: `0 0 ${width} ${count * tall + 18}`, class: "fig map", tabindex: "0",
    onkeydown: (event) => {
      const [up, across] = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] || [0, 0];
      if (!up && !across) return;
      event.preventDefault();
      show(Math.min(count - 1, Math.max(0, cell[0] + up)), Math.min(heads - 1, Math.max(0, cell[1] + across)));
    } });
  const framed = [];
  for (let layer = 0; layer < count; layer++) {
    const y = (count - 1 - layer) * tall;
    for (let head = 0; head < heads; head++) {
      const value = values[layer * heads + head], strength = (Math.abs(value) / top).toFixed(3), x = left + head * wide;
      picture.append(svg("rect", { class: "cell", x, y, width: wide - 1, height: tall - 1, style: `fill: rgba(var(${value < 0 ? "--minus" : "--heat"}), ${strength}); stroke: var(--line); stroke-width: .5`, onmouseenter: () => show(layer, head) }));
      if (holm && holm[layer * heads + head] !== null && holm[layer * heads + head] < 0.05) framed.push(svg("rect", { x: x + 1, y: y + 1, width: wide - 3, height: tall - 3, style: "fill: none; stroke: var(--ink); stroke-width: 1.5; pointer-events: none" }));
    }
    if (count <= 16 || layers[layer] % 5 === 0) picture.append(label(left - 8, y + tall / 2 + 4, layers[layer], "end"));
  }
  for (let head = 0; head < heads; head++) if (heads <= 16 || head % 4 === 0) picture.append(label(left + (head + 0.5) * wide, count * tall + 13, head, "middle"));
  picture.append(...framed, frame);
  return picture;
}

function signedLegend(values, show) {
  const top = largest(values.map(Math.abs));
  return el("div", { class: "legend" }, el("span", null, show(-top)), el("i", { class: "both" }), el("span", null, show(top)));
}

function viewsGroupCard() {
  if (!findings.sensitivity) return null;
  const languages = new Set(findings.sensitivity.map((view) => view.language));
  return card("Keywords under other views, all prompts", tableOf("Table of other views", ["View", "Prompts", "Jaccard", "95 %", "Least", "Rank-biased overlap"],
    findings.sensitivity.map((view) => [el("span", { class: "whole" }, view.name + (languages.size > 1 ? ` (${data.languages[view.language]})` : "") + ofModel(view.model)), String(view.items), view.jaccard.toFixed(2), view.interval ? `${view.interval[0].toFixed(2)} to ${view.interval[1].toFixed(2)}` : "-", view.least.toFixed(2), view.rank_biased_overlap.toFixed(2)])),
  el("p", { class: "quiet" }, `The first ${settings.top} keywords when only this is changed, against those shown; means over prompts, intervals clustered by story. The paper averages 20 layers and does not say which.`));
}

function strongestGroupCard(found) {
  const all = found.all;
  return card(`Without ${found.chosen}${ofModel(found.model)}`,
    el("p", null, `Heads ${found.heads.map(([layer, head]) => `${layer}.${head}`).join(", ")} off together, against ${found.draws} random sets with as many heads of each layer: Monte Carlo p = ${found.p.toFixed(3)} (smallest possible ${found.smallest_p.toFixed(3)}).${found.shared > 0 ? ` Random sets share ${found.shared.toFixed(1)} of these heads: their layers have too few others.` : ""}`),
    tableOf("Table without chosen heads", ["Prompts taken", "Prompts", "Fall, nats", "95 %", "Random heads", "Difference", "95 %", "Flips", "Random flips"],
      [["all", String(all.items), signed(all.fall), nats(all.interval), signed(all.random), signed(all.difference), nats(all.difference_interval), String(all.flips), percent(all.random_flips, 0)]]),
    ...quietly((found.differences || []).flatMap(differencesTable)),
    el("p", { class: "quiet" }, `Mean fall of the chosen option's log-odds among the options shown, intervals clustered by story. ${caveats.strongest}`));
}
