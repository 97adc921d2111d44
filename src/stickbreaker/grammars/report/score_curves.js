
// Nats per symbol, or F1, by sweep or by what was seen.

// The names of lines in their colours at the right: of curves that fall in the upper corner, where they leave room.
function cornerLegend(lines, right, top) {
  if (lines.length < 2) return null;
  return node("g", { "aria-hidden": "true" }, lines.map(({ name, colour }, i) => [
    node("rect", { x: right - 11, y: top + 16 * i, width: 11, height: 11, rx: 2, fill: colour }),
    node("text", { class: "halo", x: right - 17, y: top + 10 + 16 * i, "text-anchor": "end" }, shortened(name, 12, 150))]).flat());
}

// Several curves of [x, y] over the same axes: the lower the better, or (`rises`) the higher. x counts `unit`s.
function scoreChart(lines, { name, unit, rises, width, height }) {
  const drawn = lines.map((line) => ({ ...line, points: line.points.map(([x, y]) => ({ x, y })) }));
  const ends = drawn.map((line) => line.points[line.points.length - 1]);
  const worst = (rises ? drawn.flatMap((line) => line.points) : ends).reduce((a, b) => (b.y > a.y ? b : a));
  const { left, right, bottom, px, py, xTicks, yTicks, top } = axes([...drawn.flatMap((line) => line.points), worst], width, height);
  const step = yTicks.length > 1 ? yTicks[1] - yTicks[0] : 1, digits = clamp(Math.ceil(1 - Math.log10(step)), 0, 6);
  const say = (line, i) => `${line.name ? `${line.name}: ` : ""}${shortNumber(line.points[0].y)} at first, ${shortNumber(ends[i].y)} at the end`;
  const dot = (line) => (p) => node("circle", { cx: px(p.x), cy: py(p.y), r: 2.6, fill: line.colour },
    node("title", {}, `${line.name ? `${line.name}, ` : ""}${unit} ${grouped(p.x)}: ${p.y.toFixed(3)}`));
  const curve = (line, i) => [
    node("polyline", { class: "curve", points: entering(line.points, top).map((p) => `${px(p.x)},${py(p.y)}`).join(" "), stroke: line.colour }),
    line.points.length > 80 ? [] : line.points.filter((p) => p.y <= top).map(dot(line)),
    node("circle", { cx: px(ends[i].x), cy: py(ends[i].y), r: 4.5, fill: line.colour })].flat();
  return node("svg", { class: "line-chart", role: "img", "aria-label": `${name}. ${drawn.map(say).join("; ")}`, ...frame(width, height) },
    yTicks.flatMap((y) => [
      node("line", { class: "grid", x1: left, x2: right, y1: py(y), y2: py(y) }),
      node("text", { class: "figure", x: left - 9, y: Number(py(y)) + 4, "text-anchor": "end" }, step < 1 ? y.toFixed(digits) : grouped(y))]),
    xTicks.map((x) => node("text", { class: "figure", x: px(x), y: bottom + 19, "text-anchor": "middle" }, x % 1 ? x.toFixed(1) : grouped(x))),
    node("text", { class: "axis", x: right, y: height - 4, "text-anchor": "end" }, `${unit}s`),
    drawn.flatMap(curve), cornerLegend(lines, right, rises ? bottom - 18 - 16 * lines.length : 14));
}

section({
  charts: ({ curves = [] }) => ({ "#curves": curves.map((curve) => (
    { file: curve.file, name: curve.name, said: curve.said, draw: (width, height) => scoreChart(curve.lines, { ...curve, width, height }) })) }),
});
