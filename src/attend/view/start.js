// Unpacks the data of the page before its script, which reads them as it starts.

let data = null;

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

unpackPage(async () => {
  data = await unpack(document.getElementById("data").textContent);
  giveCells(data, await unpackBytes(document.getElementById("cells").textContent));
}).catch(goWithout);
