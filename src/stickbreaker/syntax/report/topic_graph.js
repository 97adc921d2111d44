
// The topic graph: topics in rows by their depth below the roots, and lines from heads' topics to those below them.
// A topic is its place in the payload's list; -1 is no head.

const NO_HEAD = -1;
const LEAST_CELL = 118; // pixels of a topic, with its label

// The topics that are drawn, the largest, in rows from the top, `columns` in a row.
function graphRows({ topics, most }, columns) {
  const drawn = topics.map((_, k) => k).slice(0, most).sort((a, b) => topics[a].depth - topics[b].depth || a - b);
  const n = Math.ceil(drawn.length / columns), rows = [];
  for (let row = 0, from = 0; row < n; row += 1) {
    const size = Math.ceil((drawn.length - from) / (n - row));
    rows.push(drawn.slice(from, from + size));
    from += size;
  }
  return rows;
}

// Orders each row by where the topics stand that its own are joined to, a few times over, so that lines cross less.
function untangled(rows, edges) {
  const at = new Map([[NO_HEAD, 0.5]]);
  const place = (row) => row.forEach((k, i) => at.set(k, (i + 0.5) / row.length));
  rows.forEach(place);
  const middle = (k) => {
    let sum = 0.2 * at.get(k), total = 0.2;
    for (const [head, topic, share] of edges) {
      const other = head === k ? topic : topic === k ? head : null;
      if (other === null || other === k || !at.has(other)) continue;
      sum += share * at.get(other);
      total += share;
    }
    return sum / total;
  };
  for (let round = 0; round < 8; round += 1) {
    for (const row of round % 2 ? [...rows].reverse() : rows) {
      const wanted = new Map(row.map((k) => [k, middle(k)]));
      row.sort((a, b) => wanted.get(a) - wanted.get(b) || a - b);
      place(row);
    }
  }
  return rows;
}

// Where circles stand: { k, x, y, radius } by topic, the start first, and the size of the drawing.
function placeGraph(data, width) {
  const columns = clamp(Math.floor(width / LEAST_CELL), 2, 8), rows = untangled(graphRows(data, columns), data.edges);
  const cell = width / Math.min(columns, Math.max(...rows.map((row) => row.length), 1));
  const largest = Math.min(0.3 * cell, 34), most = Math.max(...data.topics.map((t) => t.share), 1e-9);
  const tall = 2 * largest + 62, top = 58, circles = new Map([[NO_HEAD, { k: NO_HEAD, x: width / 2, y: 18, radius: 14 }]]);
  rows.forEach((row, i) => row.forEach((k, j) => {
    const stagger = row.length > 1 ? (i % 2 ? 0.12 : -0.12) : 0; // so that lines down a column pass beside circles
    circles.set(k, {
      k, x: ((j + 0.5 + stagger) / row.length) * width, y: top + largest + i * tall,
      radius: Math.max(largest * Math.sqrt(data.topics[k].share / most), 5), room: width / row.length - 6,
    });
  }));
  return { circles, rows, width, height: top + rows.length * tall };
}

// A line between two circles, bent to its right so that those to and fro are apart, and the head of its arrow.
function bentLine(from, to, wide, width) {
  const dx = to.x - from.x, dy = to.y - from.y, far = Math.hypot(dx, dy) || 1, bend = 0.16;
  const cx = clamp((from.x + to.x) / 2 - bend * dy, 3, width - 3), cy = (from.y + to.y) / 2 + bend * dx;
  const shift = (circle, gap) => {
    const long = Math.hypot(cx - circle.x, cy - circle.y) || far;
    return [circle.x + ((cx - circle.x) / long) * (circle.radius + gap), circle.y + ((cy - circle.y) / long) * (circle.radius + gap)];
  };
  const size = 5 + wide, [x1, y1] = shift(from, 2), [x2, y2] = shift(to, 2 + size);
  return { path: `M${x1.toFixed(1)} ${y1.toFixed(1)}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`, ...arrowHead(cx, cy, x2, y2, size) };
}

// From a topic to itself: a loop at its upper right.
function loopLine({ x, y, radius }, wide) {
  const size = 4 + wide, reach = radius + 14 + 0.4 * radius, leave = -1.25, come = -0.25; // angles, from the right
  const at = (angle, far) => [x + far * Math.cos(angle), y + far * Math.sin(angle)];
  const [[x1, y1], [c1, d1], [c2, d2], [x2, y2]] = [at(leave, radius + 1), at(leave, 1.3 * reach), at(come, 1.3 * reach), at(come, radius + 2 + size)];
  const said = (...numbers) => numbers.map((each) => each.toFixed(1)).join(" ");
  return { path: `M${said(x1, y1)}C${said(c1, d1, c2, d2, x2, y2)}`, ...arrowHead(c2, d2, x2, y2, size) };
}

function arrowHead(fromX, fromY, x, y, size) {
  const long = Math.hypot(x - fromX, y - fromY) || 1, ux = (x - fromX) / long, uy = (y - fromY) / long, half = 0.5 * size;
  const point = (along, across) => `${(x + along * ux - across * uy).toFixed(1)} ${(y + along * uy + across * ux).toFixed(1)}`;
  return { head: `M${point(0, half)}L${point(size, 0)}L${point(0, -half)}z` };
}

function edgeLine([head, topic, share], { circles, width }, colour) {
  const from = circles.get(head), to = circles.get(topic);
  if (!from || !to) return null;
  const wide = 0.6 + 5 * share, line = head === topic ? loopLine(from, wide) : bentLine(from, to, wide, width);
  return node("g", { class: "edge", "data-head": head, "data-below": topic, opacity: 0.6 },
    node("path", { class: "stroke", d: line.path, fill: "none", stroke: colour, "stroke-width": wide.toFixed(2) }),
    node("path", { d: line.head, fill: colour }));
}

// Under a circle: number and tag, and the first words that there is room for.
function graphLabel(topic, { x, y, radius, room }, width) {
  const tag = topic.tags.length ? topic.tags[0][0] : "", first = shortened(`${topic.number} ${tag}`.trim(), 12, room);
  const words = topic.words.slice(0, 3).map((w) => w[0]);
  while (words.length > 1 && textWidth(words.join(" "), 12) > room) words.pop();
  const second = shortened(words.join(" "), 12, room), at = (text) => labelPlace(x, text, width);
  return node("g", { class: "graph-label", "aria-hidden": "true" },
    node("text", { class: "halo strong", x: at(first), y: (y + radius + 14).toFixed(1), "text-anchor": "middle" }, first),
    node("text", { class: "halo", x: at(second), y: (y + radius + 28).toFixed(1), "text-anchor": "middle" }, second));
}

function graphDot(topic, { k, x, y, radius }) {
  const tag = topic.tags.length ? `, mostly ${topic.tags[0][0]}` : "";
  return node("circle", {
    class: "dot", cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1), fill: topic.colour, "data-topic": k, role: "button",
    tabindex: -1, "aria-pressed": "false", "aria-label": `${topic.label}${tag}, ${percent(topic.share)} of the words`,
  });
}

function topicGraph(data, width) {
  const placed = placeGraph(data, width), { circles, rows } = placed, start = circles.get(NO_HEAD);
  const grey = "#8a8f98", lines = [...data.edges].sort((a, b) => a[2] - b[2])
    .map((edge) => edgeLine(edge, placed, edge[0] === NO_HEAD ? grey : data.topics[edge[0]].colour));
  const order = rows.flat();
  return {
    ...placed,
    tree: node("svg", { class: "topic-graph", role: "group", "aria-label": "Topic graph", ...frame(width, Math.ceil(placed.height)) },
      node("g", { class: "edges" }, lines),
      node("circle", { cx: start.x.toFixed(1), cy: start.y.toFixed(1), r: 7, fill: grey }),
      node("text", { class: "halo", x: (start.x + 16).toFixed(1), y: start.y + 4 }, "no head"),
      order.map((k) => graphDot(data.topics[k], circles.get(k))),
      order.map((k) => graphLabel(data.topics[k], circles.get(k), width))),
  };
}

// The topic to which an arrow key leads: along a row, or to the nearest one of the row above or below.
function stepInGraph({ rows, circles }, k, key) {
  const row = rows.findIndex((each) => each.includes(k)), order = rows.flat(), at = order.indexOf(k);
  if (key === "ArrowLeft" || key === "ArrowRight") return order[clamp(at + (key === "ArrowLeft" ? -1 : 1), 0, order.length - 1)];
  const other = rows[row + (key === "ArrowUp" ? -1 : 1)] || [k], x = circles.get(k).x;
  return other.reduce((best, next) => (Math.abs(circles.get(next).x - x) < Math.abs(circles.get(best).x - x) ? next : best));
}

// A topic beside the graph: its share, tags, words, and the topics below and above it.
function topicDetails(topic, topics, width) {
  const neighbour = ([k, share]) => node("li", {}, k < 0 ? node("span", {}, "no head") : node("button", { type: "button", class: "plain", "data-topic": k },
    node("span", { class: "spot", style: `background:${topics[k].colour}` }), topics[k].label.replace(/^topic /, "")),
  node("span", { class: "share" }, percent(share)));
  const list = (said, rows) => [node("h4", {}, said), rows.length ? node("ul", { class: "neighbours" }, rows.map(neighbour)) : node("p", { class: "small" }, "None stands out.")];
  return [
    node("h3", {}, node("span", { class: "spot", style: `background:${topic.colour}` }), `Topic ${topic.number}`),
    node("p", { class: "small" }, `${percent(topic.share)} of the words. `, topic.tags.map(([tag, share], i) => [i ? " · " : "", node("bdi", {}, tag), ` ${percent(share)}`]).flat()),
    topic.words.length ? wordBars(topic.words.slice(0, 10), topic.colour, width) : null,
    node("p", { class: "small" }, "A line marks a word’s share of all words; × is how much larger it is here."),
    node("div", { class: "both" }, node("div", {}, list("Below it", topic.below)), node("div", {}, list("Above it", topic.above))),
  ];
}

section({
  figures: (data) => (data.topics.length ? { "topic-graph": figureOf("Topic graph", topicGraph(data, 1080).tree) } : {}),
});
