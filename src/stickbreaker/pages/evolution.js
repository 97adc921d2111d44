
// How topics changed: a topic's words at several moments, each word's path between them, and the words that entered.

const PATH_ROWS = 12; // words of a column
const PATH_LOWER = 6; // words of a column that are among the first of one beside it
const PATH_NEW = 7; // words that entered
const PATH_ROW = 20;
const MOST_PATHS = 6; // in colour

function momentName(changes, c) {
  const [step, , date] = changes.moments[c];
  return date && changes.moments.every((moment) => moment[2]) ? date.slice(0, 10) : `step ${grouped(step)}`;
}

// Some of the moments between two, both of them included, as even as can be.
function momentsBetween(from, to, most) {
  const n = Math.min(most, to - from + 1);
  return Array.from({ length: n }, (_, i) => from + Math.round((i * (to - from)) / Math.max(n - 1, 1)));
}

function ranksAt(wording, c) {
  const flat = wording.ranks[c], ranks = new Map();
  for (let i = 0; i < flat.length; i += 2) ranks.set(flat[i], flat[i + 1]);
  return ranks;
}

function firstWords(ranks, n) {
  return [...ranks].filter(([, rank]) => rank <= n).sort((a, b) => a[1] - b[1]);
}

// The words that entered after one moment and up to another, with the last rank known by then.
function enteredSince(wording, before, at) {
  const found = new Map();
  for (let c = before + 1; c <= at; c += 1) {
    const ranks = ranksAt(wording, c);
    for (const word of wording.entered[c]) found.set(word, ranks.get(word));
    for (const word of found.keys()) if (ranks.has(word)) found.set(word, ranks.get(word));
  }
  return [...found].sort((a, b) => a[1] - b[1]).slice(0, PATH_NEW);
}

// What stands in each column, and where: the first words; those followed, or first in a column beside it; those that entered.
function pathCells(wording, shown, followed) {
  const ranks = shown.map((c) => ranksAt(wording, c)), firsts = ranks.map((one) => firstWords(one, PATH_ROWS));
  const beside = (j) => [firsts[j - 1], firsts[j + 1]].flatMap((words) => (words || []).map(([word]) => word));
  return shown.map((c, j) => {
    const own = new Set(firsts[j].map(([word]) => word));
    const entered = j ? enteredSince(wording, shown[j - 1], c) : [], boxed = new Set(entered.map(([word]) => word));
    const known = (word) => !own.has(word) && ranks[j].has(word), further = followed.filter((word) => known(word) && !boxed.has(word));
    const lower = [...new Set([...further, ...beside(j).filter(known)])].slice(0, PATH_LOWER)
      .map((word) => [word, ranks[j].get(word)]).sort((a, b) => a[1] - b[1]);
    return { first: firsts[j], lower, entered };
  });
}

// The words that a reader follows at first: those that entered and came far, else those that moved most.
function notablePaths(wording, shown) {
  const cells = pathCells(wording, shown, []), best = new Map(), spans = new Map();
  for (const { first, entered } of cells) {
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
function pathPlaces(wording, cells, layout) {
  const places = new Map(), { wide, top, lower, box } = layout;
  const put = (word, j, i, base, rank, fresh) => {
    const numbered = Math.max(textWidth(grouped(rank), 12) + 12, 28); // the rank stands before the word, in a box behind it
    const left = fresh ? 12 : numbered, room = wide - (fresh ? numbered + 28 : left + 20), text = shortened(wording.words[word], 13, room), x = j * wide + left;
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

// A word where it stands, and lines to where it stands in the next column. One that entered stands there twice when
// it is among the first at once.
function pathOf(word, places, colour, wide) {
  const at = (j) => places.find((place) => place.j === j);
  const lines = places.filter((place) => place === at(place.j) && at(place.j + 1)).map((place) => {
    const next = at(place.j + 1), from = Math.min(place.end, (place.j + 1) * wide - 8), to = next.j * wide + 4, middle = ((from + to) / 2).toFixed(1);
    return node("path", { class: "line", d: `M${from.toFixed(1)} ${place.y.toFixed(1)}C${middle} ${place.y.toFixed(1)} ${middle} ${next.y.toFixed(1)} ${to.toFixed(1)} ${next.y.toFixed(1)}`,
      ...(colour ? { style: `stroke:${colour}` } : {}) });
  });
  const texts = places.map(({ j, x, y, rank, text, fresh }) => [
    node("text", { class: "figure", x: (fresh ? (j + 1) * wide - 14 : x - 6).toFixed(1), y: (y + 4).toFixed(1), "text-anchor": "end" }, grouped(rank)),
    node("text", { class: "word", x: x.toFixed(1), y: (y + 4).toFixed(1) }, text)]);
  return node("g", { class: colour ? "path followed" : "path", "data-word": word }, lines, texts.flat());
}

function pathSpoken(wording, changes, shown, cells) {
  const column = (c, { first }) => `${momentName(changes, c)}: ${first.slice(0, 5).map(([word]) => wording.words[word]).join(", ")}`;
  return `The first ${changes.noun}s of ${changes.of} at ${counted(shown.length, "moment")}; ${shown.map((c, j) => column(c, cells[j])).join("; ")}. The table below tells the same`;
}

// `followed` are the words whose paths are coloured.
function pathChart(wording, changes, shown, followed, width) {
  const cells = pathCells(wording, shown, followed), layout = pathLayout(cells, width), { wide, box, within, height } = layout;
  const places = pathPlaces(wording, cells, layout);
  const ink = (word) => (followed.includes(word) ? changes.inks[followed.indexOf(word)] : null);
  const head = (c, j) => [
    node("text", { class: "head", x: j * wide + 6, y: 16 }, shortened(momentName(changes, c), 13, wide - 12)),
    node("text", { class: "figure", x: j * wide + 6, y: 34 }, shortened(counted(changes.moments[c][1], changes.reads), 12, wide - 12))];
  const frameOf = ({ entered }, j) => (entered.length ? [
    node("rect", { class: "box", x: j * wide + 4, y: box, width: wide - 12, height: PATH_ROW * entered.length + 28, rx: 6 }),
    node("text", { class: "figure", x: j * wide + 12, y: box + 16 }, wide > 104 ? "entered, rank" : "entered")] : []);
  const lane = layout.box - layout.lower > 8 ? node("line", { class: "grid", x1: 4, x2: width - 4, y1: layout.lower + 6, y2: layout.lower + 6 }) : null;
  const words = [...places.keys()].sort((a, b) => followed.includes(a) - followed.includes(b));
  return node("svg", { class: "paths", role: "img", "aria-label": pathSpoken(wording, changes, shown, cells), ...frame(width, within ? height : box) },
    shown.flatMap(head), lane, cells.flatMap(frameOf), words.map((word) => pathOf(word, places.get(word), ink(word), wide)));
}

// The same as a table.
function pathTable(wording, changes, shown, followed) {
  const cells = pathCells(wording, shown, followed), said = (list) => list.map(([word, rank]) => `${wording.words[word]} ${grouped(rank)}`).join(", ");
  const row = (c, j) => node("tr", {}, node("th", { scope: "row" }, momentName(changes, c)),
    node("td", {}, said(cells[j].first)), node("td", {}, said(cells[j].lower)), node("td", {}, said(cells[j].entered)));
  const head = ["moment", `first ${changes.noun}s, with their rank`, "further down", "entered since the moment before"];
  return node("table", {}, node("thead", {}, node("tr", {}, head.map((one) => node("th", { scope: "col" }, one)))), node("tbody", {}, shown.map(row)));
}

// Words to follow: all that stand in the chart.
function pathWords(wording, shown) {
  const seen = new Set(pathCells(wording, shown, []).flatMap(({ first, lower, entered }) => [...first, ...lower, ...entered].map(([word]) => word)));
  return [...seen].sort((a, b) => (wording.words[a] < wording.words[b] ? -1 : 1));
}

// The vocabulary: its size, and the words that entered and left.

function vocabularyScale(changes, width, height) {
  const rows = changes.vocabulary, left = 78, right = width - 18, top = 28, bottom = height - 118, middle = height - 52;
  const last = Math.max(rows[rows.length - 1][0], 1e-9), most = Math.max(...rows.map((row) => row[1]), 1);
  const flow = Math.max(...rows.flatMap((row) => [row[2], row[3]]), 1);
  return {
    left, right, top, bottom, middle, last,
    px: (at) => left + (at / last) * (right - left), py: (n) => bottom - (n / (1.05 * most)) * (bottom - top),
    tall: (n) => (n / flow) * 36, yTicks: ticks(0, most, 4), xTicks: ticks(0, last, Math.min(width / 90, 8)).filter((at) => last < 3 || at % 1 === 0),
  };
}

function describeVocabulary(changes, i) {
  const [at, size, entered, left] = changes.vocabulary[i];
  const before = i ? changes.vocabulary[i - 1][0] : 0, one = at - before <= 1 || changes.unit === "pass";
  const said = one ? `${changes.unit} ${momentTick(at)}` : `${changes.unit}s ${momentTick(before + 1)} to ${momentTick(at)}`;
  return `${capital(said)}: ${counted(size, changes.noun)}; ${grouped(entered)} entered, ${grouped(left)} left`;
}

function vocabularySpoken({ vocabulary: rows, unit, noun }) {
  const sum = (column) => grouped(rows.reduce((total, row) => total + row[column], 0)), last = rows[rows.length - 1];
  return `${capital(noun)}s in the model: ${grouped(rows[0][1])} at ${unit} ${momentTick(rows[0][0])}, ${grouped(last[1])} at the end; ${sum(2)} entered, ${sum(3)} left`;
}

function vocabularyChart(changes, width, height) {
  const scale = vocabularyScale(changes, width, height), { left, right, bottom, middle, px, py, tall } = scale, rows = changes.vocabulary;
  const curve = rows.map((row, i) => `${i ? "L" : "M"}${px(row[0]).toFixed(1)} ${py(row[1]).toFixed(1)}`).join("");
  const wide = Math.max((right - left) / rows.length - 0.6, 0.8);
  const bar = (at, n, up) => (n ? node("rect", { class: up ? "in" : "out", width: wide.toFixed(2), height: tall(n).toFixed(1),
    x: Math.max(px(at) - wide, left).toFixed(1), y: (up ? middle - tall(n) : middle).toFixed(1) }) : null);
  const lane = (said, y) => node("text", { class: "figure", x: left - 9, y, "text-anchor": "end" }, said);
  return node("svg", { class: "vocabulary-chart", role: "img", "aria-label": vocabularySpoken(changes), ...frame(width, height) },
    scale.yTicks.flatMap((n) => [
      node("line", { class: "grid", x1: left, x2: right, y1: py(n).toFixed(1), y2: py(n).toFixed(1) }), lane(grouped(n), (py(n) + 4).toFixed(1))]),
    scale.xTicks.map((at) => node("text", { class: "figure", x: labelPlace(px(at), momentTick(at), width), y: bottom + 18, "text-anchor": "middle" }, momentTick(at))),
    node("text", { class: "figure", x: left - 9, y: bottom + 18, "text-anchor": "end" }, changes.unit),
    node("text", { class: "figure", x: left, y: 14 }, `${changes.noun}s in the model`),
    node("path", { class: "curve", d: rows.length > 1 ? curve : `M${left} ${py(rows[0][1]).toFixed(1)}H${right}`, stroke: changes.inks[0] }),
    lane("entered", middle - 10), lane("left", middle + 20), rows.map(([at, , entered]) => bar(at, entered, true)), rows.map(([at, , , gone]) => bar(at, gone, false)),
    node("line", { class: "grid", x1: left, x2: right, y1: middle, y2: middle }), node("g", { class: "cursor" }));
}

function vocabularyAt(changes, place, width) {
  const { left, right, last } = vocabularyScale(changes, width, 200), at = ((place * width - left) / (right - left)) * last;
  const i = changes.vocabulary.findIndex((row) => row[0] >= at);
  return i < 0 ? changes.vocabulary.length - 1 : i;
}

function vocabularyCursor(changes, i, width, height) {
  const { px, py, top, middle } = vocabularyScale(changes, width, height), [at, size] = changes.vocabulary[i], x = px(at).toFixed(1);
  return [node("line", { x1: x, x2: x, y1: top, y2: middle + 36 }), node("circle", { cx: x, cy: py(size).toFixed(1), r: 4, fill: changes.inks[0] })];
}

function freshTable(changes, topics, order) {
  const named = changes.moments.every((moment) => moment[2]);
  const one = (wording) => ([word, rank, step, date]) => node("li", {}, node("bdi", {}, wording.words[word]),
    node("span", { class: "small" }, ` ${rank}, since `,
      node("span", { class: "whole" }, named && date ? date.slice(0, 10) : `step ${grouped(step)}`)));
  const row = (k) => node("tr", {}, node("th", { scope: "row" }, topicButton(topics[k], k)),
    node("td", {}, node("ul", { class: "fresh-words" }, changes.wordings[k].fresh.map(one(changes.wordings[k])))));
  const found = order.filter((k) => changes.wordings[k] && changes.wordings[k].fresh.length);
  return found.length ? scrollable("New words of the topics",
    node("thead", {}, node("tr", {}, node("th", { scope: "col" }, "topic"), node("th", { scope: "col" }, "new words, their rank at the end, and when they entered"))),
    node("tbody", {}, found.map(row))) : node("p", { class: "note" }, "No word that entered during the run is among the first fifty of a topic.");
}
