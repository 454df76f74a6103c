// Packed data, in the page or in files next to it: scripts that call `tomevalItems`, the only files a page opened from disk
// may read.

/** Callbacks waiting for files next to the page, by number. */
const waiting = new Map();
globalThis.tomevalItems = (number, packed) => waiting.get(number)?.(packed);

/** The packed data of a file next to the page. */
function packedBeside(folder, number) {
  return new Promise((done, failed) => {
    waiting.set(number, done);
    const name = `${encodeURIComponent(folder)}/items-${String(number).padStart(3, "0")}.js`;
    const lost = () => failed(new Error(`${name} cannot be read; it belongs beside this page`));
    document.head.append(el("script", { src: name, onerror: lost }));
  });
}

