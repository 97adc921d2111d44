
// How topics relate: the matrix of their similarities and the tree that orders it.

const LEVELS = 16; // of shading

// The lower triangle that the page holds, in thousandths of two digits each, as a function of two topics.
function similarityOf(relations) {
  const digits = relations.similarity;
  const values = Array.from({ length: digits.length / 2 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 36) / 1000);
  return (i, j) => (i === j ? 1 : values[(Math.max(i, j) * (Math.max(i, j) - 1)) / 2 + Math.min(i, j)]);
}

function alikePairs(relations, n) {
  const similarity = similarityOf(relations), shown = [...relations.order].sort((a, b) => a - b), pairs = [];
  shown.forEach((i, at) => shown.slice(0, at).forEach((j) => pairs.push([similarity(i, j), j, i])));
  return pairs.sort((a, b) => b[0] - a[0] || a[2] - b[2] || a[1] - b[1]).slice(0, n);
}

// The cells as { x, y, level }, in the order of the tree; level is 0 for the least alike, LEVELS for the most, and
// -1 on the diagonal.
function matrixCells(relations) {
  const { order } = relations, similarity = similarityOf(relations);
  let least = 1, most = 0;
  order.forEach((i) => order.forEach((j) => {
    if (i !== j) { least = Math.min(least, similarity(i, j)); most = Math.max(most, similarity(i, j)); }
  }));
  const scale = LEVELS / Math.max(most - least, 1e-9), cells = [];
  order.forEach((i, y) => order.forEach((j, x) => {
    cells.push({ x, y, level: i === j ? -1 : Math.round((similarity(i, j) - least) * scale) });
  }));
  return { cells, least, most, size: order.length };
}

function matrixSpoken(topics, relations) {
  const said = alikePairs(relations, 5).map(([share, i, j]) => `${topics[i].label} and ${topics[j].label} ${percent(share)}`);
  return `How alike the ${relations.order.length} topics are. Most alike: ${said.join("; ")}`;
}

// One path a level: a hundred times fewer nodes than one rectangle a cell.
function matrixChart(topics, relations, side) {
  const { cells, size } = matrixCells(relations);
  const step = side / size, paths = new Map();
  const gap = step > 6 ? 1 : 0;
  for (const { x, y, level } of cells) {
    const d = `M${(x * step).toFixed(1)} ${(y * step).toFixed(1)}h${(step - gap).toFixed(1)}v${(step - gap).toFixed(1)}h-${(step - gap).toFixed(1)}z`;
    paths.set(level, (paths.get(level) || "") + d);
  }
  const shown = [...paths].filter(([level]) => level !== 0).sort((a, b) => a[0] - b[0]);
  return node("svg", { class: "matrix", role: "img", "aria-label": matrixSpoken(topics, relations), ...frame(side, side) },
    node("rect", { class: "track", x: 0, y: 0, width: side, height: side }),
    shown.map(([level, d]) => node("path", level < 0 ? { class: "self", d }
      : { class: "shade", d, "fill-opacity": (level / LEVELS).toFixed(3) })),
    node("g", { class: "cross" }));
}

// The row and the column of a topic.
function matrixCross(relations, k, side) {
  const at = relations.order.indexOf(k), step = side / relations.order.length;
  if (at < 0) return [];
  const box = { x: (at * step).toFixed(1), y: (at * step).toFixed(1), width: step.toFixed(1), height: step.toFixed(1) };
  return [node("rect", { ...box, x: 0, width: side }), node("rect", { ...box, y: 0, height: side })];
}

function shadeLegend({ least, most }) {
  const steps = Array.from({ length: LEVELS }, (_, i) => node("rect",
    { class: "shade", x: i * 9, y: 0, width: 9, height: 10, "fill-opacity": ((i + 1) / LEVELS).toFixed(3) }));
  return node("span", { class: "legend" }, `${percent(least)}, the least alike`,
    node("svg", { "aria-hidden": "true", ...frame(9 * LEVELS, 10) }, steps), `${percent(most)}, the most`);
}

// The tree, from its root at the left to a row a topic.
function topicTree(topics, relations, width) {
  const row = 21, deep = Math.round(width * 0.42), { order, merges } = relations;
  const heights = merges.map((m) => m[2]), highest = Math.max(...heights), lowest = Math.min(...heights);
  const span = 1.1 * (highest - lowest) || 1, height = row * order.length;
  const places = new Map(order.map((k, i) => [k, { x: deep, y: (i + 0.5) * row }]));
  const branches = merges.map(([a, b, high], i) => {
    const one = places.get(a), other = places.get(b), x = 4 + ((highest - high) / span) * (deep - 14);
    places.set(topics.length + i, { x, y: (one.y + other.y) / 2 });
    return `M${one.x.toFixed(1)} ${one.y.toFixed(1)}H${x.toFixed(1)}V${other.y.toFixed(1)}H${other.x.toFixed(1)}`;
  });
  const leaf = (k, i) => node("g",
    { class: "leaf", "data-topic": k, role: "button", tabindex: -1, "aria-pressed": "false", "aria-label": topics[k].label },
    node("rect", { class: "row", x: deep + 2, y: i * row + 1, width: width - deep - 4, height: row - 2, rx: 4 }),
    node("circle", { cx: deep + 12, cy: (i + 0.5) * row, r: 4.5, fill: topics[k].colour }),
    node("text", { x: deep + 23, y: (i + 0.5) * row + 4.5 }, shortened(topics[k].label, 12.5, width - deep - 32)));
  return node("svg", { class: "tree", role: "group", "aria-label": "Tree of the topics: near branches share words", ...frame(width, height) },
    node("path", { class: "branches", d: branches.join("") }), order.map(leaf));
}
