
// Circles whose places say what is near, pushed apart until none overlap, with labels where there is room. Where a word is
// pointed at, circles are as large as their part of its uses.

// The middle of a circle such that no part of it, nor of its line, is cut off.
function circleInside({ x, y, radius }, width, height) {
  return { x: clamp(x, radius + 3, width - radius - 3), y: clamp(y, radius + 3, height - radius - 3) };
}

// The radius of a circle whose area is a share of all.
function radiusOf(width, height) {
  const scale = Math.sqrt((0.2 * width * height) / Math.PI), largest = 0.2 * Math.min(width, height);
  return (share, least) => clamp(scale * Math.sqrt(share), least, largest);
}

function pushApart(circles, width, height) {
  for (let i = 0; i < circles.length; i += 1) {
    for (let j = 0; j < i; j += 1) {
      const a = circles[i], b = circles[j], dx = a.x - b.x || 1e-3, dy = a.y - b.y, gap = Math.hypot(dx, dy), overlap = a.radius + b.radius + 2 - gap;
      if (overlap <= 0) continue;
      const push = (0.3 * overlap) / gap, part = b.radius / (a.radius + b.radius);
      a.x += dx * push * part; a.y += dy * push * part;
      b.x -= dx * push * (1 - part); b.y -= dy * push * (1 - part);
    }
  }
  for (const c of circles) Object.assign(c, circleInside(c, width, height));
}

function placeCircles({ points, sizes }, width, height) {
  const radius = radiusOf(width, height), circles = points.map((place, k) => place && { k, radius: radius(sizes[k], 4), x: place[0], y: place[1] }).filter(Boolean);
  for (const [axis, room] of [["x", width], ["y", height]]) {
    const values = circles.map((c) => c[axis]), low = Math.min(...values), span = Math.max(...values) - low;
    for (const c of circles) c[axis] = span > 1e-6 ? 40 + ((c[axis] - low) / span) * (room - 80) : room / 2;
  }
  for (let round = 0; round < 80; round += 1) pushApart(circles, width, height);
  return circles.sort((a, b) => b.radius - a.radius);
}

function placeLabels(circles, labels, width, height) {
  const placed = [], free = (box, own) => box.left > 2 && box.right < width - 2 && box.top > 2 && box.bottom < height - 2 && !placed.some((label) => boxesMeet(label.box, box)) && !circles.some((c) => c.k !== own && circleMeets(c, box, 3));
  for (const circle of circles) {
    const place = shortLabels(labels[circle.k]).flatMap((text) => labelPlaces(text, circle, 12)).find(({ box }) => free(box, circle.k));
    if (place) placed.push({ k: circle.k, ...place });
  }
  return placed;
}

// The full label of what is pointed at: it is always shown, where it hides the fewest circles, if need be on its own.
function focusLabel(circles, k, text, width, height) {
  const own = circles.find((circle) => circle.k === k);
  if (!own) return null;
  const inside = (place) => {
    const by = clamp(0, 3 - place.box.left, width - 3 - place.box.right), box = { ...place.box, left: place.box.left + by, right: place.box.right + by };
    return { ...place, x: place.x + by, box };
  };
  const beside = labelPlaces(text, own, 15, width - 12), [{ name, box: first }] = beside.length ? beside : [{ box: {} }], half = (first.right - first.left) / 2; // bold letters of 13.5 are as wide
  const within = { name, anchor: "middle", x: own.x, y: own.y + 5, box: { left: own.x - half, right: own.x + half, top: own.y - 9, bottom: own.y + 9 } };
  const cost = ({ box }) => circles.filter((c) => c.k !== k && circleMeets(c, box, 0)).length + (box.top < 2 || box.bottom > height - 2 ? 99 : 0);
  return (beside.length ? [...beside, within] : []).map(inside).reduce((best, next) => (best && cost(best) <= cost(next) ? best : next), null);
}

view("Map", (value, at) => {
  const { of, sizes, uses = "", help = "" } = value, { own, width, choices: { [of]: choice } } = at, height = width < 480 ? Math.max(0.95 * width, 300) : Math.min(1.3 * width, 720), key = `${width} ${choice.labels.join("\n")}`;
  if (own.key !== key) {
    const circles = placeCircles(value, width, height);
    Object.assign(own, { key, circles, labels: placeLabels(circles, choice.labels, width, height) });
  }
  const { circles, labels } = own, radius = radiusOf(width, height);
  const mix = () => { const place = uses ? at.pointed(uses) : -1; return place >= 0 ? mixOf(at.choices[uses], place) : null; };
  const draw = () => {
    const chosen = at.chosen(of), k = at.pointed(of), parts = mix(), shares = new Map(parts || []), focus = at.figured ? null : focusLabel(circles, k, choice.labels[k], width, height), among = circles.some((circle) => circle.k === chosen);
    const dot = (circle, i) => {
      const size = parts ? radius(shares.get(circle.k) || 0, 1.5) : circle.radius, { x, y } = circleInside({ ...circle, radius: size }, width, height);
      return node("circle", { class: "dot", ...choosable(at, of, circle.k, i === 0, among), cx: x.toFixed(1), cy: y.toFixed(1), r: size.toFixed(1), fill: colourOf(choice, circle.k), "aria-label": `${choice.labels[circle.k]}, ${percent(sizes[circle.k])}`,
        onpointerenter: () => at.point(of, circle.k), onpointerleave: () => at.point(of, -1) });
    };
    const away = (label) => label.k === k || (focus !== null && boxesMeet(label.box, focus.box));
    return node("svg", { class: "map", role: "group", "aria-label": "Map", ...frame(width, height) }, circles.map(dot),
      node("g", { "aria-hidden": "true" }, labels.filter((label) => at.figured || !away(label)).map(labelText)), node("g", { class: "focus-label", "aria-hidden": "true" }, focus ? labelText(focus) : null));
  };
  const note = () => {
    const parts = mix();
    if (!parts) return node("p", { class: "small" }, said(at, help));
    const place = at.pointed(uses), some = parts.slice(0, 4).flatMap(([k, share], i) => [i ? ", " : " ", `${percent(share)} in `, itemNode(at, of, k)]);
    const leave = at.chosen(uses) >= 0 ? [" ", node("button", { type: "button", class: "chip", "data-key": "leave", onclick: () => at.choose(uses, -1) }, "Show the topics’ sizes")] : null;
    return node("p", { class: "small" }, "The circles show where ", node("strong", {}, node("bdi", {}, at.choices[uses].labels[place])), " is used:", some, ".", leave);
  };
  return [at.part("map", draw), at.part("note", note)];
}, 860);
