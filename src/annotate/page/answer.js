// Answering: the person answers the questions.

const modes = Object.create(null);

/** A text of a unit with its language and direction. */
function textNode(number, unit) {
  const { kind, text, words } = body.texts[number];
  return el("div", { class: `text of-${kind}`, lang: unit.language, dir: unit.rtl ? "rtl" : "ltr" }, ...written(text ?? words.join("")));
}

/** Texts, each preceded by the name of its kind unless the text before has the same kind. */
function texts(numbers, unit) {
  return numbers.flatMap((number, at) => {
    const kind = body.texts[number].kind;
    const named = numbers.length > 1 && (at === 0 || body.texts[numbers[at - 1]].kind !== kind);
    return [named ? el("p", { class: "part" }, t(`part_${kind}`)) : null, textNode(number, unit)];
  }).filter(Boolean);
}

const storyCard = (unit) => (unit.texts.length || unit.question !== undefined
  ? card(null, ...texts(unit.texts, unit), unit.question !== undefined ? textNode(unit.question, unit) : null) : null);

function choiceRow(kind, name, slot, text, unit, checked, choose) {
  return el("label", { class: "option", dir: unit.rtl ? "rtl" : "ltr" },
    el("input", { type: kind, name, value: slot, id: `${name}/${slot}`, checked, onchange: choose }),
    el("span", { class: "label" }, letter(slot)), el("span", { lang: unit.language, dir: unit.rtl ? "rtl" : "ltr" }, ...written(text)));
}

/** A choice that is not one of the options. */
const otherRow = (kind, name, text, checked, choose) => el("label", { class: "option plain" },
  el("input", { type: kind, name, id: `${name}/other`, checked, onchange: choose }), el("span", null, text));

const sameNumbers = (left, right) => left.length === right.length && left.every((value, at) => value === right[at]);

function answerCard(unit, order) {
  const record = state.records[unit.id];
  const choice = record?.choice;
  const set = (value) => { note({ choice: value, order }); drawGo(); };
  const unknown = otherRow(unit.kind === "labels" ? "checkbox" : "radio", "choice", t("unknown"), record?.unknown, () => { note({ choice: null, order, unknown: true }); draw(); });
  if (unit.kind === "slots") return slotsCard(unit, order, record);
  if (unit.kind === "labels") {
    const chosen = new Set(Array.isArray(choice) ? choice : []);
    const flip = (option) => { chosen.has(option) ? chosen.delete(option) : chosen.add(option); set([...chosen].sort((a, b) => a - b)); draw(); };
    const none = otherRow("checkbox", "none", t("none_of_these"), record && !record.unknown && chosen.size === 0, () => { set([]); draw(); });
    return card(t("choose_all"), el("div", { class: "options" }, ...order.map((option, slot) => choiceRow("checkbox", `o${slot}`, slot, unit.options[option], unit, chosen.has(option), () => flip(option))), none, unknown));
  }
  return card(t("choose_one"), el("div", { class: "options", role: "radiogroup" },
    ...order.map((option, slot) => choiceRow("radio", "choice", slot, unit.options[option], unit, choice === option, () => set(option))), unknown));
}

/** A row of options for each slot. */
function slotsCard(unit, order, record) {
  const chosen = (state.draft[unit.id] ||= Array.isArray(record?.choice) ? [...record.choice] : Array(unit.slots).fill(null));
  const set = (at, option) => { chosen[at] = option; if (chosen.every((one) => one !== null)) note({ choice: [...chosen], order }); drawGo(); };
  const rows = chosen.map((one, at) => el("fieldset", null, el("legend", null, `${at + 1}.`),
    el("div", { class: "options" }, ...order.map((option, slot) => choiceRow("radio", `slot${at}`, slot, unit.options[option], unit, one === option, () => set(at, option))))));
  return card(t("choose_each"), ...rows, otherRow("checkbox", "unknown", t("unknown"), record?.unknown, () => { chosen.fill(null); note({ choice: null, order, unknown: true }); draw(); }));
}

modes.answer = {
  complete: (record) => record.choice !== undefined,
  written: (record) => record,
  cards: ({ unit, order }, list) => [storyCard(unit), answerCard(unit, order), list],
  key(digit) {
    const rows = main.querySelectorAll('.options input:not([name="none"])');
    rows[digit === 0 ? rows.length - 1 : digit - 1]?.click();
  },
  goOn: () => { if (isDone(idAt(state.at))) step(1); },
  /** Number of right answers among those given, if the page has the right answers. */
  right() {
    const answered = state.hand.map((_, at) => unitAt(at).unit).filter((unit) => isDone(unit.id));
    if (!answered.length || answered.some((unit) => !unit.gold)) return null;
    const right = answered.filter((unit) => sameNumbers([state.records[unit.id].choice ?? []].flat(), unit.gold));
    return { right: right.length, of: answered.length, wrong: answered.filter((unit) => !right.includes(unit)) };
  },
};
