
// Labels of places in the plane, where there is room.

// The longest names that a thing goes by on a map: its label, of a label of words two, or one.
function shortLabels(label) {
  const words = label.split(", ");
  return words.length < 2 ? [label] : [words.slice(0, 2).join(", "), words[0]];
}

function boxesMeet(a, b) {
  return a.left <= b.right && a.right >= b.left && a.top <= b.bottom && a.bottom >= b.top;
}

function circleMeets(circle, box, margin) {
  const dx = clamp(circle.x, box.left, box.right) - circle.x, dy = clamp(circle.y, box.top, box.bottom) - circle.y;
  return Math.hypot(dx, dy) <= circle.radius + margin;
}

// Where a label of a circle may stand: beside it, below, above, or aslant.
function labelPlaces(text, { x, y, radius }, size, room = 150) {
  const name = shortened(text || "", size, room);
  if (!name) return [];
  const wide = textWidth(name, size) + 4, tall = size + 3, reach = radius + 4, slant = 0.7 * reach;
  const at = (anchor, left, top) => ({ name, anchor, box: { left, right: left + wide, top, bottom: top + tall }, x: left + { start: 2, middle: wide / 2, end: wide - 2 }[anchor], y: top + size });
  return [at("start", x + reach, y - tall / 2), at("end", x - reach - wide, y - tall / 2), at("middle", x - wide / 2, y + reach - 2), at("middle", x - wide / 2, y - reach - size - 1),
    at("start", x + slant, y + slant - 2), at("end", x - slant - wide, y + slant - 2), at("start", x + slant, y - slant - size), at("end", x - slant - wide, y - slant - size)];
}

function labelText({ x, y, anchor, name }) {
  return node("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor }, name);
}
