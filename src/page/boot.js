"use strict";
// Unpacks a page: zlib and base64, which only a script reads. What needs no words of the page.

function bytes(text) {
  const raw = atob(text), all = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) all[at] = raw.charCodeAt(at);
  return all;
}

const canUnpack = typeof DecompressionStream === "function";
const needsUnpacking = "it needs Chrome or Edge from version 97, Firefox from 113 or Safari from 16.4";

/** Decodes JSON from zlib and base64. */
async function unpack(text) {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** What is packed with the page's own script. */
let own = null;

/** Unpacks the scripts of the page with its words, and runs them after what must be done `first`. */
async function unpackPage(first = async () => {}) {
  const held = document.getElementById("script");
  if (!canUnpack) throw new Error(`This browser cannot unpack the page's script: ${needsUnpacking}.`);
  // The page as it stands is shown first.
  if (document.readyState === "loading") await new Promise((done) => addEventListener("DOMContentLoaded", () => setTimeout(done)));
  own = await unpack(held.textContent);
  await first();
  const running = document.createElement("script");
  running.textContent = own.script;
  document.body.append(running);
  held.remove();
}

/** Shows what stands on the page for browsers without scripts. */
function goWithout(error) {
  for (const plain of document.querySelectorAll("noscript")) plain.outerHTML = plain.textContent;
  const said = document.createElement("p");
  said.className = "departure";
  said.textContent = error.message;
  document.getElementById("main").prepend(said);
}
