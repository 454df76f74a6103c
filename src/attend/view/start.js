// Unpacks the data of the page, then runs its script, which reads them as it starts.

let data = null;

/** What stands on the page for browsers without scripts. */
const plain = document.querySelector("#main noscript");

async function unpackBytes(text) {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Gives each table its cells, in the order in which they were taken. */
function giveCells(value, cells, from = 0) {
  if (value === null || typeof value !== "object") return from;
  const isTable = typeof value.bytes === "number" && typeof value.cells === "number";
  const end = Object.values(value).reduce((at, each) => giveCells(each, cells, at), isTable ? from + value.cells : from);
  if (isTable) value.decoded = cells.subarray(from, from + value.cells);
  return end;
}

async function start() {
  if (!canUnpack) throw new Error("This browser cannot unpack what the page shows: its script needs Chrome or Edge from version 80, Firefox from 113 or Safari from 16.4.");
  data = await unpack(document.getElementById("data").textContent);
  giveCells(data, await unpackBytes(document.getElementById("cells").textContent));
  const held = document.getElementById("script");
  document.body.append(el("script", null, held.textContent));
  held.remove();
}

start().catch((error) => {
  // The text of the element is escaped by the program that wrote it.
  plain.parentNode.innerHTML = plain.textContent;
  document.getElementById("method").textContent = error.message;
});
