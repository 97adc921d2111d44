
// How much every two things have in common: a square, in which the stronger the colour of a cell, the more alike they are.

const LEVELS = 16; // of shading
const MOST_ALIKE = 5; // pairs that are named

// The lower triangle, in thousandths of two digits each, as a function of two places in the order.
function likenessOf(digits) {
  const values = Array.from({ length: digits.length / 2 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 36) / 1000);
  return (i, j) => (i === j ? 1 : values[(Math.max(i, j) * (Math.max(i, j) - 1)) / 2 + Math.min(i, j)]);
}

function pairsOf(order, likeness) {
  return order.flatMap((k, i) => order.slice(0, i).map((other, j) => [likeness(i, j), Math.min(k, other), Math.max(k, other)]))
    .sort((a, b) => b[0] - a[0] || a[2] - b[2] || a[1] - b[1]);
}

// One path a level, in which cells of a row that touch are one: a hundred times fewer nodes than one rectangle a cell.
function matrixCells(order, likeness, least, most, side) {
  const n = order.length, step = side / n, gap = step > 6 ? 1 : 0, paths = new Map(), levelOf = (y, x) => (y === x ? -1 : Math.round(((likeness(y, x) - least) * LEVELS) / Math.max(most - least, 1e-9)));
  for (let y = 0; y < n; y += 1) {
    for (let x = 0, end = 0; x < n; x = end) {
      const level = levelOf(y, x);
      end = x + 1;
      while (!gap && end < n && levelOf(y, end) === level) end += 1;
      if (level) paths.set(level, `${paths.get(level) || ""}M${(x * step).toFixed(1)} ${(y * step).toFixed(1)}h${((end - x) * step - gap).toFixed(1)}v${(step - gap).toFixed(1)}H${(x * step).toFixed(1)}z`);
    }
  }
  return [...paths].sort((a, b) => a[0] - b[0]).map(([level, d]) => node("path", level < 0 ? { class: "self", d } : { class: "shade", d, "fill-opacity": (level / LEVELS).toFixed(3) }));
}

view("Matrix", ({ of, order, likeness: digits }, at) => {
  const { own, choices } = at, { labels } = choices[of], side = Math.min(at.width, 620), step = side / order.length, likeness = likenessOf(digits), pairs = pairsOf(order, likeness);
  const [most] = pairs[0], [least] = pairs[pairs.length - 1], first = pairs.slice(0, MOST_ALIKE), item = (k) => itemNode(at, of, k);
  const spoken = `How alike ${order.length} are. Most alike: ${first.map(([share, j, k]) => `${labels[j]} and ${labels[k]} ${percent(share)}`).join("; ")}`;
  const cross = () => {
    const i = order.indexOf(at.chosen(of)), box = { x: (i * step).toFixed(1), y: (i * step).toFixed(1), width: step.toFixed(1), height: step.toFixed(1) };
    return node("svg", { class: "matrix", "aria-hidden": "true", ...frame(side, side) }, i < 0 ? [] : [node("rect", { class: "cross", ...box, x: 0, width: side }), node("rect", { class: "cross", ...box, y: 0, height: side })]);
  };
  const pairAt = (event) => {
    const box = event.currentTarget.getBoundingClientRect(), place = (offset, room) => clamp(Math.floor((offset / room) * order.length), 0, order.length - 1);
    return [place(event.clientY - box.top, box.height), place(event.clientX - box.left, box.width)];
  };
  const told = () => {
    const [i, j] = own.pair || [-1, -1];
    if (i < 0) return node("p", { class: "small pair" }, "Point at a cell to see which two it is of; choose it to go to one.");
    return node("p", { class: "small pair" }, item(order[i]), i === j ? null : [" and ", item(order[j]), `: ${percent(likeness(i, j))} alike`]);
  };
  const tell = (event) => { const pair = pairAt(event); if (String(pair) !== String(own.pair)) { own.pair = pair; at.redraw("pair"); } };
  const legend = Array.from({ length: LEVELS }, (_, i) => node("rect", { class: "shade", x: i * 9, y: 0, width: 9, height: 10, "fill-opacity": ((i + 1) / LEVELS).toFixed(3) }));
  return [node("div", { class: "square", style: `width:${side}px`, onpointermove: tell, onclick: (event) => at.choose(of, order[pairAt(event)[0]]) },
    node("svg", { class: "matrix", role: "img", "aria-label": spoken, ...frame(side, side) }, node("rect", { class: "ground", x: 0, y: 0, width: side, height: side }), matrixCells(order, likeness, least, most, side)), at.part("cross", cross)),
  at.part("pair", told), node("p", { class: "small legend" }, `${percent(least)}, the least alike`, node("svg", { "aria-hidden": "true", ...frame(9 * LEVELS, 10) }, legend), `${percent(most)}, the most`),
  node("p", { class: "small" }, "Most alike:"), node("ul", { class: "plain-list" }, first.map(([share, j, k]) => node("li", {}, item(j), " and ", item(k), ` ${percent(share)}`)))];
}, 640);
