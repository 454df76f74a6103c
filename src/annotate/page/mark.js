// Marking: the deciding words, and the point at which the person was sure.

const markedTexts = (unit) => [...unit.texts, ...(unit.question !== undefined ? [unit.question] : [])];

function markOf(unit) {
  const { keywords = [], read_to = null, unknown } = state.records[unit.id] || {};
  return { keywords: [...keywords], read_to, unknown };
}

function noteMarks(unit, { keywords, read_to, unknown }) {
  if (!keywords.length && !read_to && !unknown) note(null);
  else note({ keywords, ...(read_to ? { read_to } : {}), ...(unknown ? { unknown } : {}), words: unit.words });
  drawGo();
}

function marksList(unit, changed) {
  const marks = markOf(unit);
  const change = () => { noteMarks(unit, marks); changed(); };
  const move = (at) => { const [one] = marks.keywords.splice(at, 1); marks.keywords.splice(at - 1, 0, one); change(); };
  const rows = marks.keywords.map((mark, at) => el("li", null, el("b", null, String(at + 1)), el("span", { lang: unit.language, dir: "auto" }, mark.text),
    at ? el("button", { type: "button", "aria-label": t("more_important", { word: mark.text }), onclick: () => move(at) }, "\u2191") : null,
    el("button", { type: "button", "aria-label": t("remove", { word: mark.text }), onclick: () => { marks.keywords.splice(at, 1); change(); } }, "\u2715")));
  const sure = marks.read_to ? el("li", null, el("b", null, "\u2690"), el("span", { dir: "auto" }, `${t("sure_here")}: ${marks.read_to.text}`),
    el("button", { type: "button", "aria-label": t("remove", { word: marks.read_to.text }), onclick: () => { marks.read_to = null; change(); } }, "\u2715")) : null;
  return el("ol", { class: "marks", "aria-live": "polite" }, ...rows, sure);
}

function markCards({ unit }, others) {
  const numbers = markedTexts(unit);
  const pieces = piecesOf(numbers);
  const paint = (span, own) => {
    const { keywords, read_to } = markOf(unit);
    const at = keywords.findIndex((mark) => within(pieces[own], mark.words));
    span.classList.toggle("mark", at >= 0);
    span.classList.toggle("beyond", read_to !== null && pieces[own].word > read_to.words[1]);
    if (!span.classList.contains("w")) return;
    span.classList.toggle("sure", read_to !== null && pieces[own].word === read_to.words[1]);
    span.setAttribute("aria-pressed", at >= 0);
    if (at >= 0 && pieces[own].word === keywords[at].words[0]) span.dataset.rank = at + 1;
    else delete span.dataset.rank;
  };
  const pick = (from, to) => {
    const marks = markOf(unit);
    delete marks.unknown;
    if (state.tool === "sure") {
      marks.read_to = placeOf(pieces, numbers, to, to);
      state.tool = "words";
    } else {
      const crossed = marks.keywords.filter((mark) => mark.words[0] <= pieces[to].word && mark.words[1] >= pieces[from].word);
      marks.keywords = marks.keywords.filter((mark) => !crossed.includes(mark));
      if (!(from === to && crossed.length)) marks.keywords.push(placeOf(pieces, numbers, from, to));
    }
    noteMarks(unit, marks);
    list.replaceWith((list = marksList(unit, draw)));
    for (const button of tools.querySelectorAll("button")) button.setAttribute("aria-pressed", button.dataset.tool === state.tool);
  };
  const tool = (name, text) => el("button", { type: "button", "data-tool": name, "aria-pressed": state.tool === name ? "true" : "false", onclick: () => { state.tool = name; draw(); } }, text);
  const tools = el("div", { class: "row", role: "group" }, tool("words", t("tool_words")), tool("sure", t("tool_sure")));
  let list = marksList(unit, draw);
  const options = (unit.options || []).map((option, at) => el("div", { class: "option shown", dir: unit.rtl ? "rtl" : "ltr" }, el("span", { class: "label" }, letter(at)),
    el("span", { lang: unit.language, dir: unit.rtl ? "rtl" : "ltr" }, ...written(option)), el("span", { class: "tag" }, unit.gold?.includes(at) ? t("right_answer") : "")));
  return [
    card(null, el("p", { class: "quiet" }, t("mark_how")), tools, wordField(numbers, unit, pick, paint)),
    options.length ? card(null, el("div", { class: "options" }, ...options)) : null,
    card(t("your_marks"), list, el("div", { class: "wide" }, el("button", { type: "button", "aria-pressed": markOf(unit).unknown ? "true" : "false", onclick: () => { noteMarks(unit, { keywords: [], read_to: null, unknown: true }); draw(); } }, t("no_words")))),
    others,
  ];
}

modes.mark = {
  complete: (record) => record.unknown === true || record.keywords.length > 0,
  written: (record) => record,
  cards: markCards,
  key() {},
  goOn: () => { if (isDone(idAt(state.at))) step(1); },
  right: () => null,
};
