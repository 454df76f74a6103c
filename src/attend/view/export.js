// What is shown, taken along: the story as a picture (SVG or PNG) and its numbers (CSV).

/** A text as a cell: quoted where it must be, and never a formula. */
function cell(value) {
  let text = value === null || value === undefined ? "" : String(value);
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Layers and heads of a view as the command line writes them; empty for measures that average none. */
function viewChoice(row) {
  if (!["attention", "value"].includes(settings.measure)) return ["", ""];
  const { from, to, head } = row.map ? chosen() : asked(row);
  return [from === to ? String(from) : `${from}-${to}`, head >= 0 ? String(head) : settings.heads];
}

/** All numbers shown of one prompt, a line each: keywords (or differences), shares of parts, cells of the map, agreement. */
function viewCsv() {
  const one = data.cases[state.item], row = one.rows[state.row], shown = figuresShown(one, row), contrast = broughtBack() || shown.asked ? null : contrastShown();
  const words = functionWordsCompete(one) || !one.lists_function_words ? "kept" : "left out";
  const what = [one.item, one.variant, data.models[one.model].name, one.language, shown.query, settings.measure, ...viewChoice(row), words];
  const head = ["item", "variant", "model", "language", "query", "measure", "layers", "heads", "function_words", "kind", "name", "rank", "layer", "head", "value", "occurrences", "marked_by", "canary"];
  const lines = [];
  const add = (kind, name, value, { rank = "", layer = "", head: at = "", occurrences = "", marked = "" } = {}) =>
    lines.push([...what, kind, name, rank, layer, at, value, occurrences, marked, lines.length ? "" : data.canary]);
  const readers = one.humans.map((human) => [human.reader, marksShown(one, human)]);
  const markedBy = (key) => readers.filter(([, marks]) => marks.keywords.includes(key)).map(([reader]) => reader).join("; ");
  shown.ranking.forEach((word, at) => add("word", word.text, word.weight, { rank: at + 1, occurrences: word.words.length, marked: markedBy(word.key) }));
  if (contrast) {
    for (const [at, , value] of contrast.differences) add(`difference: ${contrast.name}`, one.words[at][0], value);
    add(`distance: ${contrast.name}`, "", contrast.distance);
  }
  if (!shown.drops) for (const [name, share] of sharesShown(one, shown)) add("part", name, share);
  add("entropy_bits", "", shown.entropy_bits);
  if (shown.half_way !== null) add("half_way", "", shown.half_way);
  for (const [reader, marks] of readers) {
    const agreed = agreement(shown, marks.keywords);
    for (const key of ["overlap", "jaccard", "rank_biased_overlap"]) if (agreed[key] !== null) add(key, reader, agreed[key]);
  }
  if (shown.map) headValues(one, row, state.target).forEach((value, at) =>
    add("cell", state.target === "word" ? `word:${one.words[state.picked][0]}` : state.target, value, { layer: row.map.layers[Math.floor(at / row.map.heads)], head: at % row.map.heads }));
  return [head, ...lines].map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** A colour with how strong it is, as SVG writes it. */
function tinted(colour) {
  const [red, green, blue, strength = 1] = colour.match(/[\d.]+/g).map(Number);
  return { fill: `rgb(${red}, ${green}, ${blue})`, "fill-opacity": strength };
}

/** The story as it is shown, word by word where it stands, with its legend and the map, as one SVG. */
function viewSvg() {
  const one = data.cases[state.item], row = one.rows[state.row];
  const story = main.querySelector(".story"), whole = story.getBoundingClientRect(), pad = 16;
  const paper = getComputedStyle(story.closest(".card")).backgroundColor, ink = getComputedStyle(story).color;
  const soft = getComputedStyle(main.querySelector(".quiet")).color;
  const drawn = [];
  const place = (box) => ({ x: box.left - whole.left + pad, y: box.top - whole.top + pad, width: box.width, height: box.height });
  const text = (string, x, y, size, fill, more = {}) => svg("text", { x: x.toFixed(1), y: y.toFixed(1), "font-size": size, fill, ...more }, string);
  const family = getComputedStyle(story).fontFamily;
  for (const node of story.querySelectorAll(".w, .part-name")) {
    const style = getComputedStyle(node), size = parseFloat(style.fontSize);
    const rects = [...node.getClientRects()].map(place);
    const back = tinted(style.backgroundColor);
    if (node.classList.contains("tint")) for (const box of rects) drawn.push(svg("rect", { ...box, rx: 4, ...back }));
    const border = parseFloat(style.borderBottomWidth);
    if (border > 0) for (const box of rects) {
      drawn.push(svg("line", { x1: box.x, x2: box.x + box.width, y1: box.y + box.height - border / 2, y2: box.y + box.height - border / 2, stroke: style.borderBottomColor, "stroke-width": border, "stroke-dasharray": style.borderBottomStyle === "dashed" ? "4 3" : null }));
    }
    // A word that is broken over lines is set piece by piece.
    for (const [piece, box] of piecesOf(node)) {
      const at = place(box);
      drawn.push(text(piece, at.x + at.width / 2, at.y + at.height * 0.78, size, style.color, { "text-anchor": "middle", "text-decoration": node.classList.contains("gone") ? "line-through" : null }));
    }
    const [first] = rects;
    if (first && node.dataset.rank) drawn.push(text(node.dataset.rank, first.x + first.width, first.y - 1, (size * 0.6).toFixed(1), ink, { "text-anchor": "end" }));
    const last = rects[rects.length - 1];
    if (last && node.dataset.figure) drawn.push(text(node.dataset.figure, last.x + last.width - 1, last.y + last.height * 0.78, (size * 0.62).toFixed(1), style.color, { "text-anchor": "end" }));
  }
  let y = whole.height + 2 * pad + 4;
  const contrast = contrastShown();
  const legend = main.querySelector(".story").parentElement.querySelector(".legend");
  for (const line of [source(figuresShown(one, row)).textContent, `Scale: ${[...legend.children].map((child) => child.textContent).filter(Boolean).join(" \u2026 ")}.`]) {
    for (const piece of folded(line, whole.width / 6.2)) { drawn.push(text(piece, pad, y, 12, soft)); y += 16; }
  }
  const map = main.querySelector("svg.map");
  if (map && !contrast) {
    const copy = frozen(map), [, , wide, tall] = map.getAttribute("viewBox").split(" ").map(Number);
    for (const [name, value] of Object.entries({ x: pad, y: y + 18, width: wide, height: tall })) copy.setAttribute(name, value);
    const values = headValues(one, row, state.target), choice = document.querySelector('[data-focus="target"]').selectedOptions[0].textContent;
    const most = state.target === "entropy" ? `${largest(values).toFixed(2)} bits` : percent(largest(values));
    drawn.push(text(`${t("layers_heads")}: ${state.target === "entropy" ? choice : `${t("share_on")} ${choice}`}, 0 \u2013 ${most}`, pad, y + 8, 12, soft), copy);
    y += tall + 34;
  }
  const width = Math.max(whole.width, map && !contrast ? 460 : 0) + 2 * pad;
  const name = [one.item, one.variant, data.models[one.model].name, source(row).textContent].filter(Boolean).join(", ");
  const picture = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width: Math.ceil(width), height: Math.ceil(y + 4), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(y + 4)}`, "font-family": family },
    svg("title", null, name), svg("desc", null, data.canary), svg("rect", { width: "100%", height: "100%", fill: paper }), ...drawn);
  return new XMLSerializer().serializeToString(picture);
}

/** The pieces of a node's text, each with its place: one, or one for each line that it stands on. */
function piecesOf(node) {
  const content = node.firstChild, pieces = [], range = document.createRange();
  let start = 0, from = null;
  const boxOf = (begin, end) => { range.setStart(content, begin); range.setEnd(content, end); return range.getBoundingClientRect(); };
  for (let at = 0; at < content.length; at++) {
    const { top } = boxOf(at, at + 1);
    if (from !== null && Math.abs(top - from) > 4) { pieces.push([content.data.slice(start, at), boxOf(start, at)]); start = at; }
    from = top;
  }
  pieces.push([content.data.slice(start), boxOf(start, content.length)]);
  return pieces;
}

/** Text in lines of so many letters, broken at spaces. */
function folded(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const at = lines.length - 1;
    if (lines[at] && lines[at].length + word.length >= letters) lines.push(word);
    else lines[at] += (lines[at] ? " " : "") + word;
  }
  return lines;
}

/** The name of a file of what is shown: letters and digits of item, layers and head. */
function fileName(ending) {
  const one = data.cases[state.item], [layers, heads] = viewChoice(one.rows[state.row]);
  const parts = ["attention", one.item, one.variant, layers && `layers-${layers}`, heads && heads !== settings.heads && `head-${heads}`];
  return `${parts.filter(Boolean).join("-").replace(/[^\p{L}\p{N}.-]+/gu, "-")}.${ending}`;
}

function exportButtons() {
  const told = el("span", { class: "quiet", role: "status" });
  const button = (ending, make) => el("button", {
    type: "button", "data-focus": `export-${ending}`,
    onclick: async () => {
      try {
        save(fileName(ending), await make());
        told.textContent = "";
      } catch (error) {
        told.textContent = t("no_file", { ending: ending.toUpperCase(), why: error.message });
      }
    },
  }, ending.toUpperCase());
  return el("fieldset", null, el("span", null, t("export_view")), el("div", { class: "row" },
    button("svg", () => new Blob([viewSvg()], { type: "image/svg+xml" })),
    button("png", () => pngOf(viewSvg())),
    button("csv", () => new Blob([viewCsv()], { type: "text/csv" })), told));
}
