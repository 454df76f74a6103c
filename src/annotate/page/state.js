// State of the work: texts, person, records, and the exported file.

const head = JSON.parse(document.getElementById("head").textContent);
const main = document.getElementById("main");
Object.assign(tongue, { texts: head.texts, language: head.interface });
const state = { code: null, hand: [], at: -1, records: Object.create(null), times: Object.create(null), since: 0, kept: true, unsaved: 0, tool: "words", unfolded: null, draft: Object.create(null) };
let body = { texts: [], units: [], hands: [] };

/** A text of a scheme or an introduction in the chosen language, otherwise in English or the first available one. */
const say = (text) => (typeof text === "string" ? text : text[tongue.language] || text.en || Object.values(text)[0] || "");
/** The same as a node with the direction of its language. */
const saying = (text) => el("bdi", null, say(text));
const letter = (slot) => (slot < 26 ? String.fromCharCode(65 + slot) : String(slot + 1));

/** The unit at a position of the hand, with the order of its options. */
function unitAt(at) {
  const entry = state.hand[at];
  const number = Array.isArray(entry) ? entry[0] : entry;
  const unit = body.units[number];
  return { unit, order: Array.isArray(entry) ? entry[1] : (unit.options || []).map((_, option) => option) };
}

const idAt = (at) => unitAt(at).unit.id;
const isDone = (id) => state.records[id] !== undefined && modes[head.mode].complete(state.records[id]);
const doneCount = () => state.hand.filter((_, at) => isDone(idAt(at))).length;

// ---- what the browser keeps ----------------------------------------------------------------------------------------

const place = () => `tomeval-annotation/${head.page}/${state.code}`;

function keep() {
  try {
    localStorage.setItem(place(), JSON.stringify({ records: state.records, times: state.times, at: state.at }));
    state.kept = true;
  } catch {
    state.kept = false;
  }
}

/** Work of a person stored in this browser; nothing if it stores nothing. */
function kept(code) {
  try {
    return JSON.parse(localStorage.getItem(`tomeval-annotation/${head.page}/${code}`));
  } catch {
    return null;
  }
}

function choosePerson(code) {
  const found = kept(code);
  state.code = code;
  state.hand = body.hands[head.people.indexOf(code)];
  state.records = Object.assign(Object.create(null), found?.records);
  state.times = Object.assign(Object.create(null), found?.times);
  state.at = found?.at ?? -1;
  state.draft = Object.create(null);
  state.unsaved = 0;
}

// ---- time -----------------------------------------------------------------------------------------------------------

/** Adds the time since the last call to the unit in view, if it was visible. */
function spend() {
  const now = performance.now();
  if (state.at >= 0 && state.at < state.hand.length && state.since) {
    const id = idAt(state.at);
    state.times[id] = (state.times[id] || 0) + (now - state.since) / 1000;
    if (state.records[id]) state.records[id].seconds = Math.round(state.times[id] * 10) / 10;
  }
  state.since = document.hidden ? 0 : now;
}

document.addEventListener("visibilitychange", () => { spend(); if (state.code) keep(); });

/** Records the work on the unit in view. */
function note(record) {
  const id = idAt(state.at);
  spend();
  if (record === null) delete state.records[id];
  else state.records[id] = { id, rater: state.code, ...record, seconds: Math.round((state.times[id] || 0) * 10) / 10, at: new Date().toISOString() };
  state.unsaved += 1;
  keep();
}

// ---- the file -------------------------------------------------------------------------------------------------------

const crcTable = Array.from({ length: 256 }, (_, number) => {
  let value = number;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function crc(text) {
  let sum = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) sum = crcTable[(sum ^ byte) & 255] ^ (sum >>> 8);
  return ((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}

/** The exported file. Each line ends with a check of itself and of the line before. */
function exported() {
  spend();
  const done = state.hand.map((_, at) => idAt(at)).filter(isDone).map((id) => modes[head.mode].written(state.records[id]));
  const first = {
    format: "tomeval-annotation/1", canary: head.canary, program: head.program, mode: head.mode, page: head.page, rater: state.code,
    benchmarks: head.benchmarks, interface: tongue.language, items: state.hand.length, done: done.length,
    ...(head.scheme ? { scheme: head.scheme.name, scheme_sha256: head.scheme.sha256 } : {}), ...(head.adjudicates ? { adjudicates: true } : {}),
  };
  let check = "";
  return [first, ...done, { end: done.length }].map((value) => {
    const line = JSON.stringify(value).slice(0, -1);
    check = crc(check + line);
    return `${line},"check":"${check}"}\n`;
  }).join("");
}

const fileName = () => `${head.mode}-${head.benchmarks.join("-")}-${state.code}.jsonl`;

function saveFile() {
  const url = URL.createObjectURL(new Blob([exported()], { type: "application/jsonl" }));
  const link = el("a", { href: url, download: fileName() });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  state.unsaved = 0;
}

/** Contents of a file, or an error that names the line. */
function parseFile(text) {
  const fail = (line, why) => { throw new Error(t("bad_line", { line: line + 1, why })); };
  let check = "", header = null, end = null;
  const records = [];
  text.replace(/^\ufeff/, "").split("\n").forEach((raw, number) => {
    const line = raw.trim();
    if (!line) return;
    const found = /^(.*),"check":"([0-9a-f]{8})"\}$/s.exec(line);
    if (!found) fail(number, t("bad_foreign"));
    if (crc(check + found[1]) !== found[2]) fail(number, t("bad_changed"));
    check = found[2];
    const value = JSON.parse(`${found[1]}}`);
    if (end !== null) fail(number, t("bad_changed"));
    if (!header) header = value.format === "tomeval-annotation/1" ? value : fail(number, t("bad_foreign"));
    else if (value.end !== undefined) end = value.end;
    else records.push(value);
  });
  if (!header) fail(0, t("bad_foreign"));
  if (end !== records.length) fail(records.length, t("bad_cut"));
  if (header.page !== head.page || !head.people.includes(header.rater)) throw new Error(t("bad_page"));
  return { header, records };
}

/** Continues from a file: for each unit, the later record counts, from the file or this browser. */
function takeFile(text) {
  const { header, records } = parseFile(text);
  choosePerson(header.rater);
  const known = new Set(state.hand.map((_, at) => idAt(at)));
  for (const record of records) {
    const own = state.records[record.id];
    if (!known.has(record.id) || (own && own.at > record.at)) continue;
    state.records[record.id] = record;
    state.times[record.id] = Math.max(record.seconds, state.times[record.id] || 0);
  }
  keep();
}
