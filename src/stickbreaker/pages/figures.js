
// Figures as the text of SVG files, for an interpreter that has no page.

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
.unigram { fill: none; stroke: #5a6069; stroke-width: 1.6; stroke-dasharray: 6 4; }
.branches { fill: none; stroke: #8a8f98; stroke-width: 1.2; }
.leaf .row { fill: none; }
.matrix .track { fill: #ffffff; }
.shade { fill: #22569c; }
.self, .volume { fill: #8a8f98; }
.layer { stroke: #ffffff; stroke-width: 0.8; }
.curve.table { stroke: #5a6069; stroke-width: 1.6; stroke-dasharray: 5 3; }
.range { stroke-width: 2; }
.leader { fill: none; stroke-width: 1.2; }
.sign { fill: #1e2227; }
.up, .shade { fill: #22569c; }
.down { fill: #8a8f98; }
.track { fill: #eae8e1; }
.row-ground, .hover { fill: none; }
.search-chart .alike { fill: #f1ead0; }
.search-chart .run { fill: #ffffff; stroke-width: 2; }
.growth-chart .split, .growth-chart .merge { fill: #1e2227; }
.genealogy .line { fill: none; stroke: #8a8f98; stroke-width: 2; }
.genealogy .joined { stroke-width: 1.5; stroke-dasharray: 2.5 2.5; }
.genealogy .born { fill: #ffffff; stroke: #8a8f98; stroke-width: 1.8; }
.genealogy .arrow { fill: #8a8f98; }
.genealogy .reach, .heir .row { fill: none; }
.genealogy .lost { font-size: 12px; fill: #5a6069; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
.paths .word, .paths .head { font-size: 13px; }
.paths .head, .path.followed .word { font-weight: bold; }
.paths .box, .paths .ground { fill: none; stroke: #8a8f98; }
.path .line { fill: none; stroke: #8a8f98; stroke-width: 1.1; stroke-opacity: 0.55; }
.path.followed .line { stroke-width: 3; stroke-opacity: 1; }
.vocabulary-chart .in { fill: #22569c; }
.vocabulary-chart .out { fill: #8a8f98; }
.excerpt { stroke: #1e2227; stroke-width: 3; }
.heading { font-size: 15px; font-weight: bold; }
.subheading { font-weight: bold; }
`;

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text) {
  return String(text).replace(/[&<>"]/g, (letter) => ESCAPES[letter]);
}

// What a picture shows of a tree: all but what only a pointer finds.
function shownChildren(tree) {
  return tree.children.filter((child) => !(child.attributes && child.attributes.class === "hover"));
}

function textOf(tree) {
  if (typeof tree === "string") return escaped(tree);
  const entries = Object.entries(tree.attributes).filter(([, value]) => value !== undefined && value !== false && typeof value !== "function");
  const attributes = entries.map(([key, value]) => ` ${key}="${escaped(value)}"`).join("");
  return `<${tree.tag}${attributes}>${shownChildren(tree).map(textOf).join("")}</${tree.tag}>`;
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

// The first drawing in trees.
function firstDrawing(trees) {
  for (const tree of [trees].flat(9)) {
    const found = !tree || !tree.tag ? null : tree.tag === "svg" && tree.attributes.width ? tree : firstDrawing(tree.children);
    if (found) return found;
  }
  return null;
}

// The views that have the name of a figure, wherever they stand.
function viewFigures(value, choices, found) {
  if (typeof value !== "object" || value === null) return found;
  if (value.figure) {
    const { draw, wide } = DRAWERS[value.view];
    const first = (of) => (choices[of] ? choices[of].first : -1), nothing = () => {};
    const at = { figured: true, width: wide, own: {}, choices, chosen: first, known: first, pointed: first, choose: nothing, point: nothing, relabel: nothing, redraw: nothing, part: (_, part) => node("div", {}, part()) };
    const drawing = firstDrawing(draw(value, at));
    if (drawing) found[value.figure] = figureOf(value.title || "", drawing, value.said || "");
  }
  Object.values(value).forEach((held) => viewFigures(held, choices, found));
  return found;
}

// The figures of all sections as the text of SVG files by name, from the payload as JSON.
function drawFigures(text) {
  const data = JSON.parse(text), found = {};
  if (data.choices) viewFigures([data.sections, data.figures], data.choices, found);
  return JSON.stringify(found);
}
