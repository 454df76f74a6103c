// The two parts of the page, keys, and the start.

const parts = { overview: document.getElementById("overview"), items: document.getElementById("items") };

function showPart(name) {
  for (const [part, node] of Object.entries(parts)) node.hidden = part !== name;
  for (const link of document.querySelectorAll(".tabs a")) {
    const current = link.getAttribute("href") === `#${name}`;
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (name === "items" && state.index && state.item < 0 && state.shown.length) open(state.shown[0]);
}

/** Opens the part in the address: `#overview`, `#items`, or `#item=` with an item's id. */
function follow() {
  const asked = fragment();
  const wanted = asked.startsWith("item=") ? asked.slice("item=".length) : null;
  const item = wanted === null || !state.index ? -1 : state.index.ids.indexOf(wanted);
  if (item >= 0) {
    showPartOf(item);
  } else if (wanted !== null && state.index) {
    showPart("items");
    count.textContent = `No item is called ${wanted}.`;
  } else {
    showPart(asked === "items" || wanted !== null ? "items" : "overview");
  }
}

function showPartOf(item) {
  state.item = item;
  showPart("items");
  open(item);
}

async function start() {
  if (!head.items) {
    pane.replaceChildren(card(null, el("p", null, "This page holds no single items.")));
    return;
  }
  if (!canUnpack) {
    pane.replaceChildren(card(null, el("p", { class: "departure" }, `This browser cannot unpack the items: ${needsUnpacking}. The overview holds all tables; \`tomeval report --format items\` writes the items as lines of JSON.`)));
    return;
  }
  state.index = await unpack(document.getElementById("index").textContent);
  buildList();
  follow();
}

const go = (part) => { location.hash = part; };
onKeys({
  o: () => go("overview"), i: () => go("items"),
  "/": () => { go("items"); showPart("items"); document.querySelector(".fold")?.setAttribute("open", ""); setTimeout(() => document.getElementById("search")?.focus()); },
  j: () => { if (!parts.items.hidden) step(1); }, k: () => { if (!parts.items.hidden) step(-1); },
  p: () => { for (const box of pane.querySelectorAll("[data-prompts]")) box.open = !box.open; },
});
addEventListener("hashchange", follow);
follow();
start().catch((error) => pane.replaceChildren(card(null, el("p", { class: "departure" }, `The items cannot be unpacked: ${error.message}`))));
