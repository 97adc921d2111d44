
// A tree of things, from its root at the left to a row for each.

const LEAF_ROW = 21;

view("TopicTree", ({ of, order, merges }, at) => {
  const width = at.width - 14, { labels, ...choice } = at.choices[of], deep = Math.round(width * 0.42), highest = Math.max(...merges.map((m) => m[2])), lowest = Math.min(...merges.map((m) => m[2]));
  const span = 1.1 * (highest - lowest) || 1, places = new Map(order.map((k, i) => [k, { x: deep, y: (i + 0.5) * LEAF_ROW }]));
  const branches = merges.map(([a, b, high], i) => {
    const one = places.get(a), other = places.get(b), x = 4 + ((highest - high) / span) * (deep - 14);
    places.set(labels.length + i, { x, y: (one.y + other.y) / 2 });
    return `M${one.x.toFixed(1)} ${one.y.toFixed(1)}H${x.toFixed(1)}V${other.y.toFixed(1)}H${other.x.toFixed(1)}`;
  });
  const chosen = at.chosen(of), among = order.includes(chosen); // bold letters are wider
  const leaf = (k, i) => node("g", { class: "leaf pointed", ...choosable(at, of, k, i === 0, among), "aria-label": labels[k] },
    node("rect", { class: "row-ground", x: deep + 2, y: i * LEAF_ROW + 1, width: width - deep - 4, height: LEAF_ROW - 2, rx: 4 }),
    node("circle", { cx: deep + 12, cy: (i + 0.5) * LEAF_ROW, r: 4.5, fill: colourOf(choice, k) }),
    node("text", { x: deep + 23, y: (i + 0.5) * LEAF_ROW + 4.5 }, shortened(labels[k], k === chosen ? 14 : 12.5, width - deep - 32)));
  return node("div", { class: "scroll plain tall" }, node("svg", { class: "tree", role: "group", "aria-label": "Tree: near branches are alike", ...frame(width, LEAF_ROW * order.length) },
    node("path", { class: "branches", d: branches.join("") }), order.map(leaf)));
}, 640);
