
// How topics came about: their number over time, their genealogy, and what a split made of a topic.
// Those that are still there go by their number on this page, others by the lasting one of the run, with a №.

const LIFE_ROW = 17; // a line of the genealogy

function formatMoment(growth, at) {
  if (at === 0) return "the start";
  return `${growth.unit} ${at % 1 ? at.toFixed(1) : grouped(at)}`;
}

function formatGain(gain) {
  if (gain === null) return "–";
  const size = Math.abs(gain) < 10 ? Math.abs(gain).toFixed(1) : grouped(Math.abs(gain));
  return (gain < 0 ? "−" : "+") + size;
}

function livesById(growth) {
  return new Map(growth.lives.map((life) => [life.id, life]));
}

function lastMoment(growth) {
  return growth.counts[growth.counts.length - 1][0];
}

// The number of topics.

function hasMoves(growth) {
  return growth.counts.some((c) => c[3] || c[4]);
}

function growthScale(growth, width, height) {
  const { counts } = growth, left = 58, right = width - 18, top = 28;
  const bottom = height - (hasMoves(growth) ? 84 : 34); // below: the axis, splits and merges
  const most = Math.max(...counts.map((c) => c[1])), least = Math.min(...counts.map((c) => c[2]));
  const margin = Math.max(0.08 * (most - least), 1), low = Math.max(least - margin, 0), high = most + margin;
  const last = lastMoment(growth);
  return {
    left, right, top, bottom, last,
    px: (at) => left + (at / last) * (right - left),
    py: (n) => bottom - ((n - low) / (high - low)) * (bottom - top),
    yTicks: ticks(low, high, 5).filter((n) => n % 1 === 0),
    xTicks: ticks(0, last, Math.min(width / 90, 8)).filter((at) => last < 3 || at % 1 === 0),
  };
}

function growthSpoken(growth) {
  const { counts } = growth, first = counts[0], last = counts[counts.length - 1];
  const splits = counts.reduce((sum, c) => sum + c[3], 0), merges = counts.reduce((sum, c) => sum + c[4], 0);
  return `Topics in the table: ${first[1]} at ${formatMoment(growth, first[0])}, ${last[1]} at the end, of which ${last[2]} in use; `
    + `${counted(splits, "split")} and ${counted(merges, "merge")}`;
}

function describeCount(growth, i) {
  const [at, topics, used, splits, merges] = growth.counts[i];
  const moves = [[splits, "split"], [merges, "merge"]].filter(([n]) => n).map(([n, one]) => counted(n, one)).join(", ");
  const said = formatMoment(growth, at);
  return `${said[0].toUpperCase()}${said.slice(1)}: ${counted(topics, "topic")} in the table, ${grouped(used)} in use${moves ? `; ${moves}` : ""}`;
}

// The record that holds at a place between the left (0) and the right edge (1) of the chart.
function countAt(growth, place, width) {
  const { left, right, last } = growthScale(growth, width, 200);
  const at = ((place * width - left) / (right - left)) * last;
  return clamp(growth.counts.findLastIndex((c) => c[0] <= at), 0, growth.counts.length - 1);
}

function stepCurve(growth, scale, column) {
  const to = ([at, ...n], i) => (i ? `H${scale.px(at).toFixed(1)}V` : `M${scale.px(at).toFixed(1)} `) + scale.py(n[column - 1]).toFixed(1);
  return growth.counts.map(to).join("");
}

// Splits, or merges: a triangle where there are some, one for all that would stand within a few units.
function moveMarks(growth, scale, column, y) {
  const bins = new Map();
  for (const count of growth.counts.filter((c) => c[column])) {
    const bin = Math.round(scale.px(count[0]) / 11), held = bins.get(bin) || { first: count[0], n: 0 };
    bins.set(bin, { first: held.first, last: count[0], n: held.n + count[column] });
  }
  const one = column === 3 ? "split" : "merge", way = column === 3 ? -1 : 1;
  return [...bins.values()].map(({ first, last, n }) => {
    const x = scale.px((first + last) / 2), size = clamp(2.5 + Math.sqrt(n), 3.5, 6);
    const to = last > first ? ` to ${formatMoment(growth, last)}` : "";
    return node("path", {
      class: one, d: `M${(x - size).toFixed(1)} ${(y - way * size * 0.8).toFixed(1)}h${(2 * size).toFixed(1)}l${(-size).toFixed(1)} ${(way * size * 1.6).toFixed(1)}z`,
    }, node("title", {}, `${formatMoment(growth, first)}${to}: ${counted(n, one)}`));
  });
}

function growthChart(growth, colour, width, height) {
  const scale = growthScale(growth, width, height), { left, right, bottom, px, py } = scale;
  const allUsed = growth.counts.every((c) => c[1] === c[2]);
  const curve = (x, said, of) => [
    node("path", { class: `curve${of}`, d: `M${x} 6h22`, stroke: colour }), node("text", { class: "figure", x: x + 28, y: 10 }, said)];
  const lane = (said, column, y) => [
    node("text", { class: "figure", x: left - 9, y: y + 4, "text-anchor": "end" }, said),
    node("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }), moveMarks(growth, scale, column, y)].flat();
  return node("svg", { class: "growth-chart", role: "img", "aria-label": growthSpoken(growth), ...frame(width, height) },
    scale.yTicks.map((n) => [
      node("line", { class: "grid", x1: left, x2: right, y1: py(n).toFixed(1), y2: py(n).toFixed(1) }),
      node("text", { class: "figure", x: left - 9, y: (py(n) + 4).toFixed(1), "text-anchor": "end" }, grouped(n))]).flat(),
    scale.xTicks.map((at) => node("text", { class: "figure", x: labelPlace(px(at), momentTick(at), width), y: bottom + 18, "text-anchor": "middle" }, momentTick(at))),
    node("text", { class: "axis", x: left - 9, y: bottom + 18, "text-anchor": "end" }, growth.unit),
    allUsed ? null : node("path", { class: "curve table", d: stepCurve(growth, scale, 1), stroke: colour }),
    node("path", { class: "curve", d: stepCurve(growth, scale, 2), stroke: colour }),
    allUsed ? curve(left, "topics, all of them in use", "") : [curve(left, "topics in use", ""), curve(left + 130, "in the table", " table")].flat(),
    hasMoves(growth) ? [...lane("splits", 3, bottom + 44), ...lane("merges", 4, bottom + 66)] : null,
    node("g", { class: "cursor" }));
}

function growthCursor(growth, i, colour, width, height) {
  const { px, py, top, bottom } = growthScale(growth, width, height), [at, topics, used] = growth.counts[i];
  const x = px(at).toFixed(1);
  return [node("line", { x1: x, x2: x, y1: top, y2: bottom + (hasMoves(growth) ? 72 : 0) }),
    node("circle", { class: "table", cx: x, cy: py(topics).toFixed(1), r: 3.5 }),
    node("circle", { cx: x, cy: py(used).toFixed(1), r: 4, fill: colour })];
}

// The genealogy: a line a topic.

function lifeName(life, topics) {
  const topic = topics[life.topic];
  return topic ? `topic ${topic.id} ${topic.label}` : `№${life.id}${life.words ? ` ${life.words}` : ""}`;
}

function describeLife(life, growth, lives, topics) {
  const gain = (id, at) => {
    const move = growth.moves.find((m) => m[3] === id && m[1] === at);
    return move && move[4] !== null ? ` (${formatGain(move[4])} nats)` : "";
  };
  const name = (id) => (lives.has(id) ? lifeName(lives.get(id), topics) : `№${id}`);
  const born = life.parent === null ? "there from the start"
    : `split from ${name(life.parent)} at ${formatMoment(growth, life.born)}${gain(life.id, life.born)}`;
  const end = life.end !== null ? `merged into ${name(life.into)} at ${formatMoment(growth, life.end)}${gain(life.id, life.end)}`
    : life.topic === null ? "at the end not in use" : "there at the end";
  const said = lifeName(life, topics);
  return `${said[0].toUpperCase()}${said.slice(1)}: ${born}; ${end}`;
}

function genealogyScale(growth, width) {
  const labels = clamp(0.36 * width, 130, 300), left = 12, right = width - labels;
  return { left, right, last: lastMoment(growth), px: (at) => left + (at / lastMoment(growth)) * (right - left) };
}

function genealogyTicks(growth, { left, right, last }) {
  return ticks(0, last, (right - left) / 70).filter((at) => last < 3 || at % 1 === 0);
}

function genealogyAxis(growth, width) {
  const scale = genealogyScale(growth, width);
  return node("svg", { class: "genealogy-axis", "aria-hidden": "true", ...frame(width, 24) },
    genealogyTicks(growth, scale).map((at) => node("text",
      { class: "figure", x: scale.px(at).toFixed(1), y: 16, "text-anchor": at ? "middle" : "start" },
      at ? momentTick(at) : growth.unit)));
}

function lifeLine(life, i, rows, scale, colour) {
  const y = (i + 0.5) * LIFE_ROW, x = scale.px(life.born), end = scale.px(life.end === null ? scale.last : life.end);
  const level = (id) => (rows.has(id) ? (rows.get(id) + 0.5) * LIFE_ROW : null);
  const from = level(life.parent), to = level(life.into), style = colour ? { style: `stroke:${colour}` } : {};
  const fill = colour ? { style: `fill:${colour}` } : {}, way = to > y ? -5.5 : 5.5;
  return [
    node("path", { class: "line", d: `M${x.toFixed(1)} ${(from === null ? y : from).toFixed(1)}V${y.toFixed(1)}H${end.toFixed(1)}`, ...style }),
    life.parent === null ? null : node("circle", { class: "born", cx: x.toFixed(1), cy: y.toFixed(1), r: 3.2, ...style }),
    life.end === null ? null : to === null
      ? node("path", { class: "line", d: `M${end.toFixed(1)} ${(y - 4).toFixed(1)}v8` })
      : [node("path", { class: "line joined", d: `M${end.toFixed(1)} ${y.toFixed(1)}V${to.toFixed(1)}` }),
        node("path", { class: "arrow", d: `M${end.toFixed(1)} ${to.toFixed(1)}l-3.2 ${way}h6.4z`, ...fill })],
  ].flat();
}

// What stands behind a line: a topic that is still there is a link to it.
function lifeLabel(life, i, topics, scale, width, linked) {
  const y = (i + 0.5) * LIFE_ROW + 4, topic = topics[life.topic];
  if (topic) {
    const said = shortened(`${topic.id}  ${topic.label}`, 12.5, width - scale.right - 26);
    const link = linked ? { href: `#topic-${topic.id}`, tabindex: -1, "data-life": life.topic, "aria-label": `Topic ${topic.id} ${topic.label}` } : {};
    return node(linked ? "a" : "g", { class: "heir", ...link },
      node("rect", { class: "row", x: scale.right + 4, y: y - 4 - LIFE_ROW / 2, width: width - scale.right - 6, height: LIFE_ROW, rx: 4 }),
      node("circle", { cx: scale.right + 12, cy: y - 4, r: 4, fill: topic.colour }), node("text", { x: scale.right + 21, y }, said));
  }
  if (life.end === null) return node("text", { class: "figure", x: scale.right + 21, y }, `№${life.id}, not in use`);
  const x = scale.px(life.end) + 6, said = `№${life.id}`;
  return x + textWidth(said, 12) > scale.right ? null : node("text", { class: "lost", x: x.toFixed(1), y }, said);
}

function genealogySpoken(growth) {
  const { lines, lives } = growth, drawn = new Set(lines), shown = lives.filter((life) => drawn.has(life.id));
  const lasting = shown.filter((life) => life.topic !== null).length;
  return `Genealogy of ${counted(shown.length, "topic")}, a line each, ${lasting} of them there at the end; the table tells the same`;
}

function genealogyChart(growth, topics, width, linked) {
  const scale = genealogyScale(growth, width), lives = livesById(growth);
  const rows = new Map(growth.lines.map((id, i) => [id, i])), height = growth.lines.length * LIFE_ROW + 6;
  const shown = growth.lines.map((id) => lives.get(id));
  const group = (life, i) => {
    const topic = topics[life.topic], end = life.end === null ? scale.last : life.end;
    return node("g", { class: "life", "data-of": topic ? life.topic : -1 },
      node("title", {}, describeLife(life, growth, lives, topics)),
      node("rect", { class: "reach", x: scale.px(life.born).toFixed(1), y: i * LIFE_ROW,
        width: Math.max(scale.px(end) - scale.px(life.born), 4).toFixed(1), height: LIFE_ROW }),
      lifeLine(life, i, rows, scale, topic && topic.colour));
  };
  return node("svg", { class: "genealogy", role: "group", "aria-label": genealogySpoken(growth), ...frame(width, height) },
    genealogyTicks(growth, scale).map((at) => node("line", { class: "grid", x1: scale.px(at).toFixed(1), x2: scale.px(at).toFixed(1), y1: 0, y2: height })),
    shown.map(group), shown.map((life, i) => lifeLabel(life, i, topics, scale, width, linked)));
}

function lifeReference(life, topics) {
  const topic = topics[life.topic];
  if (!topic) return [`№${life.id} `, node("bdi", { class: "small" }, life.words)];
  return [spot(topic), node("a", { href: `#topic-${topic.id}` }, `${topic.id} `, name(topic))];
}

function moveTable(growth, topics) {
  const lives = livesById(growth);
  const head = (said, numeric) => node("th", { scope: "col", class: numeric ? "number" : false }, said);
  const row = ([kind, at, topic, other, gain]) => node("tr", {},
    node("th", { scope: "row", class: "number" }, momentTick(at)), node("td", { class: "kind" }, kind),
    node("td", {}, lifeReference(lives.get(topic), topics)), node("td", {}, lifeReference(lives.get(other), topics)),
    growth.learned ? node("td", { class: "number" }, formatGain(gain)) : null);
  return scrollable("Splits and merges",
    node("thead", {}, node("tr", {}, head(growth.unit, true), head("move"), head("topic"), head("new, or gone"), growth.learned ? head("gain, nats", true) : null)),
    node("tbody", {}, growth.moves.map(row)));
}

// What a split made of a topic.

function describeSplit({ split }, growth, topics) {
  const lives = livesById(growth), [, at, topic, other, gain] = split;
  const said = `${formatMoment(growth, at)}: ${lifeName(lives.get(topic), topics)} → ${lifeName(lives.get(other), topics)}`;
  return `${said[0].toUpperCase()}${said.slice(1)}${gain === null ? "" : ` (${formatGain(gain)} nats)`}`;
}

function wordColumn(words, before) {
  const fresh = (word) => before !== null && !before.includes(word);
  return node("ol", {}, words.map((word) => node("li", { class: fresh(word) ? "fresh" : false },
    fresh(word) ? node("span", { "aria-hidden": "true" }, "+ ") : null, node("bdi", {}, word),
    fresh(word) ? node("span", { class: "hidden" }, ", new") : null)));
}

function refinementColumns(refinement, growth, topics) {
  const lives = livesById(growth), [, at, ...ids] = refinement.split, pair = [lives.get(ids[0]), lives.get(ids[1])];
  const spell = (places) => places.map((i) => growth.words[i]);
  const title = (life, gone) => node("p", { class: "small" }, lifeCaption(life, lives, topics, gone));
  const first = spell(refinement.before), previous = [first, first], last = lastMoment(growth);
  const column = ([moment, ...lists]) => {
    const cells = lists.map((places, i) => {
      const words = spell(places), cell = node("div", {}, title(pair[i], !words.length), wordColumn(words, previous[i]));
      previous[i] = words.length ? words : previous[i];
      return cell;
    });
    const said = moment === last ? "at the end" : formatMoment(growth, moment);
    return node("div", { class: "moment" }, node("h4", {}, moment === at ? `after the split, ${said}` : said), node("div", { class: "pair" }, cells));
  };
  return [node("div", { class: "moment" }, node("h4", {}, "before"),
    node("div", { class: "pair" }, node("div", {}, title(pair[0], false), wordColumn(first, null)))), ...refinement.after.map(column)];
}

function lifeCaption(life, lives, topics, gone) {
  const number = (one) => (topics[one.topic] ? String(topics[one.topic].id) : `№${one.id}`);
  const topic = topics[life.topic], own = [topic ? spot(topic) : null, number(life)];
  if (!gone) return own;
  return [...own, life.end === null ? " not in use" : ` merged into ${lives.has(life.into) ? number(lives.get(life.into)) : `№${life.into}`}`];
}
