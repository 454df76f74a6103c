// Judging: by the questions of a scheme.

/** Judgements of a unit, by question. The object has no other properties, whatever the question ids. */
const judgementsOf = (unit) => Object.assign(Object.create(null), state.records[unit.id]?.judgements);

function noteJudgement(unit, question, value) {
  const judgements = judgementsOf(unit);
  if (value === undefined) delete judgements[question.id];
  else judgements[question.id] = value;
  noteJudged(unit, { judgements });
  drawGo();
}

/** Notes a unit with some parts of its record changed. */
function noteJudged(unit, change) {
  const { judgements, comment, edits } = { judgements: judgementsOf(unit), ...state.records[unit.id], ...change };
  note({ judgements, ...(comment?.trim() ? { comment } : {}), ...(edits?.length ? { edits } : {}), facts: unit.facts || {}, words: unit.words });
}

/** Fields in which the text judged can be corrected; a field as it was is no edit. */
function editCard(unit) {
  if (!unit.editable) return null;
  const edits = () => state.records[unit.id]?.edits || [];
  const field = (number, at) => {
    const { kind, text, words } = body.texts[number], before = text ?? words.join("");
    const change = (event) => {
      const after = event.target.value, others = edits().filter((edit) => edit.at !== at), taken = edits().some((edit) => edit.at === at && edit.taken);
      const own = after !== before && after.trim() ? [{ at, part: kind, before, after, ...(taken ? { taken } : {}) }] : [];
      noteJudged(unit, { edits: [...others, ...own].sort((one, next) => one.at - next.at) });
    };
    const known = edits().find((edit) => edit.at === at);
    return el("label", null, el("span", { class: "quiet" }, t(`part_${kind}`)), el("textarea", { id: `edit/${at}`, rows: before.length > 120 ? 7 : 2,
      lang: unit.language, dir: unit.rtl ? "rtl" : "ltr", onchange: change }, known ? known.after : before));
  };
  const all = (numbers) => numbers.map((number) => body.texts[number].text ?? body.texts[number].words.join(""));
  const [own, other] = [all(unit.judged), unit.other ? all(unit.other.texts) : null];
  const take = (chosen) => () => {
    const taken = chosen.map((after, at) => ({ at, part: body.texts[unit.judged[at]].kind, before: own[at], after, taken: true })).filter((edit) => edit.after !== edit.before);
    noteJudged(unit, { edits: taken });
    draw();
  };
  const choice = other ? el("div", { class: "wide" }, el("button", { type: "button", id: "take-own", onclick: take(own) }, t("take_own")),
    el("button", { type: "button", id: "take-other", onclick: take(other) }, t("take_other"))) : null;
  return card(t("corrected"), choice, ...unit.judged.map(field));
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

/** What each person said, side by side, each to be taken over. */
function saidCard(unit) {
  if (!unit.before?.length) return null;
  const answer = (question, one) => valueText(question, Object.hasOwn(one.judgements, question.id) ? one.judgements[question.id] : undefined);
  const take = (one) => () => { note({ judgements: Object.assign(Object.create(null), one.judgements), facts: unit.facts || {}, words: unit.words }); draw(); };
  const questions = head.scheme.questions.map((question) => {
    const said = unit.before.map((one) => answer(question, one));
    return el("tr", { class: new Set(said).size > 1 ? "differs" : null }, el("th", { scope: "row" }, saying(question.title)),
      ...said.map((text, at) => el("td", { dir: "auto", "data-head": unit.before[at].rater }, text)));
  });
  const remarks = unit.before.some((one) => one.comment)
    ? el("tr", null, el("th", { scope: "row" }, t("comment")), ...unit.before.map((one) => el("td", { dir: "auto", "data-head": one.rater }, one.comment || "\u2013"))) : null;
  return card(null, el("table", { class: "said" }, el("caption", null, t("said")),
    el("thead", null, el("tr", null, el("th", { scope: "col" }, t("part_question")), ...unit.before.map((one) => el("th", { scope: "col" }, one.rater)))),
    el("tbody", null, ...questions, remarks)),
    el("div", { class: "wide" }, ...unit.before.map((one) => el("button", { type: "button", id: `take-${one.rater}`, onclick: take(one) }, t("take", { rater: one.rater })))));
}

/** The digit that chooses a row. */
const keyOf = (digit) => (digit <= 9 ? el("kbd", { class: "digit", "aria-hidden": "true" }, String(digit)) : null);

const labelText = (label) => el("span", null, saying(label.title), say(label.help || "") ? el("small", null, saying(label.help)) : null);

function questionSet(unit, question) {
  const value = judgementsOf(unit)[question.id];
  const set = (next) => noteJudgement(unit, question, next);
  const row = (kind, digit, checked, choose, content) => el("label", { class: "option plain" }, el("input", { type: kind, name: question.id, id: `${question.id}/${digit}`, "data-digit": digit, checked, onchange: choose }), content, keyOf(digit));
  const heading = [el("legend", null, saying(question.title)), say(question.help || "") ? el("p", { class: "quiet" }, saying(question.help)) : null];
  if (question.kind === "scale") {
    const [low, high] = question.scale;
    const steps = Array.from({ length: high - low + 1 }, (_, step) => low + step).map((step) =>
      el("label", null, el("input", { type: "radio", name: question.id, "data-digit": step, checked: value === step, onchange: () => set(step) }), String(step)));
    return el("fieldset", { "data-question": question.id }, ...heading, el("div", { class: "scale" }, ...steps),
      el("div", { class: "ends quiet" }, ...[[low, question.low], [high, question.high]].map(([step, meaning]) => el("span", null, `${step}: `, saying(meaning)))));
  }
  if (question.kind === "label") {
    return el("fieldset", { "data-question": question.id }, ...heading, el("div", { class: "options" },
      ...question.labels.map((label, at) => row("radio", at + 1, value === label.id, () => set(label.id), labelText(label)))));
  }
  if (question.kind === "labels") {
    const chosen = new Set(value || []);
    const flip = (id) => { chosen.has(id) ? chosen.delete(id) : chosen.add(id); set(question.labels.map((label) => label.id).filter((one) => chosen.has(one))); draw(); };
    return el("fieldset", { "data-question": question.id }, ...heading, el("div", { class: "options" },
      ...question.labels.map((label, at) => row("checkbox", at + 1, chosen.has(label.id), () => flip(label.id), labelText(label))),
      row("checkbox", 0, value !== undefined && chosen.size === 0, () => { set(value?.length === 0 ? undefined : []); draw(); }, el("span", null, t("none")))));
  }
  const spans = value || [];
  const rows = spans.map((span, at) => el("li", null, el("b", null, String(at + 1)), el("span", { dir: "auto" }, valueText(question, [span])),
    el("button", { type: "button", "aria-label": t("remove", { word: span.place.text }), onclick: () => { set(spans.length > 1 ? spans.filter((_, other) => other !== at) : undefined); draw(); } }, "\u2715")));
  return el("fieldset", { "data-question": question.id }, ...heading, el("p", { class: "quiet" }, t("spans_how")), rows.length ? el("ol", { class: "marks" }, ...rows) : null,
    el("div", { class: "options" }, row("checkbox", 0, value !== undefined && !spans.length, () => { set(value?.length === 0 ? undefined : []); draw(); }, el("span", null, t("no_faults")))));
}

/** Asks for the fault of a span and its severity. */
function askSpan(unit, question, found) {
  const box = document.getElementById("choose");
  const spans = judgementsOf(unit)[question.id] || [];
  const picked = { label: null, severity: null };
  const save = el("button", { type: "button", class: "main", disabled: true, onclick: () => { box.close(); noteJudgement(unit, question, [...spans, { place: found, ...picked }]); draw(); } }, t("add"));
  const group = (title, key, list) => el("fieldset", null, el("legend", null, title), el("div", { class: "options" }, ...list.map((one, at) =>
    el("label", { class: "option plain" }, el("input", { type: "radio", name: `span-${key}`, value: one.id, "data-digit": at + 1, onchange: () => { picked[key] = one.id; save.disabled = !(picked.label && picked.severity); } }), labelText(one), keyOf(at + 1)))));
  box.replaceChildren(el("p", { lang: unit.language, dir: unit.rtl ? "rtl" : "ltr" }, el("strong", null, found.text)), group(t("what_fault"), "label", question.labels), group(t("how_bad"), "severity", question.severities),
    el("div", { class: "wide" }, save, el("button", { type: "button", onclick: () => box.close() }, t("cancel"))));
  box.showModal();
}

/** The text judged, with selectable words if spans are needed. */
function judgedTexts(unit) {
  const spans = head.scheme.questions.find((question) => question.kind === "spans");
  const numbers = unit.judged || [];
  if (!spans || !numbers.length) return texts(numbers, unit);
  const pieces = piecesOf(numbers);
  const marks = () => judgementsOf(unit)[spans.id] || [];
  const paint = (span, own) => span.classList.toggle("mark", marks().some(({ place: { words } }) => words && within(pieces[own], words)));
  return [wordField(numbers, unit, (from, to) => askSpan(unit, spans, placeOf(pieces, numbers, from, to)), paint)];
}

/** Text to read on the left, what is judged and by which questions on the right; on narrow screens the text is a line that opens, open at first if it is what is judged. */
function sides(name, unit, reading, judged, alone) {
  if (!reading.length) return el("div", { class: "sides single" }, el("div", { class: "side judged" }, ...judged));
  const unfolded = state.unfolded ?? alone;
  const [first] = reading.filter((node) => node.classList.contains("text"));
  const fold = el("button", { type: "button", class: "fold", id: "fold", "aria-expanded": unfolded ? "true" : "false", onclick: () => { state.unfolded = !unfolded; draw(); } },
    el("span", null, `${name}: `), el("span", { lang: unit.language, dir: unit.rtl ? "rtl" : "ltr" }, first.textContent.trim().slice(0, 90)));
  return el("div", { class: "sides" },
    el("div", { class: `reading${unfolded ? " open" : ""}` }, fold, el("div", { class: "side", tabindex: 0, role: "region", "aria-label": name }, card(name, ...reading))),
    el("div", { class: "side judged", tabindex: 0, role: "region", "aria-label": t("the_answer") }, ...judged));
}

function judgeCards({ unit }, list) {
  const shown = (unit.options || []).map((option, at) => el("div", { class: "option shown", dir: unit.rtl ? "rtl" : "ltr" }, el("span", { class: "label" }, letter(at)),
    el("span", { lang: unit.language, dir: unit.rtl ? "rtl" : "ltr" }, ...written(option)),
    el("span", { class: "tag" }, [unit.chosen?.includes(at) ? t("chosen") : "", unit.gold?.includes(at) ? t("right_answer") : ""].filter(Boolean).join(", "))));
  const asked = unit.question !== undefined ? card(null, textNode(unit.question, unit), shown.length ? el("div", { class: "options" }, ...shown) : null) : null;
  const form = card(saying(head.scheme.title), say(head.scheme.help || "") ? el("p", { class: "quiet says" }, saying(head.scheme.help)) : null,
    ...head.scheme.questions.map((question) => questionSet(unit, question)),
    el("label", null, el("span", { class: "quiet" }, t("comment")), el("textarea", { rows: 2, onchange: (event) => noteJudged(unit, { comment: event.target.value }) }, state.records[unit.id]?.comment || "")));
  const judged = judgedTexts(unit);
  const alone = judged.length > 0 && !unit.beside && !unit.texts.length;
  const reading = unit.beside ? texts(unit.beside.texts, unit.beside) : alone ? judged : texts(unit.texts, unit);
  const isPlan = body.texts[unit.beside?.texts[0]]?.kind === "sketch";
  const name = isPlan ? t("part_sketch") : unit.beside ? t("original") : t("part_story");
  if (unit.back) reading.push(el("h2", null, t("back_translation")), ...texts(unit.back.texts, unit.back));
  const adjudicated = unit.before?.length ? el("p", { class: "quiet" }, unit.id) : null;
  const missing = reading.length || judged.length || asked ? null : el("p", { class: "warn" }, t("no_text"));
  const other = unit.other ? card(t("other_translation"), ...texts(unit.other.texts, unit.other)) : null;
  const right = [adjudicated, missing, asked, judged.length && !alone ? card(isPlan ? t("part_story") : unit.beside ? t("translation") : t("the_answer"), ...judged) : null, other, saidCard(unit), form, editCard(unit), list];
  return [sides(name, unit, reading, right.filter(Boolean), alone)];
}

/** Inputs that digits choose: of the question in focus, otherwise of the first open one. */
function digitInputs() {
  const dialog = document.querySelector("dialog[open]");
  if (dialog) return dialog.querySelector("fieldset:not(:has(input:checked))") || [...dialog.querySelectorAll("fieldset")].at(-1);
  const judgements = judgementsOf(unitAt(state.at).unit);
  const sets = [...main.querySelectorAll("[data-question]")];
  return document.activeElement?.closest?.("[data-question]") || sets.find((set) => !Object.hasOwn(judgements, set.dataset.question)) || sets.at(-1);
}

/** Moves to the first open question; true if there is none. */
function focusOpen() {
  const judgements = judgementsOf(unitAt(state.at).unit);
  const set = [...main.querySelectorAll("[data-question]")].find((one) => !Object.hasOwn(judgements, one.dataset.question));
  set?.querySelector("input")?.focus();
  set?.scrollIntoView({ block: "nearest" });
  return !set;
}

modes.judge = {
  complete: (record) => head.scheme.questions.every((question) => Object.hasOwn(record.judgements, question.id)),
  written: (record) => record,
  cards: judgeCards,
  key(digit) {
    const input = digitInputs()?.querySelector(`[data-digit="${digit}"]`);
    if (!input) return;
    input.focus();
    input.click();
    if (input.type === "radio" && main.contains(input)) focusOpen();
  },
  goOn: () => focusOpen() && step(1),
  right: () => null,
};
