
// Topics over time as lines, a few that the reader chooses, each with its name at its end.

const LINES_AT_FIRST = 4;

// The topics that change most.
function firstLines(topics, times, order) {
  return streamTopics(topics, times, order, null, LINES_AT_FIRST);
}

function timeLines(topics, times, shown, chosen, width, height) {
  const labels = clamp(0.3 * width, 110, 240), left = 52, right = width - labels, top = 14, foot = 78, bottom = height - foot;
  const most = Math.max(...shown.flatMap((k) => times.shares.map((part) => part[k])), 1e-9);
  const px = times.names.map((_, i) => left + (i / Math.max(times.names.length - 1, 1)) * (right - left));
  const py = (share) => bottom - (share / most) * (bottom - top), steps = ticks(0, most, 4);
  const ends = namesApart(shown.map((k) => ({ k, y: py(times.shares[times.shares.length - 1][k]) })), top, bottom);
  const line = (k) => node("g", { class: `time-line${k === chosen ? " chosen" : ""}`, "data-topic": k },
    node("title", {}, topics[k].label),
    node("polyline", { class: "curve", stroke: topics[k].colour, points: times.shares.map((part, i) => `${px[i].toFixed(1)},${py(part[k]).toFixed(1)}`).join(" ") }),
    times.shares.map((part, i) => node("circle", { cx: px[i].toFixed(1), cy: py(part[k]).toFixed(1), r: 3, fill: topics[k].colour },
      node("title", {}, `${topics[k].label}, ${times.names[i]}: ${percent(part[k])}`))));
  const label = ({ k, y, at }) => node("g", { class: `time-line${k === chosen ? " chosen" : ""}`, "data-topic": k },
    node("path", { class: "leader", d: `M${right + 5} ${y.toFixed(1)}L${right + 15} ${at.toFixed(1)}`, stroke: topics[k].colour }),
    node("text", { class: "halo", x: right + 19, y: (at + 4).toFixed(1) }, shortened(topics[k].label, k === chosen ? 13.5 : 12.5, labels - 22)));
  return node("svg", { class: "line-chart", role: "img", "aria-label": timeLinesSpoken(topics, times, shown), ...frame(width, height) },
    steps.map((share) => [
      node("line", { class: "grid", x1: left, x2: right, y1: py(share).toFixed(1), y2: py(share).toFixed(1) }),
      node("text", { class: "figure", x: left - 8, y: (py(share) + 4).toFixed(1), "text-anchor": "end" }, percent(share))]).flat(),
    [...shown].sort((a, b) => (a === chosen) - (b === chosen)).map(line), ends.map(label), timeAxis(times, px, width, height));
}

// Names at the ends of lines, moved down or up until none hides another: { k, y, at }.
function namesApart(ends, top, bottom) {
  const placed = [...ends].sort((a, b) => a.y - b.y).map((end) => ({ ...end, at: end.y })), gap = Math.min(15, (bottom - top) / Math.max(placed.length, 1));
  placed.forEach((end, i) => { end.at = Math.max(end.at, i ? placed[i - 1].at + gap : top); });
  for (let i = placed.length - 1; i >= 0; i -= 1) placed[i].at = Math.min(placed[i].at, i === placed.length - 1 ? bottom : placed[i + 1].at - gap);
  return placed;
}

function timeLinesSpoken(topics, times, shown) {
  const first = times.shares[0], last = times.shares[times.shares.length - 1];
  return `Topics by ${times.field}: ${shown.map((k) => `${topics[k].label} ${percent(first[k])} at first, ${percent(last[k])} at the end`).join("; ")}`;
}

// What is switched: bands or lines; and, of lines, which.
function timesControls(state, shown) {
  const { topics } = state.data, view = (key, said) => node("button",
    { type: "button", class: "chip", "data-times": key, "aria-pressed": String(state.timesAs === key) }, said);
  const bands = [view("bands", "as bands"), view("lines", "as lines")];
  if (state.timesAs === "bands") return bands;
  const own = shown.map((k) => node("button", { type: "button", class: "chip", "data-line": k, "aria-label": `Take away ${topics[k].label}` },
    spot(topics[k]), name(topics[k]), node("span", { "aria-hidden": "true" }, " ×")));
  const others = state.order.filter((k) => !shown.includes(k));
  return [...bands, ...own, node("label", { class: "choice" }, node("span", { class: "hidden" }, "Add a topic"),
    node("select", { id: "line-choice" }, node("option", { value: -1 }, "Add a topic …"),
      others.map((k) => node("option", { value: k }, `${topics[k].id}  ${topics[k].label}`))))];
}
