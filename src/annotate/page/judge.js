// Judging: by the questions of a scheme.

/** Judgements of a unit, by question. The object has no other properties, whatever the question ids. */
const judgementsOf = (unit) => Object.assign(Object.create(null), state.records[unit.id]?.judgements);

function noteJudgement(unit, question, value) {
  const before = state.records[unit.id] || {};
  const judgements = judgementsOf(unit);
  if (value === undefined) delete judgements[question.id];
  else judgements[question.id] = value;
  note({ judgements, ...(before.comment ? { comment: before.comment } : {}), facts: unit.facts || {}, words: unit.words });
  drawGo();
}

function noteComment(unit, comment) {
  note({ judgements: judgementsOf(unit), ...(comment.trim() ? { comment } : {}), facts: unit.facts || {}, words: unit.words });
}

const named = (list, id) => { const found = list.find((one) => one.id === id); return found ? say(found.title) : id; };

/** Somebody's answer to a question, in words. */
function valueText(question, value) {
  if (value === undefined) return "\u2013";
  if (question.kind === "scale") return String(value);
  if (question.kind === "label") return named(question.labels, value);
  if (!value.length) return t("none");
  if (question.kind === "labels") return value.map((id) => named(question.labels, id)).join(", ");
  return value.map((span) => `\u201c${span.place.text}\u201d: ${named(question.labels, span.label)}, ${named(question.severities, span.severity)}`).join("; ");
}

function said(unit, question) {
  if (!unit.before?.length) return null;
  return el("p", { class: "quiet" }, unit.before.map((one) => `${one.rater}: ${valueText(question, Object.hasOwn(one.judgements, question.id) ? one.judgements[question.id] : undefined)}`).join(" \u00b7 "));
}

const labelText = (label) => el("span", null, saying(label.title), say(label.help || "") ? el("small", null, saying(label.help)) : null);

function questionSet(unit, question) {
  const value = judgementsOf(unit)[question.id];
  const set = (next) => noteJudgement(unit, question, next);
  const row = (kind, checked, choose, content) => el("label", { class: "option plain" }, el("input", { type: kind, name: `${question.id}${kind === "radio" ? "" : Math.random()}`, checked, onchange: choose }), content);
  const heading = [el("legend", null, saying(question.title)), say(question.help || "") ? el("p", { class: "quiet" }, saying(question.help)) : null, said(unit, question)];
  if (question.kind === "scale") {
    const [low, high] = question.scale;
    const steps = Array.from({ length: high - low + 1 }, (_, step) => low + step).map((step) =>
      el("label", null, el("input", { type: "radio", name: question.id, checked: value === step, onchange: () => set(step) }), String(step)));
    return el("fieldset", { "data-question": question.id }, ...heading, el("div", { class: "scale" }, ...steps),
      el("div", { class: "ends quiet" }, ...[[low, question.low], [high, question.high]].map(([step, meaning]) => el("span", null, `${step}: `, saying(meaning)))));
  }
  if (question.kind === "label") {
    return el("fieldset", { "data-question": question.id }, ...heading, el("div", { class: "options" },
      ...question.labels.map((label) => row("radio", value === label.id, () => set(label.id), labelText(label)))));
  }
  if (question.kind === "labels") {
    const chosen = new Set(value || []);
    const flip = (id) => { chosen.has(id) ? chosen.delete(id) : chosen.add(id); set(question.labels.map((label) => label.id).filter((one) => chosen.has(one))); draw(); };
    return el("fieldset", { "data-question": question.id }, ...heading, el("div", { class: "options" },
      ...question.labels.map((label) => row("checkbox", chosen.has(label.id), () => flip(label.id), labelText(label))),
      row("checkbox", value !== undefined && chosen.size === 0, () => { set(value?.length === 0 ? undefined : []); draw(); }, el("span", null, t("none")))));
  }
  const spans = value || [];
  const rows = spans.map((span, at) => el("li", null, el("b", null, String(at + 1)), el("span", { dir: "auto" }, valueText(question, [span])),
    el("button", { type: "button", "aria-label": t("remove", { word: span.place.text }), onclick: () => { set(spans.length > 1 ? spans.filter((_, other) => other !== at) : undefined); draw(); } }, "\u2715")));
  return el("fieldset", { "data-question": question.id }, ...heading, el("p", { class: "quiet" }, t("spans_how")), el("ol", { class: "marks" }, ...rows),
    el("div", { class: "options" }, row("checkbox", value !== undefined && !spans.length, () => { set(value?.length === 0 ? undefined : []); draw(); }, el("span", null, t("no_faults")))));
}

/** Asks for the fault of a span and its severity. */
function askSpan(unit, question, found) {
  const box = document.getElementById("choose");
  const spans = judgementsOf(unit)[question.id] || [];
  const picked = { label: null, severity: null };
  const save = el("button", { type: "button", class: "main", disabled: true, onclick: () => { box.close(); noteJudgement(unit, question, [...spans, { place: found, ...picked }]); draw(); } }, t("add"));
  const group = (title, key, list) => el("fieldset", null, el("legend", null, title), el("div", { class: "options" }, ...list.map((one) =>
    el("label", { class: "option plain" }, el("input", { type: "radio", name: `span-${key}`, value: one.id, onchange: () => { picked[key] = one.id; save.disabled = !(picked.label && picked.severity); } }), labelText(one)))));
  box.replaceChildren(el("p", { lang: unit.language, dir: unit.rtl ? "rtl" : "ltr" }, el("strong", null, found.text)), group(t("what_fault"), "label", question.labels), group(t("how_bad"), "severity", question.severities),
    el("div", { class: "wide" }, save, el("button", { type: "button", onclick: () => box.close() }, t("cancel"))));
  box.showModal();
}

/** The text judged, with selectable words if spans are needed. */
function judgedCard(unit) {
  const spans = head.scheme.questions.find((question) => question.kind === "spans");
  const numbers = unit.judged || [];
  if (!numbers.length) return null;
  if (!spans) return card(unit.texts.length || unit.options?.length ? t("the_answer") : null, ...texts(numbers, unit));
  const pieces = piecesOf(numbers);
  const marks = () => judgementsOf(unit)[spans.id] || [];
  const paint = (span, own) => span.classList.toggle("mark", marks().some(({ place: { words } }) => words && within(pieces[own], words)));
  const field = wordField(numbers, unit, (from, to) => askSpan(unit, spans, placeOf(pieces, numbers, from, to)), paint);
  if (!unit.beside) return card(null, field);
  const name = (code) => head.languages.find(([one]) => one === code)?.[1] || code;
  return el("div", { class: "pair" }, card(`${t("translation")}: ${name(unit.language)}`, field), card(`${t("original")}: ${name(unit.beside.language)}`, ...texts(unit.beside.texts, unit.beside)));
}

function judgeCards({ unit }) {
  const shown = (unit.options || []).map((option, at) => el("div", { class: "option shown", dir: unit.rtl ? "rtl" : "ltr" }, el("span", { class: "label" }, letter(at)),
    el("span", { lang: unit.language, dir: unit.rtl ? "rtl" : "ltr" }, ...written(option)),
    el("span", { class: "tag" }, [unit.chosen?.includes(at) ? t("chosen") : "", unit.gold?.includes(at) ? t("right_answer") : ""].filter(Boolean).join(", "))));
  return [
    storyCard(unit),
    shown.length ? card(null, el("div", { class: "options" }, ...shown)) : null,
    judgedCard(unit),
    card(saying(head.scheme.title), say(head.scheme.help || "") ? el("p", { class: "quiet says" }, saying(head.scheme.help)) : null,
      ...head.scheme.questions.map((question) => questionSet(unit, question)),
      unit.before?.some((one) => one.comment) ? el("p", { class: "quiet" }, ...unit.before.filter((one) => one.comment).map((one) => `${one.rater}: ${one.comment} `)) : null,
      el("label", null, el("span", { class: "quiet" }, t("comment")), el("textarea", { rows: 2, onchange: (event) => noteComment(unit, event.target.value) }, state.records[unit.id]?.comment || ""))),
  ];
}

modes.judge = {
  complete: (record) => head.scheme.questions.every((question) => Object.hasOwn(record.judgements, question.id)),
  written: (record) => record,
  cards: judgeCards,
  key() {},
  right: () => null,
};
