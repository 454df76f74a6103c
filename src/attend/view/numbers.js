// The numbers of one row for any layers and heads, and what is computed from them: shares, keywords, agreement, contrasts.

const settings = data.settings;
const state = {
  item: 0, row: 0, from: 0, to: 0, head: -1, contrast: -1,
  numbers: false, whole: false, content: false, target: "scope", picked: -1, cell: null,
};

// ---- stored tables ---------------------------------------------------------------------------------------------------

/** One line of a table: `(q / most)^2 * top` by the line's numbers, or by those of the columns apart, q being an integer of `bytes`
 * bytes. Tables of older folders have no `most`: the largest integer of that many bytes. */
function lineOf(table, line) {
  const cells = (table.decoded ||= bytes(table.cells)), width = table.bytes;
  const columns = cells.length / width / table.top.length;
  const apart = (table.columnsApart ||= new Set(table.apart?.columns));
  return Array.from({ length: columns }, (_, column) => {
    let q = 0;
    for (let at = (line * columns + column) * width, end = at + width; at < end; at++) q = q * 256 + cells[at];
    const { top, most } = apart.has(column) ? table.apart : table;
    return (q / (most ? most[line] : 256 ** width - 1)) ** 2 * top[line];
  });
}

function meanLine(table, lines) {
  const mean = [];
  for (const line of lines) lineOf(table, line).forEach((value, at) => { mean[at] = (mean[at] || 0) + value / lines.length; });
  return mean;
}

/** Words that compete to be keywords, in text order. */
const ranked = (row) => (row.ranked ||= row.ranking.flatMap((word) => word.words).sort((a, b) => a - b));

/** Columns of the table of words: those that compete, and function words of the parts that keywords come from, also where they
 * were left out. Folders of older versions have only those that compete. */
function columnsOf(one, row) {
  if (row.columns) return row.columns;
  const { tables } = row.map, table = tables.words || tables.layers, all = new Set(ranked(row));
  const competing = all.size, held = (table.decoded ||= bytes(table.cells)).length / table.bytes / table.top.length;
  one.words.forEach(([, , part], at) => { if (held > competing && isFunction(one, at) && one.parts[part]?.[1]) all.add(at); });
  return (row.columns = [...all].sort((a, b) => a - b));
}

/** All other words that can be seen: the columns of the table of others. */
function others(one, row) {
  const own = new Set(columnsOf(one, row));
  return (row.others ||= one.words.map((_, at) => at).filter((at) => one.words[at][1] !== 2 && !own.has(at)));
}

// ---- views -----------------------------------------------------------------------------------------------------------

const everyHead = (from, to, head = -1) => ({ from, to, head });
const asked = (row) => everyHead(row.layers[0], row.layers[row.layers.length - 1]);
const chosen = () => everyHead(state.from, state.to, state.head);
const same = (one, other) => one.from === other.from && one.to === other.to && one.head === other.head;
const asAsked = (row) => !row.map || same(chosen(), asked(row));

/** Pages of many prompts hold single heads for the layers asked for alone. */
const headsAreFixed = (row) => row.map && row.map.kind === "means";

/** Whether a row can be shown through these layers and heads. */
function holds(row, view) {
  const map = row.map, first = asked(row);
  if (!map || !map.layers.includes(view.from) || !map.layers.includes(view.to) || view.head >= map.heads) return false;
  return map.kind === "full" || view.head < 0 || same(view, { ...first, head: view.head });
}

/** Mass on parts and on the columns of the table of words, means over the heads of a view. */
function masses(row, view) {
  const { map } = row, { tables } = map, lines = [];
  const layers = map.layers.map((_, at) => at).filter((at) => map.layers[at] >= view.from && map.layers[at] <= view.to);
  for (const layer of layers) for (const head of view.head < 0 ? row.heads : [view.head]) lines.push(layer * map.heads + head);
  const words = map.kind === "full" ? meanLine(tables.words, lines)
    : view.head < 0 ? meanLine(tables.layers, layers) : lineOf(tables.heads, view.head);
  return { account: meanLine(tables.account, lines), words };
}

/** Sum of an account, which holds a kept first token among the parts too. */
const wholeOf = (account) => sum(account) - (settings.keep_sink ? account[0] : 0);

/** Whether function words are left out here: not where their language has no list. */
const leavesOut = () => state.content && data.cases[state.item].lists_function_words;

/** Whether a word is on the list of its language's function words. */
const isFunction = (one, at) => one.words[at][3] === 1;

/** Words that compete in what is shown, in text order. */
const competing = (one, row) => (leavesOut() ? ranked(row).filter((at) => !isFunction(one, at)) : ranked(row));

/** What is shown of a row, without function words where they are left out. */
function figures(one, row, view = chosen()) {
  const shown = ofView(one, row, view);
  return leavesOut() ? withoutFunctionWords(one, row, shown, view) : shown;
}

/** The same numbers among the words that are left: as if no function word had competed. */
function withoutFunctionWords(one, row, shown, view) {
  const left = competing(one, row), weights = new Array(one.words.length).fill(0);
  const mass = sum(left.map((at) => shown.weights[at]));
  const total = settings.keep_sink ? 1 : mass || 1;
  for (const at of left) weights[at] = shown.weights[at] / total;
  const ranking = shown.ranking.filter((word) => !isFunction(one, word.words[0])).map((word) => ({ ...word, weight: word.weight / total }));
  return { ...shown, weights, ranking, faint: !settings.keep_sink && mass < faintest(row, view), ...spread(left.map((at) => weights[at])) };
}

/** Share of the weight below which what is stored of words does not tell their shares among themselves: seven decimals of what was
 * written; tables hold function words apart, so that only what is next to nothing is lost. */
const faintest = (row, view) => (!row.map || same(view, asked(row)) || !holds(row, view) ? 1e-5 : 1e-9);

/** The numbers as written for layers and heads as asked, else computed for those of the view. */
function ofView(one, row, view) {
  if (!row.map || same(view, asked(row)) || !holds(row, view)) return { ...row, shares: sharesAsked(one, row) };
  return throughTables(one, row, view, ranked(row));
}

/** The numbers of a view where these words compete. */
function throughTables(one, row, view, places) {
  const { account, words } = masses(row, view);
  const whole = wholeOf(account) || 1;
  const weights = new Array(one.words.length).fill(0);
  const competes = new Set(places), known = new Set(ranked(row));
  columnsOf(one, row).forEach((word, at) => { if (competes.has(word)) weights[word] = words[at] / (one.tokens_per_word ? Math.max(one.tokens_per_word[word], 1e-9) : 1); });
  const total = settings.keep_sink ? whole : sum(weights) || 1;
  weights.forEach((weight, at) => { weights[at] = weight / total; });
  const own = row.ranking.map((word) => ({ ...word, weight: sum(word.words.map((at) => weights[at])) }));
  const ranking = [...own, ...rankingOf(one, places.filter((at) => !known.has(at)), weights)].sort((a, b) => b.weight - a.weight || a.words[0] - b.words[0]);
  const shares = new Map(row.map.columns.map((name, at) => [name, account[at] / whole]));
  return { ...row, weights, ranking, shares, ...spread(places.map((at) => weights[at])) };
}

/** The first token, other tokens without text, and each part by name. */
function sharesAsked(one, row) {
  const shares = new Map([["first", row.sink], ["special", row.special]]);
  one.parts.forEach(([name], index) => shares.set(name, (shares.get(name) || 0) + row.parts[index]));
  return shares;
}

/** Entropy, tenths and half-way point of weights in text order. */
function spread(weights) {
  const total = sum(weights) || 1;
  const tenths = new Array(10).fill(0);
  let entropy = 0, before = 0, half = null;
  const scale = 10 / weights.length;
  weights.forEach((weight, at) => {
    if (weight <= 0) return;
    entropy -= (weight / total) * Math.log2(weight / total);
    for (let bin = 0; bin < 10; bin++) {
      const overlap = Math.max(0, Math.min((at + 1) * scale, bin + 1) - Math.max(at * scale, bin));
      tenths[bin] += ((weight / total) * overlap) / scale;
    }
    if (half === null && before + weight >= total / 2) half = (at + (total / 2 - before) / weight) / weights.length;
    before += weight;
  });
  return { entropy_bits: entropy, tenths, half_way: half };
}

/** One value per layer and head for what the map shows: shares of each head's own row, or its entropy. */
function headValues(one, row, target) {
  const { map } = row, { tables, columns } = map;
  if (target === "entropy") return map.entropy;
  const inScope = new Set(one.parts.filter(([, within]) => within).map(([name]) => name));
  if (settings.scope === "the whole prompt") inScope.add("special");
  const ofPart = target === "sink" ? (name) => name === "first"
    : target === "scope" ? (name) => inScope.has(name) : (name) => `part:${name}` === target;
  let pick = null;
  if (target === "word") {
    const keyword = row.ranking.find((word) => word.words.includes(state.picked));
    const wanted = keyword ? keyword.words : [state.picked];
    const [table, order] = columnsOf(one, row).includes(state.picked) ? [tables.words, columnsOf(one, row)] : [tables.others, others(one, row)];
    const places = wanted.map((word) => order.indexOf(word));
    pick = (line) => { const cells = lineOf(table, line); return sum(places.map((at) => cells[at])); };
  }
  return map.entropy.map((_, line) => {
    const account = lineOf(tables.account, line);
    const part = pick ? pick(line) : sum(account.filter((_, at) => ofPart(columns[at])));
    return part / (wholeOf(account) || 1);
  });
}

// ---- agreement and contrasts -----------------------------------------------------------------------------------------

/** Persistence of the rank-biased overlap. */
const PERSISTENCE = 0.9;

/** What a person marked, without function words where they are left out: words, half-way point, how far was read. */
function marksShown(one, human) {
  if (!leavesOut()) return human;
  const row = one.rows[0], all = ranked(row), left = competing(one, row);
  const marked = new Set(human.words.filter((at) => !isFunction(one, at)));
  const listed = new Set(row.ranking.filter((word) => isFunction(one, word.words[0])).map((word) => word.key));
  const end = human.read_to === null ? null : all[Math.round(human.read_to * all.length) - 1] ?? -1;
  return {
    ...human, words: [...marked], keywords: human.keywords.filter((key) => !listed.has(key)),
    half_way: spread(left.map((at) => (marked.has(at) ? 1 : 0))).half_way,
    read_to: end === null ? null : left.filter((at) => at <= end).length / Math.max(left.length, 1),
  };
}

/** A person's list against the ranking shown: overlap of the first words, Jaccard index, rank-biased overlap. */
function agreement(shown, marks) {
  const all = [...new Set(shown.ranking.map((word) => word.key))];
  const top = all.slice(0, settings.top), cut = marks.slice(0, settings.top);
  const common = (a, b) => { const set = new Set(b); return a.filter((key) => set.has(key)).length; };
  if (!marks.length || !all.length) return { overlap: null, jaccard: null, rank_biased_overlap: null };
  const both = common(top, marks);
  return {
    overlap: common(top, cut) / Math.min(top.length, cut.length),
    jaccard: both / (top.length + marks.length - both),
    rank_biased_overlap: rankBiased(all, marks),
  };
}

/** Extrapolated rank-biased overlap of two lists without ties (Webber, Moffat and Zobel 2010, equation 32). */
function rankBiased(a, b) {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const s = short.length, l = long.length, p = PERSISTENCE;
  const seen = new Set(), agreed = [0];
  for (let depth = 1; depth <= l; depth++) {
    let more = 0;
    const one = long[depth - 1], other = depth <= s ? short[depth - 1] : undefined;
    if (one === other) more = 1;
    else for (const key of [one, other]) if (key !== undefined && seen.has(key)) more++;
    seen.add(one).add(other);
    agreed.push(agreed[depth - 1] + more);
  }
  let total = 0;
  for (let depth = 1; depth <= l; depth++) {
    const weight = p ** depth / depth;
    total += (agreed[depth] + (depth > s ? (agreed[s] * (depth - s)) / s : 0)) * weight;
  }
  return Math.min(1, Math.max(0, ((1 - p) / p) * total + ((agreed[l] - agreed[s]) / l + agreed[s] / s) * p ** l));
}

/** The contrast chosen, computed again for the layers, heads and words shown where both its rows can be seen through them. */
function contrastShown() {
  const contrast = data.contrasts[state.contrast];
  if (!contrast) return null;
  const [sides, view] = [[contrast.first, contrast.second].map(([item, row]) => [data.cases[item], data.cases[item].rows[row]]), chosen()];
  const own = sides[0][1], current = !own.map || same(view, asked(own));
  if (current && !leavesOut()) return { ...contrast, current };
  // Layers of one number are not the same place in two models.
  const through = current || (sides[0][0].model === sides[1][0].model && sides.every(([, row]) => holds(row, view)));
  const [first, second] = sides.map(([one, row]) => figures(one, row, through ? view : asked(row)).weights);
  if (!through && !leavesOut()) return { ...contrast, current };
  const [one, other] = sides.map(([one]) => one);
  const counts = (of, at) => !leavesOut() || !isFunction(of, at);
  const differences = contrast.differences.filter(([a]) => counts(one, a)).map(([a, b]) => [a, b, first[a] - second[b]]);
  const [only_first, only_second] = [contrast.only_first.filter((at) => counts(one, at)), contrast.only_second.filter((at) => counts(other, at))];
  const distance = (sum(differences.map((each) => Math.abs(each[2]))) + sum(only_first.map((at) => first[at])) + sum(only_second.map((at) => second[at]))) / 2;
  return { ...contrast, differences, only_first, only_second, distance, current: through };
}
