
// The map: a circle a topic, pushed apart until none overlap, with labels where there is room.

function topicMap(topics, positions, width, height) {
  const circles = placeCircles(topics, positions, width, height);
  const labels = placeLabels(circles, topics, width, height, 12);
  const largestFirst = [...circles].sort((a, b) => b.radius - a.radius);
  const tree = node("svg",
    { class: "map", role: "group", "aria-label": "Map of the topics", ...frame(width, height) },
    largestFirst.map((circle) => topicDot(circle, topics[circle.k])),
    node("g", { class: "labels", "aria-hidden": "true" }, labels.map((l) => labelText(l, { "data-label": l.k }))),
    node("g", { class: "focus-label", "aria-hidden": "true" }));
  return { tree, circles, labels, width, height, radiusOf: radiusOf(width, height) };
}

function topicDot(circle, topic) {
  return node("circle", {
    class: "dot", cx: circle.x.toFixed(1), cy: circle.y.toFixed(1), r: circle.radius.toFixed(1), fill: topic.colour,
    "data-topic": circle.k, role: "button", tabindex: -1, "aria-pressed": "false",
    "aria-label": `${topic.label}, ${percent(topic.share)}`,
  });
}

function labelText(label, attributes) {
  const place = { x: label.x.toFixed(1), y: label.y.toFixed(1), "text-anchor": label.anchor };
  return node("text", { ...place, ...attributes }, label.name);
}

// The radius of a circle whose area is a share of all.
function radiusOf(width, height) {
  const scale = Math.sqrt((0.2 * width * height) / Math.PI), largest = 0.2 * Math.min(width, height);
  return (share, least) => clamp(scale * Math.sqrt(share), least, largest);
}

function placeCircles(topics, positions, width, height) {
  const radius = radiusOf(width, height);
  const circles = topics.map((topic, k) => (
    { k, radius: radius(topic.share, 4), x: positions[k][0], y: positions[k][1] })).filter(({ k }) => !topics[k].unused);
  for (const [axis, room] of [["x", width], ["y", height]]) {
    const values = circles.map((c) => c[axis]);
    const low = Math.min(...values), span = Math.max(...values) - low;
    for (const c of circles) c[axis] = span > 1e-6 ? 40 + ((c[axis] - low) / span) * (room - 80) : room / 2;
  }
  for (let round = 0; round < 80; round += 1) pushApart(circles, width, height);
  return circles;
}

function pushApart(circles, width, height) {
  for (let i = 0; i < circles.length; i += 1) {
    for (let j = 0; j < i; j += 1) {
      const a = circles[i], b = circles[j];
      const dx = a.x - b.x || 1e-3, dy = a.y - b.y;
      const gap = Math.hypot(dx, dy);
      const overlap = a.radius + b.radius + 2 - gap;
      if (overlap <= 0) continue;
      const push = (0.3 * overlap) / gap, part = b.radius / (a.radius + b.radius);
      a.x += dx * push * part; a.y += dy * push * part;
      b.x -= dx * push * (1 - part); b.y -= dy * push * (1 - part);
    }
  }
  for (const c of circles) Object.assign(c, circleInside(c, width, height));
}

// The middle of a circle such that no part of it, nor of its line, is cut off.
function circleInside({ x, y, radius }, width, height) {
  return { x: clamp(x, radius + 3, width - radius - 3), y: clamp(y, radius + 3, height - radius - 3) };
}

function boxesMeet(a, b) {
  return a.left <= b.right && a.right >= b.left && a.top <= b.bottom && a.bottom >= b.top;
}

function circleMeets(circle, box, margin) {
  const dx = clamp(circle.x, box.left, box.right) - circle.x, dy = clamp(circle.y, box.top, box.bottom) - circle.y;
  return Math.hypot(dx, dy) <= circle.radius + margin;
}

function placeLabels(circles, topics, width, height, size) {
  const labels = [];
  const free = (box, own) => box.left > 2 && box.right < width - 2 && box.top > 2 && box.bottom < height - 2
    && !labels.some((label) => boxesMeet(label.box, box))
    && !circles.some((c) => c.k !== own && circleMeets(c, box, 3));
  for (const circle of [...circles].sort((a, b) => b.radius - a.radius)) {
    const places = shortLabels(topics[circle.k]).flatMap((text) => labelPlaces(text, circle, size));
    const place = places.find((p) => free(p.box, circle.k));
    if (place) labels.push({ k: circle.k, ...place });
  }
  return labels;
}

// What a topic goes by on a map, the longest first: its name, or its first words.
function shortLabels({ label, named, words }) {
  const first = words.slice(0, 2).map((w) => w[0]);
  return named ? [label] : [first.join(", "), first[0]];
}

function labelPlaces(text, circle, size, room = 150) {
  const name = shortened(text || "", size, room);
  if (!name) return [];
  const { x, y } = circle;
  const wide = textWidth(name, size) + 4, tall = size + 3, reach = circle.radius + 4, slant = 0.7 * reach;
  const at = (anchor, left, top) => ({
    name, anchor, box: { left, right: left + wide, top, bottom: top + tall },
    x: left + { start: 2, middle: wide / 2, end: wide - 2 }[anchor], y: top + size,
  });
  return [
    at("start", x + reach, y - tall / 2), at("end", x - reach - wide, y - tall / 2),
    at("middle", x - wide / 2, y + reach - 2), at("middle", x - wide / 2, y - reach - size - 1),
    at("start", x + slant, y + slant - 2), at("end", x - slant - wide, y + slant - 2),
    at("start", x + slant, y - slant - size), at("end", x - slant - wide, y - slant - size),
  ];
}

// The full label of the topic in focus: it is always shown, where it hides the fewest circles.
function focusLabel(map, k, name) {
  const inside = (place) => {
    const by = clamp(0, 3 - place.box.left, map.width - 3 - place.box.right);
    const box = { ...place.box, left: place.box.left + by, right: place.box.right + by };
    return { ...place, x: place.x + by, box };
  };
  const own = map.circles.find((circle) => circle.k === k);
  if (!own) return null;
  const cost = ({ box }) => map.circles.filter((c) => circleMeets(c, box, 0)).length
    + (box.top < 2 || box.bottom > map.height - 2 ? 99 : 0);
  const places = labelPlaces(name, own, 15, map.width - 12).map(inside); // bold letters of 13.5 are as wide
  return places.reduce((best, next) => (best && cost(best) <= cost(next) ? best : next), null);
}

// Word bars. Words stand in the order in which they came, that of the model, or (lambda not null) by relevance: lambda
// is 1 for the most frequent, 0 for those with the highest lift, among words a tenth as frequent as the tenth or more.

function rankedWords(words, lambda, n) {
  if (lambda === null) return words.slice(0, n);
  const tenth = words.map((w) => w[1]).sort((a, b) => b - a)[Math.min(10, words.length) - 1];
  const floor = lambda < 1 ? (0.1 - 1e-6) * (tenth || 0) : 0; // a tenth is no less for its last digits
  const relevance = ([, probability, overall]) => {
    const p = Math.max(probability, 1e-12), lift = p / Math.max(overall, 1e-12);
    return Math.exp(lambda * Math.log(p) + (1 - lambda) * Math.log(lift));
  };
  return descending(words.filter((w) => w[1] >= floor), relevance).slice(0, n);
}

// `describe`, where given, says more of a word; then each can be pointed at.
function wordBars(words, colour, width, describe) {
  const row = 23, left = Math.round(width * 0.36), room = width - left - 96, height = row * words.length;
  const most = Math.max(...words.map((w) => w[1]), 1e-12);
  const spoken = words.map((w) => `${w[0]} ${percent(w[1])}`).join(", ");
  const wide = (p) => Math.max((p / most) * room, 1.5).toFixed(1);
  const bar = ([word, p, overall], i) => {
    const top = i * row, mark = (left + Math.min(overall / most, 1) * room).toFixed(1);
    const pointed = describe ? { class: "pointed", "data-point": word, role: "button", tabindex: i ? -1 : 0, "aria-pressed": "false",
      "aria-label": `${word} ${percent(p)}; ${describe(word)}` } : {};
    return node("g", pointed,
      describe ? node("rect", { class: "row", x: 0, y: top, width, height: row, rx: 4 }) : null,
      node("text", { class: "word", x: left - 9, y: top + 16, "text-anchor": "end" }, shortened(word, 13.5, left - 9)),
      node("rect", { x: left, y: top + 4, width: wide(p), height: row - 8, rx: 2, fill: colour }),
      node("line", { class: "overall", x1: mark, x2: mark, y1: top + 2, y2: top + row - 2 }),
      node("text", { class: "figure", x: width - 52, y: top + 16, "text-anchor": "end" }, percent(p)),
      node("text", { class: "figure", x: width, y: top + 16, "text-anchor": "end" }, times(p / overall)));
  };
  return node("svg",
    { class: "bars", role: describe ? "group" : "img", "aria-label": `Words of the topic${describe ? "" : `: ${spoken}`}`, ...frame(width, height) },
    words.map(bar));
}

// A document's mix of topics, as one bar.

function mixBar(mix, topics) {
  const spoken = mix.map(([k, share]) => `${percent(share)} ${topics[k].label}`).join("; ");
  let end = 0;
  const parts = mix.map(([k, share]) => {
    const start = end;
    end = Math.min(end + 100 * share, 100);
    const wide = Math.max(end - start - 0.6, 0.3).toFixed(2);
    return node("rect", { x: start.toFixed(2), y: 0, width: wide, height: 10, fill: topics[k].colour },
      node("title", {}, `${percent(share)} ${topics[k].label}`));
  });
  return node("svg",
    {
      class: "mix", role: "img", "aria-label": `Topics: ${spoken || "none stands out"}`,
      viewBox: "0 0 100 10", preserveAspectRatio: "none",
    },
    node("rect", { class: "track", x: 0, y: 0, width: 100, height: 10 }), parts);
}

// A part of a chart that shows nothing, and says something when it is pointed at.
function hoverPart(x, width, top, bottom, said) {
  return node("rect", { class: "hover", fill: "none", "pointer-events": "all", x: x.toFixed(1), width: width.toFixed(1), y: top.toFixed(1), height: (bottom - top).toFixed(1) },
    node("title", {}, said));
}

