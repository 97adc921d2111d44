
// A graph of things: circles in rows by their depth below the root, and bent lines between them. A node's place in the graph's
// choice names it; -1 is the root.

const ROOT = -1;
const LEAST_CELL = 118; // pixels of a node, with its label

// The nodes in rows from the top, `columns` in a row.
function graphRows(nodes, columns) {
  const drawn = [...nodes].sort((a, b) => a.depth - b.depth || a.k - b.k).map(({ k }) => k);
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
  const at = new Map([[ROOT, 0.5]]);
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

// Where circles stand: { k, x, y, radius } by place, the root first, and the size of the drawing.
function placeGraph(nodes, edges, width) {
  const columns = clamp(Math.floor(width / LEAST_CELL), 2, 8), rows = untangled(graphRows(nodes, columns), edges), sizes = new Map(nodes.map(({ k, size }) => [k, size]));
  const cell = width / Math.min(columns, Math.max(...rows.map((row) => row.length), 1));
  const largest = Math.min(0.3 * cell, 34), most = Math.max(...sizes.values(), 1e-9);
  const tall = 2 * largest + 62, top = 58, circles = new Map([[ROOT, { k: ROOT, x: width / 2, y: 18, radius: 14 }]]);
  rows.forEach((row, i) => row.forEach((k, j) => {
    const stagger = row.length > 1 ? (i % 2 ? 0.12 : -0.12) : 0; // so that lines down a column pass beside circles
    circles.set(k, {
      k, x: ((j + 0.5 + stagger) / row.length) * width, y: top + largest + i * tall,
      radius: Math.max(largest * Math.sqrt(sizes.get(k) / most), 5), room: width / row.length - 6,
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

// From a node to itself: a loop at its upper right.
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

function edgeLine([head, below, share], { circles, width }, colour, chosen) {
  const from = circles.get(head), to = circles.get(below);
  if (!from || !to) return null;
  const wide = 0.6 + 5 * share, line = head === below ? loopLine(from, wide) : bentLine(from, to, wide, width);
  return node("g", { class: head === chosen || below === chosen ? "edge own" : "edge", opacity: 0.6 },
    node("path", { class: "stroke", d: line.path, fill: "none", stroke: colour, "stroke-width": wide.toFixed(2) }), node("path", { d: line.head, fill: colour }));
}

// Under a circle: its first line, and as many words of the others as there is room for.
function graphLabel([head, ...others], { x, y, radius, room }, width) {
  const first = shortened(head, 12, room), words = [...others];
  while (words.length > 1 && textWidth(words.join(" "), 12) > room) words.pop();
  const second = shortened(words.join(" "), 12, room), at = (text) => labelPlace(x, text, width);
  return node("g", { "aria-hidden": "true" },
    node("text", { class: "halo strong", x: at(first), y: (y + radius + 14).toFixed(1), "text-anchor": "middle" }, first),
    node("text", { class: "halo", x: at(second), y: (y + radius + 28).toFixed(1), "text-anchor": "middle" }, second));
}

// The node to which an arrow key leads: along a row, or to the nearest one of the row above or below.
function stepInGraph({ rows, circles }, k, key) {
  const row = rows.findIndex((each) => each.includes(k)), order = rows.flat(), at = order.indexOf(k);
  if (key === "ArrowLeft" || key === "ArrowRight") return order[clamp(at + (key === "ArrowLeft" ? -1 : 1), 0, order.length - 1)];
  const other = rows[row + (key === "ArrowUp" ? -1 : 1)] || [k], x = circles.get(k).x;
  return other.reduce((best, next) => (Math.abs(circles.get(next).x - x) < Math.abs(circles.get(best).x - x) ? next : best));
}

view("Graph", ({ of, nodes: given, edges, root }, at) => {
  const nodes = given.map(([k, size, depth, lines, note]) => ({ k, size, depth, lines, note })), byPlace = new Map(nodes.map((each) => [each.k, each]));
  const placed = placeGraph(nodes, edges, at.width), { circles, rows } = placed, start = circles.get(ROOT), chosen = at.chosen(of), choice = at.choices[of], order = rows.flat();
  const dot = (k, i) => {
    const { x, y, radius } = circles.get(k), press = choosable(at, of, k, i === 0), own = press.onkeydown;
    const onkeydown = (event) => {
      if (!event.key.startsWith("Arrow")) return own(event);
      event.preventDefault();
      event.stopPropagation();
      return at.choose(of, stepInGraph(placed, k, event.key), false, event.target);
    };
    return node("circle", { class: "dot", ...press, onkeydown, onfocus: () => { if (at.chosen(of) !== k) at.choose(of, k); },
      cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1), fill: colourOf(choice, k), "aria-label": byPlace.get(k).note });
  };
  const lines = [...edges].sort((a, b) => a[2] - b[2]).map((edge) => edgeLine(edge, placed, edge[0] === ROOT ? "#8a8f98" : colourOf(choice, edge[0]), chosen));
  return node("svg", { class: byPlace.has(chosen) ? "graph one" : "graph", role: "group", "aria-label": "Graph", onclick: () => at.choose(of, -1), ...frame(at.width, Math.ceil(placed.height)) },
    node("g", {}, lines), node("circle", { cx: start.x.toFixed(1), cy: start.y.toFixed(1), r: 7, fill: "#8a8f98" }), node("text", { class: "halo", x: (start.x + 16).toFixed(1), y: start.y + 4 }, root),
    order.map(dot), order.map((k) => graphLabel(byPlace.get(k).lines, circles.get(k), at.width)));
}, 1080);
