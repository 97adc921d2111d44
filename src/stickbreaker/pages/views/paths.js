
// How words move in rank: a thing's words at several moments, each word's path between them, and the words that entered.

const PATH_ROWS = 12; // words of a column
const PATH_LOWER = 6; // words of a column that are among the first of one beside it
const PATH_NEW = 7; // words that entered
const PATH_ROW = 20;
const MOST_PATHS = 6; // in colour
const LEAST_COLUMN = 124; // of the words of a moment
const MOST_COLUMNS = 8;

// Some of the moments between two, both of them included, as even as can be.
function momentsBetween(from, to, most) {
  const n = Math.min(most, to - from + 1);
  return Array.from({ length: n }, (_, i) => from + Math.round((i * (to - from)) / Math.max(n - 1, 1)));
}

function ranksAt(way, c) {
  const flat = way.ranks[c], ranks = new Map();
  for (let i = 0; i < flat.length; i += 2) ranks.set(flat[i], flat[i + 1]);
  return ranks;
}

function firstWords(ranks, n) {
  return [...ranks].filter(([, rank]) => rank <= n).sort((a, b) => a[1] - b[1]);
}

// The words that entered after one moment and up to another, with the last rank known by then.
function enteredSince(way, before, at) {
  const found = new Map();
  for (let c = before + 1; c <= at; c += 1) {
    const ranks = ranksAt(way, c);
    for (const word of way.entered[c]) found.set(word, ranks.get(word));
    for (const word of found.keys()) if (ranks.has(word)) found.set(word, ranks.get(word));
  }
  return [...found].sort((a, b) => a[1] - b[1]).slice(0, PATH_NEW);
}

// What stands in each column: the first words; those followed, or first in a column beside it; those that entered.
function pathCells(way, shown, followed) {
  const ranks = shown.map((c) => ranksAt(way, c)), firsts = ranks.map((one) => firstWords(one, PATH_ROWS));
  const beside = (j) => [firsts[j - 1], firsts[j + 1]].flatMap((words) => (words || []).map(([word]) => word));
  return shown.map((c, j) => {
    const own = new Set(firsts[j].map(([word]) => word));
    const entered = j ? enteredSince(way, shown[j - 1], c) : [], boxed = new Set(entered.map(([word]) => word));
    const known = (word) => !own.has(word) && ranks[j].has(word), further = followed.filter((word) => known(word) && !boxed.has(word));
    const lower = [...new Set([...further, ...beside(j).filter(known)])].slice(0, PATH_LOWER)
      .map((word) => [word, ranks[j].get(word)]).sort((a, b) => a[1] - b[1]);
    return { first: firsts[j], lower, entered };
  });
}

// The words that a reader follows at first: those that entered and came far, else those that moved most.
function notablePaths(way, shown) {
  const best = new Map(), spans = new Map();
  for (const { first, entered } of pathCells(way, shown, [])) {
    for (const [word] of entered) if (!best.has(word)) best.set(word, Infinity);
    for (const [word, rank] of first) {
      if (best.has(word)) best.set(word, Math.min(best.get(word), rank));
      const [low, high] = spans.get(word) || [rank, rank];
      spans.set(word, [Math.min(low, rank), Math.max(high, rank)]);
    }
  }
  const risen = [...best].filter(([, rank]) => rank <= PATH_ROWS).sort((a, b) => a[1] - b[1]).map(([word]) => word);
  const moved = [...spans].sort((a, b) => (b[1][1] - b[1][0]) - (a[1][1] - a[1][0])).map(([word]) => word);
  return (risen.length ? risen : moved.slice(0, 2)).slice(0, MOST_PATHS);
}

function pathLayout(cells, width) {
  const deep = (of) => Math.max(...cells.map(of), 0);
  const lower = 50 + PATH_ROW * deep((cell) => cell.first.length), below = deep((cell) => cell.lower.length);
  const box = lower + (below ? PATH_ROW * below + 12 : 0) + 8, within = deep((cell) => cell.entered.length);
  return { wide: width / cells.length, top: 50, lower, box, within, height: box + (within ? PATH_ROW * within + 34 : 0) };
}

// Each word's places, by word: { j, x, y, rank, text, end, fresh }, one a column, the highest.
function pathPlaces(way, cells, { wide, top, lower, box }) {
  const places = new Map();
  const put = (word, j, i, base, rank, fresh) => {
    const numbered = Math.max(textWidth(grouped(rank), 12) + 12, 28); // the rank stands before the word, in a box behind it
    const left = fresh ? 12 : numbered, room = wide - (fresh ? numbered + 28 : left + 20), text = shortened(way.words[word], 13, room), x = j * wide + left;
    const place = { j, x, y: base + (i + 0.5) * PATH_ROW, rank, text, end: fresh ? (j + 1) * wide - 8 : x + 1.1 * textWidth(text, 13) + 5, fresh };
    places.set(word, [...(places.get(word) || []), place]);
  };
  cells.forEach((cell, j) => {
    cell.first.forEach(([word, rank], i) => put(word, j, i, top, rank, false));
    cell.lower.forEach(([word, rank], i) => put(word, j, i, lower + 12, rank, false));
    cell.entered.forEach(([word, rank], i) => put(word, j, i, box + 24, rank, true));
  });
  return places;
}

// A word where it stands, and lines to where it stands in the next column.
function pathOf(places, colour, wide, press) {
  const at = (j) => places.find((place) => place.j === j);
  const lines = places.filter((place) => place === at(place.j) && at(place.j + 1)).map((place) => {
    const next = at(place.j + 1), from = Math.min(place.end, (place.j + 1) * wide - 8), to = next.j * wide + 4, middle = ((from + to) / 2).toFixed(1);
    return node("path", { class: "line", ...(colour ? { style: `stroke:${colour}` } : {}),
      d: `M${from.toFixed(1)} ${place.y.toFixed(1)}C${middle} ${place.y.toFixed(1)} ${middle} ${next.y.toFixed(1)} ${to.toFixed(1)} ${next.y.toFixed(1)}` });
  });
  const texts = places.flatMap(({ j, x, y, rank, text, fresh }) => [
    node("text", { class: "figure", x: (fresh ? (j + 1) * wide - 14 : x - 6).toFixed(1), y: (y + 4).toFixed(1), "text-anchor": "end" }, grouped(rank)),
    node("text", { class: "word", x: x.toFixed(1), y: (y + 4).toFixed(1) }, text)]);
  return node("g", { class: colour ? "path followed" : "path", onclick: press }, lines, texts);
}

// `followed` are the words whose paths are coloured.
function pathChart(value, way, shown, followed, width, press) {
  const { moments, inks, noun = "word", whose = "the topic" } = value, cells = pathCells(way, shown, followed), layout = pathLayout(cells, width), { wide, box, within, height } = layout;
  const places = pathPlaces(way, cells, layout), ink = (word) => (followed.includes(word) ? inks[followed.indexOf(word)] : null);
  const column = (c, { first }) => `${moments[c][0]}: ${first.slice(0, 5).map(([word]) => way.words[word]).join(", ")}`;
  const head = (c, j) => [node("text", { class: "head", x: j * wide + 6, y: 16 }, shortened(moments[c][0], 13, wide - 12)),
    node("text", { class: "figure", x: j * wide + 6, y: 34 }, shortened(moments[c][1], 12, wide - 12))];
  const frameOf = ({ entered }, j) => (entered.length ? [
    node("rect", { class: "ground", x: j * wide + 4, y: box, width: wide - 12, height: PATH_ROW * entered.length + 28, rx: 6 }),
    node("text", { class: "figure", x: j * wide + 12, y: box + 16 }, wide > 104 ? "entered, rank" : "entered")] : []);
  const lane = box - layout.lower > 8 ? node("line", { class: "grid", x1: 4, x2: width - 4, y1: layout.lower + 6, y2: layout.lower + 6 }) : null;
  const words = [...places.keys()].sort((a, b) => followed.includes(a) - followed.includes(b));
  return node("svg", { class: "paths", role: "img", ...frame(width, within ? height : box),
    "aria-label": `The first ${noun}s of ${whose} at ${counted(shown.length, "moment")}; ${shown.map((c, j) => column(c, cells[j])).join("; ")}. The table below says the same` },
  shown.flatMap(head), lane, cells.flatMap(frameOf), words.map((word) => pathOf(places.get(word), ink(word), wide, () => press(word))));
}

// The same as a table, for those who do not see it.
function pathTable({ moments, noun = "word" }, way, shown, followed) {
  const cells = pathCells(way, shown, followed), list = (words) => words.map(([word, rank]) => `${way.words[word]} ${grouped(rank)}`).join(", ");
  const row = (c, j) => node("tr", {}, node("th", { scope: "row" }, moments[c][0]), [cells[j].first, cells[j].lower, cells[j].entered].map((words) => node("td", {}, list(words))));
  const head = ["moment", `first ${noun}s, with their rank`, "further down", "entered since the moment before"];
  return node("div", { class: "hidden" }, node("table", {}, node("thead", {}, node("tr", {}, head.map((one) => node("th", { scope: "col" }, one)))), node("tbody", {}, shown.map(row))));
}

view("Paths", (value, at) => {
  const { moments, ways, of = "", label = "", noun = "word", whose = "the topic", names = [] } = value, { own } = at, last = moments.length - 1;
  const first = ways.findIndex(Boolean), k = of ? Math.max(at.chosen(of), 0) : own.k === undefined ? first : own.k, way = ways[k], texts = of ? at.choices[of].labels : names;
  const { from, to } = own.reach || { from: 0, to: last }, width = at.width - 16;
  const shown = momentsBetween(from, to, at.figured ? MOST_COLUMNS : clamp(Math.floor(width / LEAST_COLUMN), 2, MOST_COLUMNS));
  const words = way ? [...new Set(pathCells(way, shown, []).flatMap(({ first: one, lower, entered }) => [...one, ...lower, ...entered].map(([word]) => word)))].sort((a, b) => (way.words[a] < way.words[b] ? -1 : 1)) : [];
  const follow = (word) => { own.followed = word < 0 || word === own.followed ? null : word; at.redraw(); };
  if (!words.includes(own.followed)) own.followed = null;
  const followed = !way ? [] : own.followed === null ? notablePaths(way, shown) : [own.followed];
  if (at.figured) return way ? pathChart(value, way, shown, followed, Math.max(140 * shown.length, 420), follow) : null;
  const reach = (end) => (event) => {
    const c = Number(event.target.value), put = end === "from" ? Math.min(c, last - 1) : Math.max(c, 1);
    own.reach = end === "from" ? { from: put, to: Math.max(to, put + 1) } : { from: Math.min(from, put - 1), to: put };
    at.redraw();
  };
  const slider = (end, c, told) => node("span", {}, node("label", {}, told, " ", node("input", { type: "range", min: 0, max: last, value: c, step: 1, "aria-valuetext": moments[c][0], "data-key": end, onchange: reach(end) })), node("output", {}, moments[c][0]));
  const order = of ? at.choices[of].order || texts.map((_, i) => i) : ways.map((_, i) => i).filter((i) => ways[i]);
  const pick = (place) => { own.followed = null; if (of) at.choose(of, place); else { own.k = place; at.redraw(); } };
  return [node("div", { class: "controls" }, choiceBox(label, order.map((i) => [i, texts[i]]), k, "of", pick),
    choiceBox("Follow", [[-1, `${noun}s that are new, or moved most`], ...words.map((word) => [word, way.words[word]])], own.followed === null ? -1 : own.followed, "follow", (word) => { own.followed = null; follow(word); }),
    last > 1 ? node("div", { class: "ends" }, slider("from", from, "Columns from"), slider("to", to, "to")) : null),
  node("div", { class: "panel paths-panel" }, way ? pathChart(value, way, shown, followed, width, follow) : node("p", { class: "note" }, `${capital(whose)} had no ${noun}s at these moments.`)),
  way ? pathTable(value, way, shown, followed) : null];
}, 1120);
