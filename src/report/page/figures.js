// Figures as files: the picture as SVG or PNG, and its data.

/** A text beside a bar, at the size it has on the page. */
function wordsOf(node, x, y, anchor) {
  const style = getComputedStyle(node);
  return svg("text", { x, y, fill: style.color, "font-size": style.fontSize, "font-family": style.fontFamily, "text-anchor": anchor }, node.textContent.replace(/\s+/g, " ").trim());
}

/** Bars of the page as one picture, line by line where they stand. */
function barsSvg(figure) {
  const around = figure.getBoundingClientRect();
  const place = (node) => { const box = node.getBoundingClientRect(); return { x: box.left - around.left, y: box.top - around.top, width: box.width, height: box.height }; };
  const drawn = [];
  for (const node of figure.querySelectorAll("figcaption, .legend > span, .barline .name, .barline .value > *")) {
    const { x, y, width, height } = place(node);
    if (!width || !node.textContent.trim()) continue;
    const swatch = node.querySelector(".swatch, .mark");
    const own = wordsOf(node, x, y + height * 0.72);
    if (node.matches(".name")) { own.setAttribute("x", x + width); own.setAttribute("text-anchor", "end"); }
    if (swatch) {
      const at = place(swatch);
      own.setAttribute("x", at.x + at.width + 6);
      drawn.push(swatch.matches("svg") ? placed(swatch, at) : swatchOf(swatch, at));
      if (swatch.matches("svg")) own.textContent = own.textContent.replace(swatch.textContent.replace(/\s+/g, " ").trim(), "").trim();
    }
    drawn.push(own);
  }
  for (const plot of figure.querySelectorAll(".plot")) drawn.push(placed(plot, place(plot)));
  const defs = frozen(document.querySelector(".patterns defs"));
  const last = figure.querySelector(".bars");
  return whole(Math.ceil(around.width), Math.ceil(place(last).y + place(last).height + 8), figure.querySelector("figcaption").textContent, [defs, ...drawn]);
}

function placed(picture, { x, y, width, height }) {
  const copy = frozen(picture);
  for (const [name, value] of Object.entries({ x, y, width, height, overflow: "visible" })) copy.setAttribute(name, value);
  return copy;
}

/** A mark of the legend: HTML on the page, so drawn again. */
function swatchOf(node, { x, y, width, height }) {
  const style = getComputedStyle(node), middle = y + height / 2;
  const ink = getComputedStyle(document.body).color;
  if (node.matches(".range")) return svg("line", { x1: x, x2: x + width, y1: middle, y2: middle, stroke: ink, "stroke-width": 1.5 });
  if (node.matches(".chance")) return svg("line", { x1: x, x2: x, y1: y, y2: y + 12, stroke: ink, "stroke-width": 1.5, "stroke-dasharray": "3 2" });
  if (node.matches(".best")) return svg("path", { d: `M ${x + 5} ${y + 9} l 5 -8 h -10 z`, fill: style.borderTopColor });
  const border = { stroke: style.borderTopColor, "stroke-width": parseFloat(style.borderTopWidth) || 0, fill: style.backgroundColor };
  if (node.matches(".human")) return svg("circle", { cx: x + 5, cy: middle, r: 4, ...border });
  return svg("rect", { x, y, width, height, ...border });
}

function whole(width, height, title, nodes) {
  const paper = getComputedStyle(document.querySelector(".card")).backgroundColor;
  const picture = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    svg("title", null, title), svg("rect", { width: "100%", height: "100%", fill: paper }), ...nodes);
  return new XMLSerializer().serializeToString(picture);
}

/** A drawn chart as it looks, on the page's paper. */
function chartSvg(chart) {
  const { width, height } = chart.viewBox.baseVal;
  return whole(width, height, chart.querySelector("title").textContent, [placed(chart, { x: 0, y: 0, width, height })]);
}

/** Names of the words of charts by their English text. */
const chartWords = new Map(Object.entries(tongue.texts.en).filter(([name]) => name.startsWith("chart_")).map(([name, text]) => [text, name.slice("chart_".length)]));

/** Draws charts once the part that holds them is open. */
function drawCharts() {
  for (const figure of document.querySelectorAll("figure[data-figure]:empty")) {
    if (figure.closest("details:not([open])")) continue;
    figure.innerHTML = own.data.figures[figure.dataset.figure].svg;
    if (isEnglish()) continue;
    for (const text of figure.querySelectorAll("text")) if (chartWords.has(text.textContent)) text.textContent = t(`chart_${chartWords.get(text.textContent)}`);
  }
}
drawCharts();
document.getElementById("overview").addEventListener("toggle", drawCharts, true);
addEventListener("beforeprint", drawCharts);

for (const figure of document.querySelectorAll("figure[data-figure]")) {
  const picture = () => (figure.matches(".plotted") ? barsSvg(figure) : chartSvg(figure.querySelector("svg")));
  const told = el("span", { class: "quiet", role: "status" });
  const button = (ending, make) => el("button", { type: "button", "aria-label": t("as_file", { name: figure.dataset.file, ending: ending.toUpperCase() }), onclick: async () => {
    try {
      save(fileNameOf([figure.dataset.file], ending), await make());
      told.textContent = "";
    } catch (error) {
      told.textContent = t("no_file", { ending: ending.toUpperCase(), why: error.message });
    }
  } }, ending.toUpperCase());
  figure.after(el("div", { class: "controls row files" },
    button("svg", () => new Blob([picture()], { type: "image/svg+xml" })),
    button("png", () => pngOf(picture())),
    button("tsv", () => new Blob([own.data.figures[figure.dataset.figure].tsv], { type: "text/tab-separated-values" })), told));
}
