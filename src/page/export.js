// Pictures and numbers of a page as files: SVG as it looks, PNG of the same, and text.

/** Properties of an element's look that a picture outside the page needs. */
const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "font-size", "font-family", "font-weight", "visibility"];

/** A picture of the page as it looks, for a file of its own. */
function frozen(picture) {
  const copy = picture.cloneNode(true);
  const [from, to] = [picture, copy].map((node) => [node, ...node.querySelectorAll("*")]);
  from.forEach((node, at) => {
    const style = getComputedStyle(node), drawn = to[at];
    for (const name of ["class", "style", "tabindex", "role", "data-focus"]) drawn.removeAttribute(name);
    for (const name of DRAWN) drawn.setAttribute(name, style.getPropertyValue(name));
    if (node.nodeName === "svg") drawn.setAttribute("overflow", "visible");
    // A style can give a rectangle its place.
    if (node.nodeName === "rect" && !node.closest("defs")) { const { x, y, width, height } = node.getBBox(); Object.entries({ x, y, width, height }).forEach((each) => drawn.setAttribute(...each)); }
  });
  return copy;
}

/** An SVG text as PNG, two pixels for each of its units. */
async function pngOf(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the browser made no picture"))), "image/png"));
}

/** Hands a file to the reader. */
function save(name, blob) {
  const address = URL.createObjectURL(blob), link = el("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/** A name of letters and digits. */
const fileNameOf = (parts, ending) => `${parts.filter(Boolean).join("-").replace(/[^\p{L}\p{N}.-]+/gu, "-")}.${ending}`;
