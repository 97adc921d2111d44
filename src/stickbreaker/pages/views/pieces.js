
// What views share, as trees of nodes: where others stand inside one, and pieces of text.
// A drawer gets a view's value and `at`: its `width`; `own`, what it remembers; `chosen(of)`, the place of the chosen thing
// of a choice, `pointed(of)`, of the one pointed at or else the chosen one (what asks is redrawn when that changes: the view,
// or the part); `choose(of, place)`; `point(of, place)`; `choices`; `part(key, draw)`, a part that `redraw(key)` redraws
// alone; `redraw()`, for all of it. Attributes that begin with "on" handle what a reader does.

// The place of a view inside another, and what the view remembers, by a key.
function slot(at, value, key) {
  if (!value) return null;
  const place = `in ${value.view} ${key}`;
  at.own[place] = at.own[place] || {};
  return { ...node("div", { class: "view" }), value, own: at.own[place] };
}

function slots(at, values = [], key = "") {
  return values.map((value, i) => slot(at, value, `${key}${i}`));
}

// Pieces of text: see pieces.py. The first key of an object says what it is.
function said(at, piece) {
  if (Array.isArray(piece)) return piece.flatMap((one) => said(at, one));
  if (typeof piece !== "object" || piece === null) return piece === null || piece === "" ? [] : [String(piece)];
  const [kind] = Object.keys(piece);
  return [(PIECES[kind] || styled)(at, piece, kind)];
}

const STYLE_TAGS = { strong: "strong", marked: "mark", word: "bdi", phrase: "bdi", code: "bdi" };

function styled(at, piece, style) {
  return node(STYLE_TAGS[style] || "span", { class: style, title: piece.note, lang: piece.lang, style: piece.colour ? `--of:${piece.colour}` : undefined, dir: style === "sentence" ? "auto" : undefined }, said(at, piece[style]));
}

const PIECES = {
  item: (at, { item: place, of, text, plain }) => itemNode(at, of, place, text, plain),
  mix: (at, { mix, of }) => mixBar(mix, at.choices[of]),
  meter: (at, { meter, mark, colour }) => meterBar(meter, mark, colour),
  each: (at, { each, across }) => node("span", across ? { class: "each across", style: `--across:${across}` } : { class: "each" },
    each.flatMap((text) => [node("span", {}, said(at, text)), " "])),
};

// The text of a piece alone.
function plainText(piece, choices) {
  if (Array.isArray(piece)) return piece.map((one) => plainText(one, choices)).join(" ");
  if (typeof piece !== "object" || piece === null) return String(piece === null ? "" : piece);
  if (piece.item !== undefined) return piece.text || choices[piece.of].labels[piece.item];
  return piece.mix || piece.meter !== undefined ? "" : plainText(Object.values(piece)[0], choices);
}

function spot(colour) {
  return colour ? node("span", { class: "spot", style: `background:${colour}` }) : null;
}

function colourOf(choice, place) {
  return (choice.colours || [])[place] || "#8a8f98";
}

// One of the things of a choice, by its colour and label; a link to where it is shown, where the reader can choose it.
function itemNode(at, of, place, text = "", plain = false) {
  const choice = at.choices[of], named = [spot((choice.colours || [])[place]), node("bdi", { class: "name" }, text || choice.labels[place])];
  if (plain || !choice.keys) return node("span", { class: "item" }, named);
  return node("a", { class: "item", href: `#${of}-${choice.keys[place]}`, title: text ? choice.labels[place] : undefined,
    onclick: (event) => { event.preventDefault(); at.choose(of, place, true); } }, named);
}

// Of what can be chosen inside a drawing: only the chosen one, or the first where that is not drawn (`among`), is reached with
// Tab; the others with arrows.
function choosable(at, of, place, first, among = true) {
  const chosen = at.chosen(of), pressed = chosen === place;
  const press = (event) => { event.preventDefault(); event.stopPropagation(); at.choose(of, place); };
  return {
    role: "button", tabindex: pressed || (first && (chosen < 0 || !among)) ? 0 : -1, "aria-pressed": String(pressed), "data-key": `${of} ${place}`, "data-step": of, onclick: press,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") press(event); },
  };
}

function shareOf(mix, k) {
  return (mix.find((part) => part[0] === k) || [k, 0])[1];
}

// The mix of a thing of a choice that has mixes: [place, share] of another choice, each as two digits and two of thousandths.
function mixOf({ mixes = [] }, place) {
  const digits = mixes[place] || "";
  return Array.from({ length: digits.length / 4 }, (_, i) => [parseInt(digits.slice(4 * i, 4 * i + 2), 36), parseInt(digits.slice(4 * i + 2, 4 * i + 4), 36) / 1000]);
}

// The documents of a choice, as objects.
function documentsOf(choice) {
  choice.read = choice.read || choice.documents.map(([id, title, tokens, text, shares, marks = "", facts = []]) => ({ id, title, tokens, text, shares, marks, facts }));
  return choice.read;
}

// A mix of things of a choice, as one bar.
function mixBar(mix, choice) {
  const spoken = mix.map(([k, share]) => `${percent(share)} ${choice.labels[k]}`).join("; ");
  let end = 0;
  const parts = mix.map(([k, share]) => {
    const start = end;
    end = Math.min(end + 100 * share, 100);
    const wide = Math.max(end - start - 0.6, 0.3).toFixed(2);
    return node("rect", { x: start.toFixed(2), y: 0, width: wide, height: 10, fill: colourOf(choice, k) },
      node("title", {}, `${percent(share)} ${choice.labels[k]}`));
  });
  return node("svg", { class: "mix", role: "img", "aria-label": `Mix: ${spoken || "nothing stands out"}`, viewBox: "0 0 100 10", preserveAspectRatio: "none" },
    node("rect", { class: "track", x: 0, y: 0, width: 100, height: 10 }), parts);
}

function meterBar(share, mark, colour) {
  const at = mark === undefined || mark === null ? null : (100 * clamp(mark, 0.005, 0.995)).toFixed(1);
  return node("svg", { class: "meter", "aria-hidden": "true", viewBox: "0 0 100 10", preserveAspectRatio: "none" },
    node("rect", { class: "track", x: 0, y: 1, width: 100, height: 8 }),
    node("rect", { x: 0, y: 1, width: (100 * clamp(share, 0, 1)).toFixed(1), height: 8, ...(colour ? { fill: colour } : { class: "shade" }) }),
    at === null ? null : node("line", { class: "overall", x1: at, x2: at, y1: 0, y2: 10, "vector-effect": "non-scaling-stroke" }));
}

// What is drawn once the reader opens it.
function fold(at, key, summary, draw, { open = false, kind } = {}) {
  const opened = at.own.opened = at.own.opened || new Map(), shown = opened.has(key) ? opened.get(key) : open, body = `body ${key}`;
  const toggled = ({ target }) => { if (opened.get(key) !== target.open) { opened.set(key, target.open); if (target.open) at.redraw(body); } };
  return node("details", { class: kind, open: shown, ontoggle: toggled }, node("summary", { "data-key": `fold ${key}` }, summary),
    at.part(body, () => ((opened.has(key) ? opened.get(key) : shown) ? draw() : [])));
}

// Buttons to turn pages of a list; `own.page` is the page, `part` what is redrawn.
function pager(at, pages, part) {
  if (pages < 2) return [];
  const turn = (by, said, off) => node("button", { type: "button", disabled: off, "data-key": `turn ${by}`, onclick: (event) => {
    at.own.page += by;
    const top = event.target.closest(".view");
    at.redraw(part);
    top.scrollIntoView({ block: "nearest" });
    if (top.getBoundingClientRect().top < 0) top.scrollIntoView();
  } }, said);
  return [node("div", { class: "pager" }, turn(-1, "← Previous", at.own.page === 0), node("span", {}, `Page ${at.own.page + 1} of ${pages}`), turn(1, "Next →", at.own.page === pages - 1))];
}

// The rows of one page, and their range among all.
function pageOf(at, rows, size) {
  const pages = size ? Math.max(Math.ceil(rows.length / size), 1) : 1;
  at.own.page = clamp(at.own.page || 0, 0, pages - 1);
  const first = at.own.page * size, shown = size ? rows.slice(first, first + size) : rows;
  const range = shown.length ? `${grouped(first + 1)}–${grouped(first + shown.length)} of ${grouped(rows.length)}` : "none found";
  return { shown, pages, range };
}

// A field in which words are looked for: `own.query`.
function findField(at, label, part) {
  return node("label", { class: "find" }, node("span", { class: "hidden" }, label), node("input", {
    type: "search", placeholder: label, autocomplete: "off", spellcheck: "false", value: at.own.query || "", "data-key": "find",
    oninput: (event) => { at.own.query = event.target.value; at.own.page = 0; at.redraw(part); } }));
}

// A button that picks what has to do with the chosen thing of a choice: `own.only`.
function onlyButton(at, of, part) {
  const place = at.chosen(of);
  if (place < 0 || at.choices[of].labels.length < 2) return null;
  return node("button", { type: "button", class: "chip", "aria-pressed": String(Boolean(at.own.only)), "data-key": "only", onclick: () => { at.own.only = !at.own.only; at.own.page = 0; at.redraw(); } },
    "Only about ", spot(colourOf(at.choices[of], place)), node("bdi", { class: "name" }, at.choices[of].labels[place]));
}

function hasTerms(text, query) {
  return (query || "").toLowerCase().split(/\s+/).filter(Boolean).every((term) => text.includes(term));
}

function option(value, label, chosen) {
  return node("option", { value, selected: value === chosen }, label);
}

function choiceBox(label, options, chosen, key, change) {
  return node("label", { class: "choice" }, node("span", {}, label), node("select", { "data-key": key, onchange: (event) => change(Number(event.target.value)) },
    options.map(([value, text]) => option(value, text, chosen))));
}

// Views that others are in, and text.

view("Note", ({ title, text, muted }, at) => [title ? node("h3", {}, title) : null, said(at, text).length ? node("p", { class: muted ? "small" : "lead" }, said(at, text)) : null]);

view("Row", ({ views, least = 20, widths, panel, pinned }, at) => node("div",
  { class: `row${panel ? " panel" : ""}${widths ? " widths" : ""}${pinned ? " pinned" : ""}`, style: `--least:${least}rem${widths ? `;--widths:${widths}` : ""}` }, slots(at, views)));

view("Tabs", ({ tabs, label = "" }, at) => {
  const shown = at.own.tab || 0, pick = (i) => () => { at.own.tab = i; at.redraw(); };
  if (label) return [choiceBox(label, tabs.map(([name], i) => [i, name]), shown, "tab", (i) => pick(i)()), slot(at, tabs[shown][1], shown)];
  const buttons = tabs.map(([name], i) => node("button", { type: "button", class: "chip", "aria-pressed": String(i === shown), "data-key": `tab ${i}`, onclick: pick(i) }, name));
  return [tabs.length > 1 ? node("div", { class: "controls" }, buttons) : null, slot(at, tabs[shown][1], shown)];
});

view("Chosen", ({ of, views, none }, at) => slot(at, at.chosen(of) >= 0 ? views[at.chosen(of)] : none, ""));
