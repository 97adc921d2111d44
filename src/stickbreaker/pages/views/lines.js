
// Curves over axes, with lanes of numbers below.

// The height up to which curves are drawn, half as much again as where they come to rest: the first steps of a run can be so
// much worse than all others that these would be one flat line.
function usualHeight({ series, baseline, rises }) {
  const rest = series.map(({ points }) => points.slice(-Math.ceil(points.length / 4)).map((p) => p[1]).sort((a, b) => a - b));
  const ends = series.map(({ points }) => points[points.length - 1][1]);
  const usual = 1.5 * Math.max(...rest.map((ys) => ys[Math.floor((ys.length - 1) / 2)]), baseline ? baseline[1] : -Infinity, ...(series.length > 1 ? ends : []));
  return rises ? Infinity : usual;
}

// On a scale of ratios, of twenty values or more, those not far above nine of every ten.
function usualRatio(values) {
  const sorted = values.map(Math.log).sort((a, b) => a - b), at = (part) => sorted[Math.round(part * (sorted.length - 1))];
  return sorted.length < 20 ? Infinity : Math.exp(at(0.9) + 1.5 * Math.max(at(0.9) - at(0.1), 0.1));
}

function linesLayout(value, width) {
  const { series, log = "", lanes = [], baseline, whole, most, names = [], tall = 250 } = value, points = series.flatMap((one) => one.points);
  const ranged = points.some((p) => p.length > 2), logX = log.includes("x"), logY = log.includes("y");
  const usual = whole || ranged || points.some((p) => p[1] < 0) ? Infinity : logY ? usualRatio(points.map((p) => p[1])) : usualHeight(value);
  const ys = [...points.flatMap((p) => p.slice(1)).filter((y) => y <= usual), ...(baseline ? [baseline[1]] : [])], xs = points.map((p) => p[0]);
  const beyond = points.filter((p) => p[1] > usual), dashed = series.filter((one) => one.dashed && one.name);
  const foot = 40 + 24 * lanes.length + (lanes.length ? 6 : 0), top = beyond.length ? 22 : 14, right = width - 18, bottom = tall - foot;
  const low = Math.min(...ys), high = Math.max(...ys), margin = 0.06 * (high - low || Math.abs(high) || 1);
  const from = logY ? Math.max(low / 1.05, 1e-9) : most ? 0 : low >= 0 ? Math.max(low - margin, 0) : low - margin, to = logY ? high * 1.05 : most || high + margin;
  const yTicks = (logY ? logTicks(from, to) : ticks(from, to, 5)).filter((y) => !value.steps || y % 1 === 0), write = tickTexts(yTicks);
  const yLow = logY ? from : Math.min(yTicks[0], from, low), yHigh = Math.max(to, ranged ? yTicks[yTicks.length - 1] : to);
  const left = Math.max(52, 16 + Math.max(...yTicks.map((y) => textWidth(write(y), 12)), ...lanes.map(([name]) => textWidth(name, 12))));
  const xLow = logX ? Math.min(...xs) : names.length ? 0 : ranged ? Math.min(...xs) - 0.5 : Math.min(0, ...xs), xHigh = Math.max(...xs) + (ranged ? 0.5 : 0);
  const px = scale(xLow, xHigh, left + (logX ? 8 : 0), right, logX), py = scale(yLow, yHigh, bottom, top, logY);
  const wholeX = xs.every((x) => x % 1 === 0), marks = logX ? logTicks(xLow, xHigh) : ticks(xLow, xHigh, Math.min(width / 90, 8));
  const xTicks = names.length ? names.map((_, i) => i) : ranged ? [...new Set(xs)].filter((_, i, all) => i % Math.ceil((22 * all.length) / width) === 0) : wholeX && xHigh > 2 ? marks.filter((x) => x % 1 === 0 && x >= Math.min(...xs, 0)) : marks;
  return { left, right, top, bottom, px, py, xTicks, yTicks, write, yHigh, yLow, beyond, dashed, points };
}

// The path of a curve where its values are inside; elsewhere it is broken off at the edge.
function curveInside(points, low, high, px, py, steps) {
  let path = "", joined = false;
  points.slice(1).forEach((b, i) => {
    const a = points[i], rise = b[1] - a[1], inside = a[1] >= low && a[1] <= high;
    if (steps) { path += `${i ? "" : `M${px(a[0]).toFixed(1)} ${py(a[1]).toFixed(1)}`}H${px(b[0]).toFixed(1)}V${py(b[1]).toFixed(1)}`; return; }
    const cuts = rise ? [(low - a[1]) / rise, (high - a[1]) / rise] : [inside ? 0 : 2, inside ? 1 : 2];
    const from = Math.max(Math.min(...cuts), 0), to = Math.min(Math.max(...cuts), 1);
    const at = (part) => { const [one, other] = [[px(a[0]), py(a[1])], [px(b[0]), py(b[1])]]; return `${(one[0] + part * (other[0] - one[0])).toFixed(1)} ${(one[1] + part * (other[1] - one[1])).toFixed(1)}`; };
    if (from < to) path += (joined && from === 0 ? "" : `M${at(from)}`) + `L${at(to)}`;
    joined = from < to && to === 1;
  });
  return path;
}

// A triangle at the upper edge for points that lie beyond it, one for all within a few units.
function beyondMarks(beyond, px, y, colour, tell) {
  const bins = new Map();
  for (const p of beyond) {
    const bin = Math.round(px(p[0]) / 9), held = bins.get(bin);
    if (!held || held[1] < p[1]) bins.set(bin, p);
  }
  return [...bins.values()].map((p) => node("path",
    { class: "beyond", fill: colour, d: `M${(px(p[0]) - 4).toFixed(1)} ${(y + 7).toFixed(1)}h8l-4 -7z` }, node("title", {}, tell(p))));
}

// Its label stands at the left where a curve ends beside it.
function baselineMark([name, level], { left, right, py }, ends) {
  const y = py(level), beside = ends.some((end) => Math.abs(py(end) - y) < 26);
  return node("g", {}, node("line", { class: "unigram", x1: left, x2: right, y1: y.toFixed(1), y2: y.toFixed(1) }),
    node("text", { class: "halo", x: beside ? left + 4 : right, y: (y < 34 ? y + 17 : y - 7).toFixed(1), "text-anchor": beside ? "start" : "end" }, `${name}: ${shortNumber(level)}`));
}

// Numbers in a lane: bars from its middle line, or triangles, one for all that would stand within a few units.
function laneMarks([name, numbers, look = "up"], i, value, { left, right, bottom, px }) {
  const xs = value.series[0].points.map((p) => px(p[0])), y = bottom + 46 + 24 * i, most = Math.max(...numbers, 1);
  const head = [node("text", { class: "figure", x: left - 9, y: y + 4, "text-anchor": "end" }, name), node("line", { class: "grid", x1: left, x2: right, y1: y + 8, y2: y + 8 })];
  if (look === "up" || look === "down") {
    const wide = Math.max((right - left) / numbers.length - 0.6, 0.8);
    return [...head, numbers.map((n, k) => (n ? node("rect", { class: look, width: wide.toFixed(2), height: ((18 * n) / most).toFixed(1), x: Math.max(xs[k] - wide / 2, left).toFixed(1), y: (y + 8 - (18 * n) / most).toFixed(1) },
      node("title", {}, `${name}: ${shortNumber(n)}`)) : null))].flat();
  }
  const bins = new Map(), way = look === "split" ? -1 : 1;
  numbers.forEach((n, k) => { if (n) { const bin = Math.round(xs[k] / 11), held = bins.get(bin) || { x: xs[k], n: 0 }; bins.set(bin, { x: held.x, n: held.n + n }); } });
  return [...head, [...bins.values()].map(({ x, n }) => {
    const size = clamp(2.5 + Math.sqrt(n), 3.5, 6);
    return node("path", { class: "sign", d: `M${(x - size).toFixed(1)} ${(y - way * size * 0.8).toFixed(1)}h${(2 * size).toFixed(1)}l${(-size).toFixed(1)} ${(way * size * 1.6).toFixed(1)}z` }, node("title", {}, `${name}: ${grouped(n)}`));
  })].flat();
}

function seriesMarks(value, { points, colour, name, dashed, look, notes }, layout, tell) {
  const { px, py, yHigh } = layout, inside = points.filter((p) => p[1] <= yHigh), last = points[points.length - 1], mark = ([x, y, least, most], i) => node("g", {},
    node("title", {}, tell([x, y], name, i)), least === undefined ? null : node("line", { class: "range", x1: px(x).toFixed(1), x2: px(x).toFixed(1), y1: py(least).toFixed(1), y2: py(most).toFixed(1), stroke: colour }),
    node("circle", { cx: px(x).toFixed(1), cy: py(y).toFixed(1), r: least === undefined ? 2.6 : 4.5, fill: colour }));
  if (last.length > 2) return points.map(mark);
  const path = curveInside(points, layout.yLow - 1e-9, yHigh, px, py, value.steps);
  if (look) {
    const ink = look === "dot" ? { fill: colour } : { stroke: colour }, ring = (p, i) => node("circle", { class: look === "dot" ? "last" : "run", cx: px(p[0]).toFixed(1), cy: py(p[1]).toFixed(1), r: look === "rings" ? 3.5 : 5.5, ...ink }, node("title", {}, notes[i] || tell(p, name)));
    return [look === "rings" ? node("path", { class: "curve thin", d: path, stroke: colour }) : null, ...points.map(ring)];
  }
  return [node("path", { class: dashed ? "unigram" : "curve", d: path, ...(dashed ? {} : { stroke: colour }) }),
    ...(points.length > 80 || dashed || value.steps ? [] : inside.map(mark)),
    ...(last[1] <= yHigh && !dashed ? [node("circle", { cx: px(last[0]).toFixed(1), cy: py(last[1]).toFixed(1), r: 4.5, fill: colour })] : []),
    ...beyondMarks(points.filter((p) => p[1] > yHigh), px, layout.top, colour, (p) => tell(p, name, 0))];
}

function linesChart(value, width) {
  const layout = linesLayout(value, width), { left, right, top, bottom, px, py, xTicks, yTicks, write, beyond, points } = layout;
  const { series: drawn, x = "", y = "", unit = "", title = "", tall = 250, names = [], labels = [], rises } = value;
  const figure = (p) => `${names.length ? names[p[0]] : `${x} ${shortNumber(p[0])}`.trim()}: ${shortNumber(p[1])}${unit}`, tell = (p, name) => (name ? `${name}, ${figure(p)}` : figure(p));
  const most = beyond.length ? `${grouped(beyond.length)} of ${grouped(points.length)} points above the chart, up to ${shortNumber(Math.max(...beyond.map((p) => p[1])))}` : "";
  const ends = drawn.map(({ points: own }) => own[own.length - 1][1]), ranged = points.some((p) => p.length > 2);
  const spoken = drawn.map(({ points: own, name }) => `${name ? `${name}: ` : ""}${ranged ? own.map(([at, mean, low, high]) => `${at}: ${shortNumber(mean)}, between ${shortNumber(low)} and ${shortNumber(high)}`).join("; ") : `${shortNumber(own[0][1])} at first, ${shortNumber(own[own.length - 1][1])} at the end`}`);
  const named = drawn.filter(({ name }) => name), texts = names.length ? names : xTicks.map(tickTexts(xTicks)), single = drawn.length === 1 ? drawn[0].points : null;
  return node("svg", { class: "line-chart", role: "img", "aria-label": [title, ...spoken, ...(value.baseline ? [`${value.baseline[0]} ${shortNumber(value.baseline[1])}`] : []), ...(most ? [most] : [])].filter(Boolean).join("; "), ...frame(width, tall) },
    gridLines(yTicks, py, left, right, write), namesBelow(texts, xTicks.map(px), bottom + 19, width),
    node("text", { class: "axis", x: right, y: bottom + (value.lanes ? 34 : 36), "text-anchor": "end" }, x), y ? node("text", { class: "axis", x: left, y: 11 }, y) : null,
    value.shaded ? node("rect", { class: "shaded", x: (px(value.shaded[0]) - 4).toFixed(1), width: (px(value.shaded[1]) - px(value.shaded[0]) + 8).toFixed(1), y: top, height: bottom - top }) : null,
    value.baseline ? baselineMark(value.baseline, layout, ends) : null,
    drawn.flatMap((one) => seriesMarks(value, one, layout, tell)), (value.lanes || []).flatMap((lane, i) => laneMarks(lane, i, value, layout)),
    named.length > 1 || (named.length && named[0].dashed) ? legendAt(named, right, rises ? bottom - 10 - 16 * named.length : top) : null,
    most ? node("text", { class: "figure", x: right, y: 11, "text-anchor": "end" }, `▲ ${most}`) : null,
    node("g", { class: "cursor" }),
    single && !ranged ? hoverStrips(single.map((p) => px(p[0])), tall - 4, (i) => labels[i] || figure(single[i])) : null);
}

// Where the reader is in a chart that is walked through.
function linesCursor({ series, ...value }, i, width) {
  const { px, py, top, bottom } = linesLayout({ series, ...value }, width), drawn = series.filter(({ points }) => points[i]), x = px(drawn[0].points[i][0]).toFixed(1);
  return [node("line", { x1: x, x2: x, y1: top, y2: bottom }), ...drawn.map(({ points, colour }) => node("circle", { cx: x, cy: py(points[i][1]).toFixed(1), r: 4, fill: colour }))];
}

view("Lines", (given, at) => {
  const value = { ...given, series: given.series.map(([points, colour, name = "", dashed = false, look = "", notes = []]) => ({ points, colour: colour || "#8a8f98", name, dashed, look, notes })) };
  if (!value.walk) return linesChart(value, at.width);
  const walk = walker(at, `Go through the ${value.walk}`, value.labels, ["chart", "readout"]), { points } = value.series[0];
  const move = (event) => {
    const box = event.currentTarget.getBoundingClientRect(), { px } = linesLayout(value, at.width), x = ((event.clientX - box.left) / box.width) * at.width;
    walk.go(points.reduce((best, p, k) => (Math.abs(px(p[0]) - x) < Math.abs(px(points[best][0]) - x) ? k : best), 0), event.currentTarget);
  };
  const chart = () => {
    const tree = linesChart(value, at.width);
    tree.children.find((child) => child.attributes.class === "cursor").children.push(...linesCursor(value, walk.at(), at.width));
    return { ...tree, attributes: { ...tree.attributes, onpointermove: move } };
  };
  return [at.part("chart", chart), walk.tree];
}, 640);
