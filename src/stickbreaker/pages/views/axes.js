
// Axes of charts: scales, grids, names, and what is said of a point.

// 0.123 and 1,234: three digits or more.
function shortNumber(value) {
  const size = Math.abs(value), said = size >= 100 ? grouped(size) : size >= 10 ? size.toFixed(1) : size.toFixed(size >= 1 ? 2 : 3);
  return value < 0 ? `−${said}` : said;
}

// A scale between two numbers and two places; `log` has equal steps for equal ratios.
function scale(low, high, from, to, log) {
  const part = log ? (x) => Math.log(Math.max(x, 1e-12) / low) / (Math.log(high / low) || 1) : (x) => (x - low) / (high - low || 1);
  return (x) => from + part(x) * (to - from);
}

// Some of 1, 2, 5, 10, 20, …, of wide scales only 1, 10, 100, ….
function logTicks(low, high) {
  const powers = Array.from({ length: Math.floor(Math.log10(high)) - Math.floor(Math.log10(low)) + 1 }, (_, i) => 10 ** (Math.floor(Math.log10(low)) + i));
  const between = (numbers) => numbers.filter((n) => n >= low * 0.999 && n <= high * 1.001);
  const fine = between(powers.flatMap((power) => [1, 2, 5].map((m) => m * power))), tens = between(powers);
  if (fine.length < 3) return ticks(low, high, 4).filter((n) => n > 0);
  return fine.length < 9 ? fine : tens.filter((_, i) => i % Math.ceil(tens.length / 8) === 0);
}

// How the numbers of an axis are written: with as many digits as its steps need.
function tickTexts(values) {
  const step = values.length > 1 ? Math.min(...values.slice(1).map((value, i) => value - values[i])) : Math.abs(values[0]) || 1;
  const digits = values.every((value) => Math.abs(value % 1) < 1e-9) ? 0 : clamp(Math.ceil(-Math.log10(step) - 1e-9) + (/^[1-9]0*$/.test(String(Number((step * 10 ** Math.ceil(-Math.log10(step))).toPrecision(6)))) ? 0 : 1), 1, 6);
  return (value) => (value < 0 ? "−" : "") + (digits ? Math.abs(value).toFixed(digits) : grouped(Math.abs(value)));
}

function gridLines(values, py, left, right, write) {
  return values.flatMap((y) => [
    node("line", { class: "grid", x1: left, x2: right, y1: py(y).toFixed(1), y2: py(y).toFixed(1) }),
    node("text", { class: "figure", x: left - 9, y: (py(y) + 4).toFixed(1), "text-anchor": "end" }, write(y))]);
}

// Names below their places, where one does not meet the next.
function namesBelow(names, places, y, width) {
  let end = -Infinity;
  return names.map((name, i) => {
    const x = labelPlace(places[i], name, width), half = textWidth(name, 12) / 2;
    if (Number(x) - half < end) return null;
    end = Number(x) + half + 6;
    return node("text", { class: "figure", x, y, "text-anchor": "middle" }, name);
  });
}

// A part of a chart that shows nothing, and says something when it is pointed at.
function hoverPart(x, width, top, bottom, told) {
  return node("rect", { class: "hover", fill: "none", "pointer-events": "all", x: x.toFixed(1), width: Math.max(width, 0).toFixed(1), y: top.toFixed(1), height: (bottom - top).toFixed(1) },
    node("title", {}, told));
}

// Upright strips from point to point, which say what the nearest one is; of many points some.
function hoverStrips(xs, bottom, tell) {
  const shown = xs.map((x, i) => [x, i]).filter((_, i) => i % Math.ceil(xs.length / 120) === 0);
  return shown.map(([x, i], at) => {
    const from = at ? (shown[at - 1][0] + x) / 2 : x - 6, to = at < shown.length - 1 ? (x + shown[at + 1][0]) / 2 : x + 6;
    return hoverPart(from, to - from, 0, bottom, tell(i));
  });
}

// The names of lines in their colours at the right.
function legendAt(named, right, top) {
  return node("g", { "aria-hidden": "true" }, named.map(({ name, colour, dashed }, i) => [
    dashed ? node("path", { class: "unigram key", d: `M${right - 24} ${top + 6 + 16 * i}h24` }) : node("rect", { x: right - 11, y: top + 16 * i, width: 11, height: 11, rx: 2, fill: colour }),
    node("text", { class: "halo", x: right - (dashed ? 30 : 17), y: top + 10 + 16 * i, "text-anchor": "end" }, shortened(name, 12, 200))]).flat());
}

// A slider that moves through the points of a chart: `own.at` is the point, and `parts` are redrawn for it.
function walker(at, label, told, parts) {
  const here = () => (at.own.at === undefined ? told.length - 1 : at.own.at);
  const go = (i, inside) => {
    if (i === here()) return;
    at.own.at = i;
    const slider = inside.closest(".view").querySelector("[data-key='walk']");
    slider.value = i;
    slider.setAttribute("aria-valuetext", told[i]);
    parts.forEach((part) => at.redraw(part));
  };
  const slider = node("input", { type: "range", min: 0, max: told.length - 1, step: 1, value: here(), "aria-valuetext": told[here()], "data-key": "walk",
    oninput: (event) => go(Number(event.target.value), event.target) });
  return { at: here, go, tree: node("div", { class: "walk" }, node("label", {}, label, " ", slider), at.part("readout", () => node("output", {}, told[here()]))) };
}
