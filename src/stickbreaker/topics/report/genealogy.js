
// How things came about: a line for the life of each, with branches from what it was split from and into what it was merged.
// A line is [place, number, born, end, parent, into, note]; parent and into are rows, -1 of what is not drawn, null for none.

const LIFE_ROW = 17;

function lifeLine([, , born, end, parent, into], i, { px, last }, colour) {
  const y = (i + 0.5) * LIFE_ROW, x = px(born), to = px(end === null ? last : end), level = (row) => (row + 0.5) * LIFE_ROW, style = colour ? { style: `stroke:${colour}` } : {};
  const from = parent === null || parent < 0 ? y : level(parent), way = into > i ? -5.5 : 5.5;
  const merged = end === null ? null : into < 0 ? node("path", { class: "line", d: `M${to.toFixed(1)} ${(y - 4).toFixed(1)}v8` })
    : [node("path", { class: "line joined", d: `M${to.toFixed(1)} ${y.toFixed(1)}V${level(into).toFixed(1)}` }),
      node("path", { class: "arrow", d: `M${to.toFixed(1)} ${level(into).toFixed(1)}l-3.2 ${way}h6.4z`, ...(colour ? { style: `fill:${colour}` } : {}) })];
  return [node("path", { class: "line", d: `M${x.toFixed(1)} ${from.toFixed(1)}V${y.toFixed(1)}H${to.toFixed(1)}`, ...style }),
    parent === null ? null : node("circle", { class: "born", cx: x.toFixed(1), cy: y.toFixed(1), r: 3.2, ...style }), merged].flat();
}

view("Genealogy", ({ of, unit, last, lines }, at) => {
  const width = at.width - 12, { labels, keys } = at.choices[of], choice = at.choices[of], right = width - clamp(0.36 * width, 130, 300), px = scale(0, last, 12, right), chosen = at.chosen(of), among = lines.some(([k]) => k === chosen), first = lines.findIndex(([k]) => k >= 0);
  const marks = ticks(0, last, (right - 12) / 70).filter((n) => last < 3 || n % 1 === 0), height = lines.length * LIFE_ROW + 6, head = 24;
  // What stands behind a line: who is still there can be chosen.
  const label = ([k, number, born, end], i) => {
    const y = (i + 0.5) * LIFE_ROW + 4;
    if (k >= 0) {
      return node("g", { class: "heir pointed", ...choosable(at, of, k, i === first, among), "aria-label": `${keys[k]} ${labels[k]}` }, node("rect", { class: "row-ground", x: right + 4, y: y - 4 - LIFE_ROW / 2, width: width - right - 6, height: LIFE_ROW, rx: 4 }),
        node("circle", { cx: right + 12, cy: y - 4, r: 4, fill: colourOf(choice, k) }), node("text", { x: right + 21, y }, shortened(`${keys[k]}  ${labels[k]}`, k === chosen ? 14 : 12.5, width - right - 26)));
    }
    if (end === null) return node("text", { class: "figure", x: right + 21, y }, `№${number}, not in use`);
    const x = px(end) + 6;
    return x + textWidth(`№${number}`, 12) > right ? null : node("text", { class: "lost", x: x.toFixed(1), y }, `№${number}`);
  };
  const life = (line, i) => {
    const [k, , born, end, , , note] = line, to = px(end === null ? last : end);
    return node("g", { class: k >= 0 && k === chosen ? "life chosen" : "life" }, node("title", {}, note),
      node("rect", { class: "reach", x: px(born).toFixed(1), y: i * LIFE_ROW, width: Math.max(to - px(born), 4).toFixed(1), height: LIFE_ROW }), lifeLine(line, i, { px, last }, k >= 0 ? colourOf(choice, k) : null));
  };
  const spoken = `Genealogy of ${counted(lines.length, "topic")}, a line each, ${lines.filter(([k]) => k >= 0).length} of them there at the end; the table says the same`;
  const axis = marks.map((n) => node("text", { class: "figure", x: px(n).toFixed(1), y: 16, "text-anchor": n ? "middle" : "start" }, n ? momentTick(n) : unit));
  const drawn = [marks.map((n) => node("line", { class: "grid", x1: px(n).toFixed(1), x2: px(n).toFixed(1), y1: 0, y2: height })), lines.map(life), lines.map(label)].flat();
  if (at.figured) return node("svg", { class: "genealogy", ...frame(width, height + head) }, axis, node("g", { transform: `translate(0 ${head})` }, drawn));
  return node("div", { class: "scroll" }, node("svg", { class: "genealogy axis-on-top", "aria-hidden": "true", ...frame(width, head) }, axis),
    node("svg", { class: "genealogy", role: "group", "aria-label": spoken, ...frame(width, height) }, drawn));
}, 900);
