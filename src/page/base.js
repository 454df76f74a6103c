"use strict";
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

function bytes(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

// ---- packed data ---------------------------------------------------------------------------------------------------

const canUnpack = typeof DecompressionStream === "function";

/** Decodes JSON from zlib and base64. */
async function unpack(text) {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
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
  const rest = el("button", { type: "button", onclick: () => rest.replaceWith(...written(text.slice(LONG))) }, `Show ${text.length - LONG} more characters`);
  return [...nodes, rest];
}

// ---- keys and theme -------------------------------------------------------------------------------------------------

const systemTheme = matchMedia("(prefers-color-scheme: dark)");
const themeButton = document.getElementById("theme");
const isDark = () => (document.documentElement.dataset.theme || (systemTheme.matches ? "dark" : "light")) === "dark";
let themeNames = { light: "Light", dark: "Dark" };
const nameTheme = () => { themeButton.textContent = isDark() ? themeNames.light : themeNames.dark; };

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
nameTheme();
