// Addresses: each prompt, and what is shown of it, has one, and Back returns to it.

/** The part of the question that the address names, so that it opens there: a key of `views`. */
const views = { chosen: t("view_chosen"), looked: t("view_looked"), against: t("view_against"), matters: t("view_matters") };

Object.assign(state, { view: "", unfolded: new Set() });

/** The prompt as its address names it: by item, and by variant and model where the item has several prompts. */
function promptAddress(index) {
  const one = data.cases[index], pairs = [["item", one.item]];
  if (one.variant && data.cases.filter((other) => other.item === one.item).length > 1) pairs.push(["variant", one.variant]);
  if (data.models.length > 1) pairs.push(["model", data.models[one.model].name]);
  return pairs;
}

function addressNow() {
  if (state.item < 0) return "";
  const one = data.cases[state.item], pairs = promptAddress(state.item);
  if (isRead(state.item)) {
    const row = one.rows[state.row];
    if (state.asked >= 0) pairs.push(["query", `word ${state.asked}`]);
    else if (state.row > 0) pairs.push(["query", row.query]);
    if (row.map && (state.from !== asked(row).from || state.to !== asked(row).to)) pairs.push(["layers", state.from === state.to ? state.from : `${state.from}-${state.to}`]);
    if (state.head >= 0) pairs.push(["head", state.head]);
    if (state.contrast >= 0) pairs.push(["contrast", data.contrasts[state.contrast].name]);
    if (state.picked >= 0) pairs.push(["word", state.picked]);
    if (state.target !== "scope" && state.target !== "word") pairs.push(["map", state.target]);
    const shows = ["numbers", "whole"].filter((key) => state[key]);
    if (shows.length) pairs.push(["show", shows.join(",")]);
    if (state.content || state.back) pairs.push(["function-words", state.back ? "kept" : "left-out"]);
    if (state.unfolded.size) pairs.push(["open", [...state.unfolded].join(",")]);
  }
  if (state.view) pairs.push(["view", state.view]);
  return pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

let late = 0;

/** Notes the state in the address: as a new step for Back, or in place of the last one, seldom enough for every browser. An
 * address that the reader gives meanwhile stands, and is followed. */
function noteAddress(step = false) {
  clearTimeout(late);
  const before = location.hash;
  const write = () => {
    const address = `#${addressNow()}`;
    if (location.hash !== before || address === before || (address === "#" && !before)) return;
    try {
      if (step) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    } catch {
      // A browser refuses more than so many steps in a time; the page goes on without.
    }
  };
  if (step) write();
  else late = setTimeout(write, 150);
}

/** The prompt that an address names: `item=`, the id of an item as the pages of runs link to it, or the number of a prompt.
 * -1 for the table of all; `undefined` where there is none of this name. */
function promptOf(text) {
  const plain = data.cases.findIndex((one) => one.item === text);
  if (plain >= 0) return plain;
  if (!text) return beside ? -1 : 0;
  if (/^\d+$/.test(text)) return data.cases[Number(text)] ? Number(text) : undefined;
  const wanted = new URLSearchParams(location.hash.slice(1));
  const fits = (one) => one.item === wanted.get("item") && (!wanted.get("variant") || one.variant === wanted.get("variant")) &&
    (!wanted.get("model") || data.models[one.model].name === wanted.get("model"));
  const index = data.cases.findIndex(fits);
  return index >= 0 ? index : undefined;
}

/** Sets what is shown of the prompt that is open; what an address names but the prompt has not is left as it is. */
function takeAddress(text) {
  const wanted = new URLSearchParams(text);
  const one = data.cases[state.item];
  const listed = (key) => (wanted.get(key) || "").split(",").filter(Boolean);
  const query = wanted.get("query");
  const asks = /^word (\d+)$/.exec(query || "");
  const named = one.rows.findIndex((row) => row.query === query);
  Object.assign(state, { row: Math.max(0, named), asked: asks && canAsk(one, Number(asks[1])) ? Number(asks[1]) : -1 });
  resetSliders();
  const row = one.rows[state.row];
  const [from, to = from] = (wanted.get("layers") || "").split("-").map((layer) => (layer === "" ? NaN : Number(layer)));
  const head = wanted.get("head") === null ? -1 : Number(wanted.get("head"));
  if (row.map?.layers.includes(from) && row.map.layers.includes(to) && from <= to) Object.assign(state, { from, to });
  if (row.map && Number.isInteger(head) && head >= 0 && head < row.map.heads) state.head = head;
  if (!holds(row, chosen())) Object.assign(state, { ...asked(row), head: headsAreFixed(row) ? state.head : -1 });
  const word = wanted.get("word") === null ? -1 : Number(wanted.get("word"));
  state.picked = one.words[word] ? word : -1;
  const target = wanted.get("map") || (state.picked >= 0 && row.map?.kind === "full" ? "word" : "scope");
  state.target = ["scope", "sink", "entropy"].includes(target) || target === "word" || one.parts.some(([name]) => target === `part:${name}`) ? target : "scope";
  state.contrast = data.contrasts.findIndex((each) => each.first[0] === state.item && each.name === wanted.get("contrast"));
  for (const key of ["numbers", "whole"]) state[key] = listed("show").includes(key);
  state.content = wanted.get("function-words") === "left-out" && one.lists_function_words && !settings.drop_stop_words;
  state.back = wanted.get("function-words") === "kept" && canBringBack(one, row);
  state.unfolded = new Set(listed("open"));
  state.view = Object.hasOwn(views, wanted.get("view") || "") ? wanted.get("view") : "";
}

/** Opens what the address names, at the start and after Back. */
function followAddress() {
  const text = location.hash.slice(1), index = promptOf(fragment());
  document.getElementById("lost")?.remove();
  if (index === undefined) {
    const name = new URLSearchParams(text).get("item") || fragment();
    document.getElementById("method").before(el("p", { class: "departure", id: "lost" }, t("no_prompt", { id: name })));
  }
  const to = index ?? (beside ? -1 : 0);
  if (to < 0) showAll(false);
  else open(to, text.includes("=") && index !== undefined ? text : "", false);
}

addEventListener("hashchange", () => { if (`#${addressNow()}` !== location.hash) followAddress(); });

/** Scrolls to a part of the question, which the address then names. */
function goTo(view) {
  if (!isOpen()) return;
  state.view = view;
  noteAddress();
  const part = document.getElementById(`view-${view}`);
  part?.scrollIntoView({ block: "start" });
  part?.querySelector("h2").focus({ preventScroll: true });
}
