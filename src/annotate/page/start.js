// The flow: start, units one by one, end.

const atEnd = () => state.at >= state.hand.length;
const paragraphs = (text) => text.split(/\n\s*\n/).filter((one) => one.trim()).map((one) => el("p", { class: "says", dir: "auto" }, one.trim()));

function fileButton() {
  const choose = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    try {
      takeFile(await file.text());
      open(firstOpen());
    } catch (error) {
      tell(error.message);
    }
  };
  return el("label", { class: "file" }, t("go_on_from_file"), el("input", { type: "file", accept: ".jsonl,.json,.txt", id: "file", onchange: choose }));
}

function tell(message) {
  document.getElementById("said")?.remove();
  const line = el("p", { class: "warn", id: "said", role: "alert" }, message);
  main.prepend(line);
  line.scrollIntoView({ block: "nearest" });
}

/** Index of the first unit that is not done, or the end. */
function firstOpen() {
  const found = state.hand.findIndex((_, at) => !isDone(idAt(at)));
  return found < 0 ? state.hand.length : found;
}

function open(at) {
  spend();
  state.at = at;
  state.unfolded = null;
  state.since = document.hidden ? 0 : performance.now();
  keep();
  draw();
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

const step = (by) => open(Math.max(0, Math.min(state.hand.length, state.at + by)));

function startCards() {
  const told = say(head.introduction.text || "");
  const several = head.people.length > 1;
  const button = (code) => el("button", { type: "button", "aria-pressed": state.code === code ? "true" : "false", onclick: () => { choosePerson(code); state.at = -1; draw(); } }, code);
  const done = state.code ? doneCount() : 0;
  return [
    card(null, ...(told ? paragraphs(told) : [el("p", null, t(`mode_${head.mode}`))]),
      head.scheme ? el("p", { class: "quiet" }, saying(head.scheme.title)) : null,
      el("p", { class: "quiet" }, t("kept_here"))),
    card(several ? t("your_code") : null,
      several ? el("div", { class: "codes" }, ...head.people.map(button)) : null,
      state.code ? el("p", null, t("so_far", { done, of: state.hand.length })) : null,
      el("div", { class: "wide" }, el("button", { type: "button", class: "main", id: "begin", disabled: !state.code, onclick: () => open(firstOpen()) }, done ? t("go_on") : t("begin")), fileButton())),
  ];
}

function numbersCard() {
  const buttons = state.hand.map((_, at) => {
    const done = isDone(idAt(at));
    return el("button", { type: "button", class: done ? "done" : null, "aria-current": at === state.at ? "true" : null, "aria-label": `${at + 1}, ${done ? t("done") : t("open")}`, onclick: () => open(at) }, `${at + 1}${done ? " \u2713" : ""}`);
  });
  return el("details", { open: atEnd() || null }, el("summary", null, t("all_of_them")), el("div", { class: "numbers" }, ...buttons));
}

function endCards() {
  const done = doneCount(), of = state.hand.length;
  const told = say(head.introduction.end || "");
  const right = modes[head.mode].right();
  const show = () => {
    const box = document.getElementById("choose");
    const area = el("textarea", { readonly: true }, exported());
    box.replaceChildren(el("p", null, t("copy_how")), area, el("form", { method: "dialog" }, el("button", null, t("close"))));
    box.showModal();
    area.select();
  };
  return [card(null,
    el("h1", null, done === of ? t("all_done") : t("some_open", { open: of - done })),
    right ? el("p", null, t("right_of", { right: right.right, of: right.of })) : null,
    ...(told ? paragraphs(told) : [el("p", null, t("send_file"))]),
    el("div", { class: "wide" }, el("button", { type: "button", class: "main", id: "save", onclick: () => { saveFile(); draw(); } }, t("save_file")),
      el("button", { type: "button", id: "show", onclick: show }, t("show_text")), fileButton())),
    card(null, numbersCard())];
}

/** Progress and navigation. */
function goBar() {
  const done = doneCount(), of = state.hand.length;
  return el("div", { class: "go", id: "go" },
    el("button", { type: "button", id: "previous", disabled: state.at <= 0 && !head.results, onclick: () => (state.at > 0 ? step(-1) : open(-1)) }, t("previous")),
    el("div", { class: "progress" }, bar(of ? done / of : 0, t("so_far", { done, of })), el("small", { class: "quiet", "aria-live": "polite" }, atEnd() ? t("so_far", { done, of }) : `${t("number_of", { number: state.at + 1, of })} \u00b7 ${t("so_far", { done, of })}`)),
    el("button", { type: "button", id: "export", onclick: () => { saveFile(); drawGo(); } }, t("save_file") + (state.unsaved && !state.kept ? " *" : "")),
    atEnd() ? null : el("button", { type: "button", class: isDone(idAt(state.at)) ? "main" : null, id: "next", onclick: () => step(1) }, isDone(idAt(state.at)) ? t("next") : t("skip")));
}

function drawGo() {
  document.getElementById("go")?.replaceWith(goBar());
}

function drawHead() {
  spell();
  const title = say(head.introduction.title || "") || `${t(`how_${head.mode}`)}: ${head.titles}`;
  document.getElementById("title").replaceChildren(el("bdi", null, title));
  document.title = title;
  document.getElementById("skip").textContent = t("skip_to_content");
  document.getElementById("keys").textContent = t("keys");
  document.getElementById("language").setAttribute("aria-label", t("language"));
  nameTheme();
  document.getElementById("help").replaceChildren(el("h2", null, t("keys")),
    ...(head.mode === "answer" ? [el("p", null, el("kbd", null, "1"), "\u2013", el("kbd", null, "9"), ` ${t("key_choose")}, `, el("kbd", null, "0"), ` ${t("unknown")}`)] : []),
    ...(head.mode === "judge" ? [el("p", null, el("kbd", null, "1"), "\u2013", el("kbd", null, "9"), ` ${t("key_labels")}, `, el("kbd", null, "0"), ` ${t("none")}`)] : []),
    el("p", null, el("kbd", null, "Enter"), ` ${t("key_on")}`),
    ...(head.mode === "mark" || head.scheme?.questions.some((question) => question.kind === "spans") ? [el("p", null, el("kbd", null, "\u2190"), el("kbd", null, "\u2192"), ", ", el("kbd", null, "Enter"), ` ${t("key_words")}`)] : []),
    el("p", null, el("kbd", null, "j"), " ", el("kbd", null, "k"), ` ${t("key_steps")}`),
    el("p", null, el("kbd", null, "t"), ` ${t("light")} / ${t("dark")}, `, el("kbd", null, "?"), ` ${t("keys")}`),
    el("form", { method: "dialog" }, el("button", null, t("close"))));
}

/** Scroll positions of the columns, kept while the same unit is drawn again. */
function drawUnit() {
  const sides = () => [...main.querySelectorAll(".side")];
  const scrolled = state.drawn === state.at ? sides().map((side) => side.scrollTop) : [];
  const warn = state.kept ? null : el("p", { class: "warn" }, t("not_kept"));
  const list = card(null, numbersCard());
  const cards = atEnd() ? endCards() : modes[head.mode].cards(unitAt(state.at), list);
  main.replaceChildren(...[warn, ...cards, goBar()].filter(Boolean));
  sides().forEach((side, at) => { side.scrollTop = scrolled[at] || 0; });
  state.drawn = state.at;
}

function draw() {
  drawHead();
  const where = document.activeElement?.id || null;
  const startPage = head.results ? resultCards : startCards;
  document.body.classList.toggle("judging", head.mode === "judge" && state.at >= 0 && !atEnd());
  if (state.at < 0) main.replaceChildren(...startPage());
  else drawUnit();
  if (where) document.getElementById(where)?.focus({ preventScroll: true });
}

async function begin() {
  const languages = document.getElementById("language");
  languages.append(...head.languages.map(([code, name]) => el("option", { value: code, selected: code === tongue.language }, name)));
  languages.addEventListener("change", () => { tongue.language = languages.value; draw(); });
  if (!canUnpack) throw new Error(t("old_browser"));
  body = await unpack(document.getElementById("units").textContent);
  const asked = fragment();
  if (head.people.length === 1) choosePerson(head.people[0]);
  else if (head.people.includes(asked)) choosePerson(asked);
  state.at = -1;
  draw();
}

const working = () => state.at >= 0 && !document.querySelector("dialog[open]");
const choosing = () => document.getElementById("choose").open && document.querySelector("#choose fieldset");
const digits = Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [String(digit), () => { if (choosing() || (working() && !atEnd())) modes[head.mode].key(digit); }]));
onKeys({ ...digits, j: () => { if (working() && !atEnd()) step(1); }, k: () => { if (working()) step(-1); } });
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("button, a, summary, select, textarea, .w, .file")) return;
  if (choosing()) document.querySelector("#choose .main:enabled")?.click();
  else if (working() && !atEnd()) modes[head.mode].goOn();
  else return;
  event.preventDefault();
});
addEventListener("beforeunload", (event) => { if (state.unsaved && !state.kept) event.preventDefault(); });
begin().catch((error) => main.replaceChildren(card(null, el("p", { class: "warn" }, error.message))));
