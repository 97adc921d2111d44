
// Every figure as the text of an SVG file, for an interpreter that has no page.

const FIGURE_STYLE = `
text { font: 12px "DejaVu Sans", Arial, Helvetica, sans-serif; fill: #1e2227; }
.figure, .axis { fill: #5a6069; }
.bars .word { font-size: 13.5px; }
.dot { fill-opacity: 0.88; stroke: #ffffff; stroke-width: 1.5; }
.document-map .ring { fill: none; }
.halo, .map text { paint-order: stroke; stroke: #ffffff; stroke-width: 3.5px; stroke-linejoin: round; }
.overall { stroke: #1e2227; stroke-width: 2; }
.grid { stroke: #e3e0d8; }
.curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
.unigram { stroke: #5a6069; stroke-width: 1.6; stroke-dasharray: 6 4; }
.branches { fill: none; stroke: #8a8f98; stroke-width: 1.2; }
.leaf .row { fill: none; }
.matrix .track { fill: #ffffff; }
.shade { fill: #22569c; }
.self, .volume { fill: #8a8f98; }
.layer { stroke: #ffffff; stroke-width: 0.8; }
.curve.table { stroke: #5a6069; stroke-width: 1.6; stroke-dasharray: 5 3; }
.range { stroke-width: 2; }
.leader { fill: none; stroke-width: 1.2; }
.search-chart .alike { fill: #f1ead0; }
.search-chart .run { fill: #ffffff; stroke-width: 2; }
.growth-chart .split, .growth-chart .merge { fill: #1e2227; }
.genealogy .line { fill: none; stroke: #8a8f98; stroke-width: 2; }
.genealogy .joined { stroke-width: 1.5; stroke-dasharray: 2.5 2.5; }
.genealogy .born { fill: #ffffff; stroke: #8a8f98; stroke-width: 1.8; }
.genealogy .arrow { fill: #8a8f98; }
.genealogy .reach, .heir .row { fill: none; }
.genealogy .lost { font-size: 10px; fill: #5a6069; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
.paths .word, .paths .head { font-size: 13px; }
.paths .head, .path.followed .word { font-weight: bold; }
.paths .box { fill: none; stroke: #8a8f98; }
.path .line { fill: none; stroke: #8a8f98; stroke-width: 1.1; stroke-opacity: 0.55; }
.path.followed .line { stroke-width: 3; stroke-opacity: 1; }
.vocabulary-chart .in { fill: #22569c; }
.vocabulary-chart .out { fill: #8a8f98; }
.heading { font-size: 15px; font-weight: bold; }
.subheading { font-weight: bold; }
`;

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text) {
  return String(text).replace(/[&<>"]/g, (letter) => ESCAPES[letter]);
}

function textOf(tree) {
  if (typeof tree === "string") return escaped(tree);
  const entries = Object.entries(tree.attributes).filter(([, value]) => value !== undefined && value !== false);
  const attributes = entries.map(([key, value]) => ` ${key}="${escaped(value)}"`).join("");
  return `<${tree.tag}${attributes}>${tree.children.map(textOf).join("")}</${tree.tag}>`;
}

// A chart at another place, as a group: an SVG inside an SVG is clipped, and that is slow to paint.
function moved(x, y, chart) {
  return node("g", { class: chart.attributes.class, transform: `translate(${x} ${y})` }, chart.children);
}

// A chart under a heading, on white.
function figureOf(heading, chart, below = "") {
  const { width, height } = chart.attributes, margin = 16, top = heading ? 40 : margin, foot = below ? 24 : 0;
  const wide = Math.ceil(width + 2 * margin), tall = Math.ceil(height + top + margin + foot);
  return textOf(node("svg", { xmlns: "http://www.w3.org/2000/svg", ...frame(wide, tall) },
    node("title", {}, heading), node("style", {}, FIGURE_STYLE),
    node("rect", { width: wide, height: tall, fill: "#ffffff" }),
    heading ? node("text", { class: "heading", x: margin, y: 25 }, shortened(heading, 15, width)) : null,
    moved(margin, top, chart),
    below ? node("text", { class: "figure", x: margin, y: tall - 14 }, below) : null));
}

// Words of several topics, as one grid.
function wordGrid(topics, ks, across) {
  const wide = 300, tall = 210;
  const cells = ks.map((k, i) => node("g", { transform: `translate(${(i % across) * wide} ${Math.floor(i / across) * tall})` },
    node("circle", { cx: 6, cy: 10, r: 5, fill: topics[k].colour }),
    node("text", { class: "subheading", x: 17, y: 14 }, shortened(`${topics[k].id}  ${topics[k].label}`, 13, wide - 40)),
    moved(0, 20, wordBars(topics[k].words.slice(0, 8), topics[k].colour, wide - 20))));
  return node("svg", { class: "bars", ...frame(across * wide, Math.ceil(ks.length / across) * tall) }, cells);
}

function learningFigures(data) {
  const named = { documents: "documents", seconds: "time" }, found = {};
  for (const axis of Object.keys(named)) {
    if (axis === "seconds" && !data.trace.some((p) => p.seconds > 0)) continue;
    for (const curve of learningCurves(data, axis)) {
      const kind = curve.colour === data.curves[0] ? "training" : "held-out";
      found[`learning-${kind}-by-${named[axis]}`] = figureOf(curve.name, lineChart(curve.points, { ...curve, width: 640, height: 320 }),
        "as unsure as among so many equally likely words");
    }
  }
  return found;
}

function relationFigures({ topics, relations }) {
  if (!relations) return {};
  const side = Math.max(480, 8 * topics.length), { least, most } = matrixCells(relations);
  return {
    tree: figureOf("Topics whose words are alike meet early", topicTree(topics, relations, 640)),
    similarity: figureOf("How alike the topics are, in the order of the tree", matrixChart(topics, relations, side),
      `white: ${percent(least)}, the least alike; darkest: ${percent(most)}, the most`),
  };
}

function growthFigures({ growth, search, topics, curves }) {
  if (!growth) return {};
  const found = growth.learned ? { "number-of-topics": figureOf("Number of topics", growthChart(growth, curves[0], 720, 340)) } : {};
  (search ? searchCurves(search) : []).forEach((curve, i) => {
    found[`search-${i + 1}`] = figureOf("How many topics", searchChart(search, curve, curves[i], 720, 340));
  });
  if (!growth.lines.length) return found;
  const chart = genealogyChart(growth, topics, 900, false), { width, height } = chart.attributes;
  const whole = node("svg", { class: "genealogy", ...frame(width, height + 24) },
    moved(0, 0, genealogyAxis(growth, width)), moved(0, 24, chart));
  const below = "ring: new from a split; arrow: merged into another; №: the number in the run of a topic that is gone";
  return { ...found, genealogy: figureOf("Splits and merges", whole, below) };
}

// The words of the three largest topics over time, and the vocabulary.
function changeFigures({ changes, topics }, largest) {
  if (!changes) return {};
  const found = {}, leading = largest.filter((k) => changes.wordings[k]).slice(0, 3);
  leading.forEach((k, i) => {
    const wording = changes.wordings[k], shown = momentsBetween(0, changes.moments.length - 1, 8);
    const chart = pathChart(wording, changes, shown, notablePaths(wording, shown), Math.max(140 * shown.length, 420));
    found[`changes-${i + 1}`] = figureOf(`How topic ${topics[k].id} changed: ${topics[k].label}`, chart);
  });
  if (changes.vocabulary.length) found.vocabulary = figureOf("The vocabulary", vocabularyChart(changes, 720, 380));
  return found;
}

function figuresOf(data) {
  const { topics, times, groups } = data;
  const largest = descending(topics.map((_, k) => k), (k) => topics[k].share);
  const order = data.relations ? data.relations.order : largest;
  const found = {};
  if (data.positions.length > 1) found.map = figureOf("Topics, near ones alike", topicMap(topics, data.positions, 860, 640).tree);
  if (data.documentPlaces) found["document-map"] = figureOf("Documents, near ones of like mixes of topics", documentMap(data, 860, 640).tree);
  if (topics.length) found.words = figureOf("Words of the topics, the largest first", wordGrid(topics, largest, Math.min(4, topics.length)));
  if (times) {
    found.times = figureOf(`Topics by ${times.field}`, streamChart(topics, times, order, null, 960, 420));
  }
  if (times) {
    const lines = firstLines(topics, times, order);
    found["time-lines"] = figureOf(`The topics that change most, by ${times.field}`, timeLines(topics, times, lines, null, 960, 420));
  }
  groups.forEach((group, i) => {
    const shown = largest.slice(0, 12), tall = 24 * group.names.length + 40;
    const cells = shown.map((k, j) => node("g", { transform: `translate(${(j % 3) * 360} ${Math.floor(j / 3) * tall})` },
      node("text", { class: "subheading", x: 0, y: 14 }, shortened(topics[k].label, 12.5, 330)),
      moved(0, 20, groupBars(topics[k], k, group, 340))));
    found[`groups-${i + 1}`] = figureOf(`The largest topics by ${group.field}`,
      node("svg", { class: "bars", ...frame(1080, Math.ceil(shown.length / 3) * tall) }, cells));
  });
  return { ...found, ...relationFigures(data), ...growthFigures(data), ...changeFigures(data, largest), ...learningFigures(data), ...predictionFigures(data) };
}

function drawFigures(data) {
  return JSON.stringify(figuresOf(JSON.parse(data)));
}
