
// Lines of things of a choice over time, each with its name at its end: the chosen one, and those that the reader adds.

// Names at the ends of lines, moved down or up until none hides another: { k, y, at }.
function namesApart(ends, top, bottom) {
  const placed = [...ends].sort((a, b) => a.y - b.y).map((end) => ({ ...end, at: end.y })), gap = Math.min(15, (bottom - top) / Math.max(placed.length, 1));
  placed.forEach((end, i) => { end.at = Math.max(end.at, i ? placed[i - 1].at + gap : top); });
  for (let i = placed.length - 1; i >= 0; i -= 1) placed[i].at = Math.min(placed[i].at, i === placed.length - 1 ? bottom : placed[i + 1].at - gap);
  return placed;
}

function namedLines({ of, by, names, title = "", tall = 340 }, ks, chosen, { width, choices }) {
  const { labels } = choices[of], colour = (k) => colourOf(choices[of], k), room = clamp(0.3 * width, 110, 240), left = 52, right = width - room, top = 14, bottom = tall - 34, kind = (k) => (k === chosen ? "time-line chosen" : "time-line");
  const most = Math.max(...ks.flatMap((k) => by.map((row) => row[k])), 1e-9), px = names.map((_, i) => left + (i / Math.max(names.length - 1, 1)) * (right - left)), py = scale(0, most, bottom, top);
  const line = (k) => node("g", { class: kind(k) }, node("title", {}, labels[k]), node("polyline", { class: "curve", stroke: colour(k), points: by.map((row, i) => `${px[i].toFixed(1)},${py(row[k]).toFixed(1)}`).join(" ") }),
    by.map((row, i) => node("circle", { cx: px[i].toFixed(1), cy: py(row[k]).toFixed(1), r: 3, fill: colour(k) }, node("title", {}, `${labels[k]}, ${names[i]}: ${percent(row[k])}`))));
  const ends = namesApart(ks.map((k) => ({ k, y: py(by[by.length - 1][k]) })), top, bottom);
  const label = ({ k, y, at }) => node("g", { class: kind(k) }, node("path", { class: "leader", d: `M${right + 5} ${y.toFixed(1)}L${right + 15} ${at.toFixed(1)}`, stroke: colour(k) }),
    node("text", { class: "halo", x: right + 19, y: (at + 4).toFixed(1) }, shortened(labels[k], k === chosen ? 13.5 : 12.5, room - 22)));
  const spoken = ks.map((k) => `${labels[k]} ${percent(by[0][k])} at first, ${percent(by[by.length - 1][k])} at the end`).join("; ");
  return node("svg", { class: "line-chart", role: "img", "aria-label": `${title}: ${spoken}`, ...frame(width, tall) }, gridLines(ticks(0, most, 4), py, left, right, percent),
    [...ks].sort((a, b) => (a === chosen) - (b === chosen)).map(line), ends.map(label), namesBelow(names, px, bottom + 19, right + 20));
}

view("NamedLines", (value, at) => {
  const { of } = value, { labels } = at.choices[of], own = at.own.lines || value.shown, chosen = at.figured ? -1 : at.chosen(of), ks = [...new Set(chosen < 0 ? own : [...own, chosen])];
  const turn = (k) => { at.own.lines = own.includes(k) ? own.filter((one) => one !== k) : [...own, k]; at.redraw(); };
  const chip = (k) => node("button", { type: "button", class: "chip", "data-key": `line ${k}`, "aria-label": `Take away ${labels[k]}`, onclick: () => turn(k) }, spot(colourOf(at.choices[of], k)), node("bdi", { class: "name" }, labels[k]), node("span", { "aria-hidden": "true" }, " ×"));
  const others = labels.map((_, k) => k).filter((k) => !ks.includes(k));
  return [node("div", { class: "controls" }, own.map(chip), choiceBox("Add", [[-1, "another …"], ...others.map((k) => [k, labels[k]])], -1, "add", (k) => { if (k >= 0) turn(k); })), namedLines(value, ks, chosen, at)];
}, 960);
