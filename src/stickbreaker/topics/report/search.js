
// How many topics: the score of each run of the search over the topics it ended with, on a logarithmic scale.

const SEARCH_SCORES = [["bound", 2, "bound"], ["held-out", 3, "held-out score"]];

// The charts to draw: the judge's score first, and the other one where several runs have it.
function searchCurves(search) {
  const found = SEARCH_SCORES.filter(([, column]) => search.points.filter((p) => p[column] !== null).length > 1);
  return found.sort(([a]) => (a === search.judge ? -1 : 1));
}

// The runs with a score. Where only some hold documents out, bounds are drawn of those that saw all.
function runsOf(search, column) {
  const scored = search.points.filter((p) => p[column] !== null), all = scored.filter((p) => p[3] === null);
  return column === 2 && all.length ? all : scored;
}

function searchScale(points, width, height) {
  const left = 66, right = width - 24, top = 34, bottom = height - 44;
  const used = points.map((p) => p.used), scores = points.map((p) => p.score);
  const low = Math.min(...used), span = Math.log(Math.max(...used) / low) || 1;
  const margin = 0.06 * (Math.max(...scores) - Math.min(...scores)) || 0.01;
  const least = Math.min(...scores) - margin, most = Math.max(...scores) + margin;
  return {
    left, right, top, bottom, yTicks: ticks(least, most, 5),
    px: (n) => left + 10 + (Math.log(n / low) / span) * (right - left - 20),
    py: (y) => bottom - ((y - least) / (most - least)) * (bottom - top),
  };
}

function describeRun({ topics, used, score, final }, said) {
  return `${final ? "To its end, from" : "From"} ${counted(topics, "topic")}: ${grouped(used)} in use, ${said} ${score.toFixed(4)} nats per word`;
}

// Labels on the axis of topics that do not meet.
function searchTicks(points, px) {
  const found = [];
  for (const n of [...new Set(points.map((p) => p.used))].sort((a, b) => a - b)) {
    if (!found.length || px(n) - px(found[found.length - 1]) > 30) found.push(n);
  }
  return found;
}

function searchChart(search, [judge, column, said], colour, width, height) {
  const points = runsOf(search, column).map((p) => ({ topics: p[0], used: p[1], score: p[column], final: p[4] }));
  const scale = searchScale(points, width, height), { left, right, top, bottom, px, py } = scale;
  const grid = points.filter((p) => !p.final).sort((a, b) => a.used - b.used), last = points[points.length - 1];
  const clamped = (n) => clamp(px(n), left, right), [fewest, most] = search.range;
  const spoken = `${said} by topics in use, of ${counted(points.length, "run")}; ${describeRun(last, said)}`;
  const fine = scale.yTicks.length > 1 && scale.yTicks[1] - scale.yTicks[0] < 0.01 ? 3 : 2;
  const dot = (p) => node("circle", { class: p === last && p.final ? "last" : "run", cx: px(p.used).toFixed(1), cy: py(p.score).toFixed(1), r: p.final ? 5.5 : 3.5, ...(p === last && p.final ? { fill: colour } : { stroke: colour }) },
    node("title", {}, describeRun(p, said)));
  return node("svg", { class: "search-chart", role: "img", "aria-label": spoken, ...frame(width, height) },
    judge === search.judge ? node("rect", { class: "alike", x: (clamped(fewest) - 4).toFixed(1), y: top, width: (clamped(most) - clamped(fewest) + 8).toFixed(1), height: bottom - top }) : null,
    scale.yTicks.flatMap((y) => [
      node("line", { class: "grid", x1: left, x2: right, y1: py(y).toFixed(1), y2: py(y).toFixed(1) }),
      node("text", { class: "figure", x: left - 9, y: (py(y) + 4).toFixed(1), "text-anchor": "end" }, y.toFixed(fine).replace("-", "−"))]),
    searchTicks(points, px).map((n) => node("text", { class: "figure", x: px(n).toFixed(1), y: bottom + 18, "text-anchor": "middle" }, grouped(n))),
    node("text", { class: "axis", x: right, y: height - 6, "text-anchor": "end" }, "topics in use"),
    node("text", { class: "axis", x: left, y: 14 }, `${said}, nats per word`),
    node("polyline", { class: "curve", points: grid.map((p) => `${px(p.used).toFixed(1)},${py(p.score).toFixed(1)}`).join(" "), stroke: colour }),
    points.map(dot));
}
