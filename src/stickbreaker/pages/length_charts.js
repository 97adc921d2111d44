
// Charts of numbers by a length, of contexts or of texts.

// 0.123 and 1,234: three digits or more.
function shortNumber(value) {
  return value >= 100 ? grouped(value) : value >= 10 ? value.toFixed(1) : value.toFixed(value >= 1 ? 2 : 3);
}

function lengthName(length, unit = "word") {
  return length === 1 ? `1 ${unit}` : `${length} ${unit}s`;
}

// What charts by length share: places of the lengths and of values between 0 and `most`, the grid and the names below.
function lengthAxes(lengths, most, width, height, axis = "words of the context") {
  const left = 58, right = width - 14, top = 14, bottom = height - 40, step = (right - left) / lengths.length;
  const yTicks = ticks(0, most, 5), high = Math.max(most, yTicks[yTicks.length - 1]);
  const px = (i) => left + (i + 0.5) * step, py = (y) => bottom - (y / high) * (bottom - top);
  const every = Math.max(Math.ceil(22 / step), 1), fine = yTicks.length > 1 && yTicks[1] < 1;
  const grid = yTicks.flatMap((y) => [
    node("line", { class: "grid", x1: left, x2: right, y1: py(y).toFixed(1), y2: py(y).toFixed(1) }),
    node("text", { class: "figure", x: left - 9, y: (py(y) + 4).toFixed(1), "text-anchor": "end" },
      fine ? String(Number(y.toFixed(4))) : y < 100 ? String(Number(y.toFixed(1))) : grouped(y))]);
  const names = lengths.map((length, i) => (i % every ? null : node("text",
    { class: "figure", x: px(i).toFixed(1), y: bottom + 19, "text-anchor": "middle" }, String(length))));
  const said = node("text", { class: "axis", x: right, y: height - 4, "text-anchor": "end" }, axis);
  return { px, py, step, bottom, around: [grid, names, said].flat() };
}

// A dot for each length, with its range.
function spreadChart(lengths, spreads, { name, colour, width, height, most }) {
  const { px, py, around } = lengthAxes(lengths, most || 1.05 * Math.max(...spreads.map((s) => s[2]), 1e-9), width, height);
  const say = (i) => `${lengthName(lengths[i])}: ${shortNumber(spreads[i][0])}, between ${shortNumber(spreads[i][1])} and ${shortNumber(spreads[i][2])}`;
  const mark = ([mean, low, high], i) => node("g", {}, node("title", {}, say(i)),
    node("line", { class: "range", x1: px(i).toFixed(1), x2: px(i).toFixed(1), y1: py(low).toFixed(1), y2: py(high).toFixed(1), stroke: colour }),
    node("circle", { cx: px(i).toFixed(1), cy: py(mean).toFixed(1), r: 4.5, fill: colour }));
  return node("svg", { class: "length-chart", role: "img", "aria-label": `${name}. ${lengths.map((_, i) => say(i)).join("; ")}`, ...frame(width, height) },
    around, spreads.map(mark));
}

// A bar for each length, and what part of all it is.
function stopChart(lengths, spreads, { name, colour, width, height, unit, axis }) {
  const total = spreads.reduce((sum, s) => sum + s[0], 0) || 1;
  const { px, py, step, bottom, around } = lengthAxes(lengths, 1.1 * Math.max(...spreads.map((s) => s[0]), 1e-9), width, height, axis);
  const say = (i) => `${lengthName(lengths[i], unit)}: ${grouped(spreads[i][0])}, ${percent(spreads[i][0] / total)}`;
  const wide = Math.max(Math.min(step - 4, 46), 2);
  const bar = ([mean], i) => node("g", {}, node("title", {}, say(i)),
    node("rect", { x: (px(i) - wide / 2).toFixed(1), y: py(mean).toFixed(1), width: wide.toFixed(1), height: (bottom - py(mean)).toFixed(1), fill: colour }),
    step < 36 || mean < 0.01 * total ? null : node("text", { class: "figure", x: px(i).toFixed(1), y: (py(mean) - 4).toFixed(1), "text-anchor": "middle" }, percent(mean / total)));
  return node("svg", { class: "length-chart", role: "img", "aria-label": `${name}. ${lengths.map((_, i) => say(i)).join("; ")}`, ...frame(width, height) },
    around, spreads.map(bar));
}
