// Shared by all pages: element builders, number formatting, escaping of untrusted text, keys and theme.

const rightToLeft = new Set(["ar", "fa", "he", "ur"]);
const direction = (one) => (rightToLeft.has(one.language) ? "rtl" : "ltr");

/** Attributes with human-readable text. */
const readByPeople = new Set(["title", "aria-label", "alt", "placeholder"]);

/** An element with attributes, event handlers (names that begin with `on`) and children (nodes or text). */
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : readByPeople.has(name) ? seen(value) : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined).map(seen));
  return node;
}

/** The decoded fragment of an address, or as it is if malformed. */
function fragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
}

const percent = (share, digits = 1) => (100 * share).toFixed(digits).replace("-", "\u2212") + " %";
const signed = (value, digits = 2) => (value < 0 ? "\u2212" : "+") + Math.abs(value).toFixed(digits);
const largest = (values) => values.reduce((most, value) => Math.max(most, value), 0);
const sum = (values) => values.reduce((total, value) => total + value, 0);
const card = (title, ...children) => el("section", { class: "card" }, title ? el("h2", null, title) : null, ...children);
const bar = (share, name) =>
  el("div", { class: "bar", role: name ? "img" : null, "aria-label": name }, el("b", { style: `width: ${(100 * share).toFixed(1)}%` }));

// ---- words -----------------------------------------------------------------------------------------------------------

/** Texts of the page by language and name, and the language that is shown. */
const tongue = { texts: { en: {} }, language: "en" };
const isEnglish = () => tongue.language === "en";

/** Whether the words have a text of this name in the language shown; sentences are in English and Chinese. */
const isSpoken = (name) => tongue.texts[tongue.language]?.[name] !== undefined;

/** Names of sentences, which are in English and Chinese. */
const isSentence = /^(say|conclusion|headline|tell|note)_/;

/** A text in the language shown, else in English, with values for `{name}`; one that is the name of a sentence is that sentence. */
const t = (name, values = {}) => (tongue.texts[tongue.language]?.[name] ?? tongue.texts.en[name] ?? name).replace(/\{(\w+)\}/g, (_, key) => {
  const value = values[key] ?? "";
  return isSentence.test(value) && tongue.texts.en[value] ? t(value, { ...values, [key]: "" }) : value;
});

/** Arrows back and on, in the direction of reading. */
const arrows = () => (rightToLeft.has(tongue.language) ? ["\u2192", "\u2190"] : ["\u2190", "\u2192"]);

/** Attributes of text that stays English. */
const inEnglish = () => (isEnglish() ? {} : { lang: "en", dir: "ltr" });

/** A sentence of the program as a node. */
const sentence = (name, values) => el("span", isSpoken(name) ? null : inEnglish(), t(name, values));

/** The language of the address, else the browser's, else English. */
function preferredLanguage(known) {
  const wanted = [new URLSearchParams(location.search).get("lang"), ...(navigator.languages || [])];
  return wanted.map((code) => (code || "").toLowerCase().split("-")[0]).find((code) => known.includes(code)) || "en";
}

const isRange = /^\s*-?[\d.]+ to -?[\d.]+\s*$/;
/** A text with its intervals in the language shown. */
const ranges = (text) => text.replace(/(-?[\d.]+) to (-?[\d.]+)/g, (_, low, high) => t("range", { low, high }));

/** Gives the document its language, and what the page's HTML names its texts: `data-t` is the name of an element's text,
    `data-v` its values, `data-t-label` the name of its `aria-label`. */
function spell() {
  const root = document.documentElement, dir = rightToLeft.has(tongue.language) ? "rtl" : "ltr";
  // A change of these lays the whole page out again.
  if (root.lang !== tongue.language) root.lang = tongue.language;
  if (root.dir !== dir) root.dir = dir;
  if (isEnglish()) return;
  for (const node of document.querySelectorAll("[data-t]")) {
    const { t: name, v: values } = node.dataset;
    node.textContent = seen(t(name, values ? JSON.parse(values) : {}));
    if (!isSpoken(name)) Object.assign(node, inEnglish());
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (isRange.test(texts.currentNode.data)) texts.currentNode.data = ranges(texts.currentNode.data);
  for (const node of document.querySelectorAll("[data-t-label]")) node.setAttribute("aria-label", t(node.dataset.tLabel));
}

/** Offers the languages; the page is opened again in the one chosen, with what its address says is shown. */
function offerLanguages(languages) {
  const choice = document.getElementById("language");
  choice.append(...languages.map(([code, name]) => el("option", { value: code, lang: code, selected: code === tongue.language }, name)));
  choice.addEventListener("change", () => {
    const query = new URLSearchParams(location.search);
    query.set("lang", choice.value);
    location.search = query;
  });
}

// ---- untrusted text ------------------------------------------------------------------------------------------------

/** Most characters of a text drawn at once; a click shows the rest. */
const LONG = 20000;
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]/u;
const everyUnseen = new RegExp(unseen.source, "gu");

/** A text with such characters escaped; other values stay as they are. */
function seen(value) {
  return typeof value === "string" ? value.replace(everyUnseen, (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`) : value;
}

/** Text of data or models as nodes: invisible characters, and those that change the reading direction, are named. */
function written(text) {
  const whole = text.length <= LONG ? text : text.slice(0, LONG);
  const nodes = whole.split(new RegExp(`(${unseen.source})`, "u")).filter(Boolean).map((piece) =>
    unseen.test(piece) ? el("span", { class: "ctl" }, `U+${piece.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`) : piece);
  if (whole.length === text.length) return nodes;
  const rest = el("button", { type: "button", onclick: () => rest.replaceWith(...written(text.slice(LONG))) }, t("more_characters", { count: text.length - LONG }));
  return [...nodes, rest];
}

// ---- keys and theme -------------------------------------------------------------------------------------------------

const systemTheme = matchMedia("(prefers-color-scheme: dark)");
const themeButton = document.getElementById("theme");
const isDark = () => (document.documentElement.dataset.theme || (systemTheme.matches ? "dark" : "light")) === "dark";
const nameTheme = () => { themeButton.textContent = isDark() ? t("light") : t("dark"); };

/** Toggles between light and dark, whatever the system's preference. */
function flipTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
}

const showHelp = () => document.getElementById("help").showModal();

/** Actions of single keys, besides those of every page; ignored while typing into a field. */
function onKeys(keys) {
  const all = { t: flipTheme, "?": showHelp, ...keys };
  document.addEventListener("keydown", (event) => {
    const typing = /^(SELECT|TEXTAREA)$/.test(event.target.tagName) || event.target.type === "search";
    if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && Object.hasOwn(all, event.key)) all[event.key]();
  });
}

themeButton.addEventListener("click", flipTheme);
systemTheme.addEventListener("change", nameTheme);
document.getElementById("keys").addEventListener("click", showHelp);

if (own) {
  Object.assign(tongue, { texts: own.texts, language: preferredLanguage(own.languages.map(([code]) => code)) });
  spell();
  nameTheme();
  offerLanguages(own.languages);
}
