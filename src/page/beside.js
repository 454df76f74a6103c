// Packed data, in the page or in files beside it, which are scripts that call `tomevalItems`: a page opened from disk may read
// no other kind.

const needsUnpacking = "it needs Chrome or Edge from version 97, Firefox from 113 or Safari from 16.4";

/** These wait for files beside the page, by number. */
const waiting = new Map();
globalThis.tomevalItems = (number, packed) => waiting.get(number)?.(packed);

/** The packed data of a file beside the page. */
function packedBeside(folder, number) {
  return new Promise((done, failed) => {
    waiting.set(number, done);
    const name = `${encodeURIComponent(folder)}/items-${String(number).padStart(3, "0")}.js`;
    const lost = () => failed(new Error(`${name} cannot be read; it belongs beside this page`));
    document.head.append(el("script", { src: name, onerror: lost }));
  });
}

