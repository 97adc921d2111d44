
// How the next documents of a stream were predicted before they were learned from, beside a unigram whose counts fade.
// Heights are nats per word, shown as the number of equally likely words: such a scale is logarithmic.

function predictionPoints(data, axis) {
  const unit = axis === "seconds" ? timeUnit(data.trace) : { name: "documents read", size: 1 }, at = axis === "seconds" ? 1 : 0;
  return { xName: unit.name, points: data.predictions.map((p) => ({ x: p[at] / unit.size, topics: -p[2], unigram: -p[3] })) };
}

// Some of 1, 2, 5, 10, 20, … (of wide scales 1, 10, 100, …, or fewer), evenly spaced numbers on narrow ones.
function wordTicks(low, high) {
  const powers = Array.from({ length: Math.floor(high / Math.LN10) + 1 }, (_, i) => 10 ** i);
  const between = (numbers) => numbers.filter((n) => Math.log(n) >= low && Math.log(n) <= high);
  const fine = between(powers.flatMap((power) => [1, 2, 5].map((m) => m * power))), tens = between(powers);
  if (fine.length < 3) return ticks(Math.exp(low), Math.exp(high), 4).filter((n) => n >= 1);
  return fine.length < 9 ? fine : tens.filter((_, i) => i % Math.ceil(tens.length / 8) === 0);
}

// Of twenty values or more, those not far above nine of every ten: a few documents in a code that no word is known of
// would make all others one flat line.
function usualOf(values) {
  const sorted = [...values].sort((a, b) => a - b), at = (part) => sorted[Math.round(part * (sorted.length - 1))];
  const reach = 1.5 * Math.max(at(0.9) - at(0.1), 0.1);
  return sorted.length < 20 ? sorted : sorted.filter((value) => value <= at(0.9) + reach);
}

function predictionScale(points, width, height) {
  const right = width - 18, top = 28, bottom = height - 40;
  const ys = usualOf(points.flatMap((p) => [p.topics, p.unigram])), xs = points.map((p) => p.x);
  const margin = 0.06 * (Math.max(...ys) - Math.min(...ys)) || 0.05;
  const low = Math.max(Math.min(...ys) - margin, 0), high = Math.max(...ys) + margin, first = Math.min(...xs), last = Math.max(...xs);
  const yTicks = wordTicks(low, high), left = 24 + textWidth(grouped(Math.max(...yTicks, 1000)), 12);
  return {
    left, right, bottom, top, low, high, yTicks,
    px: (x) => (left + ((x - first) / (last - first || 1)) * (right - left)).toFixed(1),
    py: (y) => (bottom - ((y - low) / (high - low)) * (bottom - top)).toFixed(1),
    xTicks: ticks(first, last, Math.min(width / 90, 8)),
  };
}

function predictionSpoken(points) {
  const last = points[points.length - 1], words = (y) => grouped(Math.exp(y));
  return `As unsure as among ${words(points[0].topics)} words at first and ${words(last.topics)} at the end; `
    + `word frequencies alone ${words(points[0].unigram)} and ${words(last.unigram)}`;
}

function predictionChart({ points, xName }, colour, width, height) {
  const { left, right, bottom, top, low, high, px, py, yTicks, xTicks } = predictionScale(points, width, height);
  const line = (kind, of, stroke) => node("path", { class: kind, d: curveInside(points.map((p) => ({ x: p.x, y: p[of] })), low, high, px, py), fill: "none", stroke });
  const beyond = points.filter((p) => p.topics > high || p.unigram > high).map((p) => ({ x: p.x, y: Math.max(p.topics, p.unigram) }));
  const say = (p) => `${xName} ${grouped(p.x)}: ${grouped(Math.exp(p.y))} words`;
  const most = grouped(Math.exp(Math.max(...beyond.map((p) => p.y))));
  const key = (x, kind, said, stroke) => [
    node("path", { class: kind, d: `M${x} 6h22`, stroke }), node("text", { class: "figure", x: x + 28, y: 10 }, said)];
  return node("svg", { class: "line-chart", role: "img", "aria-label": predictionSpoken(points), ...frame(width, height) },
    yTicks.flatMap((n) => [
      node("line", { class: "grid", x1: left, x2: right, y1: py(Math.log(n)), y2: py(Math.log(n)) }),
      node("text", { class: "figure", x: left - 9, y: Number(py(Math.log(n))) + 4, "text-anchor": "end" }, grouped(n))]),
    xTicks.map((x) => node("text", { class: "figure", x: labelPlace(px(x), tickText(x), width), y: bottom + 19, "text-anchor": "middle" }, tickText(x))),
    node("text", { class: "axis", x: right, y: height - 4, "text-anchor": "end" }, xName),
    key(left, "curve", "topics", colour), key(left + 96, "unigram", "word frequencies alone"),
    line("unigram", "unigram"), line("curve", "topics", colour), beyondMarks(beyond, px, top, colour, say),
    beyond.length ? node("text", { class: "halo", x: right, y: top - 6, "text-anchor": "end" }, `▲ ${grouped(beyond.length)} above, up to ${most}`) : null);
}

function predictionFigures(data) {
  const found = {}, named = data.trace.some((p) => p.seconds > 0) ? { documents: "documents", seconds: "time" } : { documents: "documents" };
  for (const axis of data.predictions.length > 1 ? Object.keys(named) : []) {
    found[`prediction-by-${named[axis]}`] = figureOf("The next documents, before learning from them",
      predictionChart(predictionPoints(data, axis), data.curves[0], 640, 320), "as unsure as among this many equally likely words");
  }
  return found;
}
