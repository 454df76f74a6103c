// Selection of words in a text: by click, by dragging over several, or by keys.

const isWord = (piece) => /[\p{L}\p{N}]/u.test(piece);

/** The pieces of texts in order, each with its text, its position there, and its or the last word's number. */
function piecesOf(numbers) {
  let word = -1;
  return numbers.flatMap((number) => {
    const { kind, words, text } = body.texts[number];
    let start = 0;
    return (words || [text]).map((piece) => {
      if (isWord(piece)) word += 1;
      const found = { piece, kind, number, start, word };
      start += piece.length;
      return found;
    });
  });
}

/** Whether a piece is within a place: from its first to its last word, including everything between. */
const within = ({ piece, word }, [first, last]) => word >= first && (isWord(piece) ? word <= last : word < last);

/** Place of a range of pieces: their text, and the number of its occurrence in texts of this kind. */
function placeOf(pieces, numbers, from, to) {
  const text = pieces.slice(from, to + 1).map((one) => one.piece).join("");
  const { kind, number, start } = pieces[from];
  const words = [pieces[from].word, pieces[to].word];
  let occurrence = 0;
  for (const other of numbers.filter((candidate) => body.texts[candidate].kind === kind)) {
    const whole = body.texts[other].text ?? body.texts[other].words.join("");
    for (let at = whole.indexOf(text); at >= 0; at = whole.indexOf(text, at + 1)) {
      occurrence += 1;
      if (other === number && at === start) return { text, part: kind, occurrence, words };
    }
  }
  return { text, part: kind, occurrence: 1, words };
}

/** Texts with selectable words. `pick(from, to)` receives pieces by number; `paint(span, number)` marks a piece. */
function wordField(numbers, unit, pick, paint) {
  const pieces = piecesOf(numbers);
  const spans = [];
  let number = 0;
  const blocks = numbers.map((text, at) => {
    const kind = body.texts[text].kind;
    const block = el("div", { class: `text of-${kind}`, lang: unit.language, dir: unit.rtl ? "rtl" : "ltr" });
    for (const piece of body.texts[text].words || [body.texts[text].text]) {
      const own = number++;
      const span = isWord(piece)
        ? el("span", { class: "w", "data-i": own, "data-text": at, role: "button", tabindex: own === pieces.findIndex((one) => isWord(one.piece)) ? 0 : -1 }, piece)
        : el("span", { class: "s" }, ...written(piece));
      spans.push(span);
      block.append(span);
    }
    const named = numbers.length > 1 && (at === 0 || body.texts[numbers[at - 1]].kind !== kind);
    return named ? [el("p", { class: "part" }, t(`part_${kind}`)), block] : [block];
  });
  const field = el("div", { class: "field" }, ...blocks.flat());
  let from = null, to = null;
  const wordAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".w");
  const inField = (word) => (word && field.contains(word) ? word : null);
  const between = (own) => from !== null && own >= Math.min(from, to) && own <= Math.max(from, to);
  const dragged = () => spans.forEach((span, own) => span.classList.toggle("drag", from !== to && between(own) && span.classList.contains("w")));
  const repaint = () => spans.forEach((span, own) => paint(span, own));
  const end = () => { from = to = null; dragged(); };
  const done = (first, last) => { pick(Math.min(first, last), Math.max(first, last)); repaint(); };
  field.addEventListener("pointerdown", (event) => {
    const word = inField(wordAt(event));
    if (!word || event.button) return;
    from = to = Number(word.dataset.i);
  });
  field.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const word = inField(wordAt(event));
    if (word && word.dataset.text === spans[from].dataset.text) { to = Number(word.dataset.i); dragged(); }
  });
  field.addEventListener("pointerup", () => {
    if (from === null) return;
    const [first, last] = [from, to];
    end();
    done(first, last);
  });
  field.addEventListener("pointercancel", end);
  // Screen readers click without a pointer.
  field.addEventListener("click", (event) => {
    const word = inField(event.target.closest(".w"));
    if (word && event.detail === 0) done(Number(word.dataset.i), Number(word.dataset.i));
  });
  field.addEventListener("keydown", (event) => {
    const word = inField(event.target.closest(".w"));
    if (!word) return;
    const own = Number(word.dataset.i);
    const words = spans.filter((span) => span.classList.contains("w"));
    const ahead = unit.rtl ? "ArrowLeft" : "ArrowRight", back = unit.rtl ? "ArrowRight" : "ArrowLeft";
    if (event.key === ahead || event.key === back) {
      const next = words[words.indexOf(word) + (event.key === ahead ? 1 : -1)];
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.shiftKey && next.dataset.text === word.dataset.text) { from ??= own; to = Number(next.dataset.i); dragged(); } else if (from !== null) end();
      word.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      const [first, last] = from === null ? [own, own] : [from, to];
      end();
      done(first, last);
    }
  });
  repaint();
  return field;
}
