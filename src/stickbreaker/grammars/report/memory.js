
// How often subtrees are used, and how long they are.

// Powers of ten up to the first that is `most` or more.
function decades(most) {
  const found = [1];
  while (found[found.length - 1] < most) found.push(10 * found[found.length - 1]);
  return found;
}

// Customers by rank, both on scales of tenfold steps, a line for each symbol.
function rankChart(lines, { name, uses, width, height }) {
  const all = lines.flatMap((line) => line.points), left = 58, right = width - 18, upper = 14, bottom = height - 40;
  const xs = decades(Math.max(...all.map(([x]) => x), 10)), ys = decades(Math.max(...all.map(([, y]) => y), 10));
  const part = (value, steps) => Math.log10(value) / Math.log10(steps[steps.length - 1]);
  const px = (x) => (left + part(x, xs) * (right - left)).toFixed(1), py = (y) => (bottom - part(y, ys) * (bottom - upper)).toFixed(1);
  const say = ({ name: symbol, points }) => `${symbol}: ${grouped(points[0][1])} ${uses} of the most used, ${grouped(points[points.length - 1][1])} of number ${grouped(points[points.length - 1][0])}`;
  const dot = ({ name: symbol, colour }) => ([x, y]) => node("circle", { cx: px(x), cy: py(y), r: 2.6, fill: colour },
    node("title", {}, `${symbol}, number ${grouped(x)}: ${grouped(y)}`));
  return node("svg", { class: "line-chart", role: "img", "aria-label": `${name}. ${lines.map(say).join("; ")}`, ...frame(width, height) },
    ys.flatMap((y) => [
      node("line", { class: "grid", x1: left, x2: right, y1: py(y), y2: py(y) }),
      node("text", { class: "figure", x: left - 9, y: Number(py(y)) + 4, "text-anchor": "end" }, grouped(y))]),
    xs.map((x) => node("text", { class: "figure", x: px(x), y: bottom + 19, "text-anchor": "middle" }, grouped(x))),
    node("text", { class: "axis", x: right, y: height - 4, "text-anchor": "end" }, "rank"),
    lines.flatMap((line) => [
      node("polyline", { class: "curve", points: line.points.map(([x, y]) => `${px(x)},${py(y)}`).join(" "), stroke: line.colour }),
      ...line.points.map(dot(line))]), cornerLegend(lines, right, 14));
}

function memoryCharts({ ranks, lengths, uses }) {
  const found = lengths.map(({ symbol, name, colour, longest, counts }, i) => ({
    file: `lengths-${i + 1}`, name, said: "subtrees by their number of symbols",
    draw: (width, height) => stopChart(counts.map((_, k) => k + 1), counts.map((n) => [n]),
      { name, colour, width, height, unit: "symbol", axis: longest ? `symbols (the last bar: ${counts.length} and more)` : "symbols" }),
  }));
  if (!ranks.length) return found;
  const name = "Use by rank", said = `${uses}, the most used subtree first`;
  return [{ file: "ranks", name, said, draw: (width, height) => rankChart(ranks, { name, uses, width, height }) }, ...found];
}

section({ charts: (data) => ({ "#memory-charts": memoryCharts(data) }) });
