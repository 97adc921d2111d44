
// A sentence as a tree: its words in a row, each on the colour of its topic, and an arc from each head to each word.

const ARC_STEP = 15, BEYOND = -2;

// How high each arc is: one step above the highest of the shorter arcs that share a part of its way.
function arcLevels(heads) {
  const spans = heads.map((head, i) => ({ i, low: Math.min(head, i), high: Math.max(head, i) })).filter(({ i }) => heads[i] >= 0);
  spans.sort((a, b) => a.high - a.low - (b.high - b.low) || a.i - b.i);
  const levels = new Map();
  spans.forEach(({ i, low, high }, n) => {
    let most = 0;
    for (const inner of spans.slice(0, n)) {
      if (inner.low < high && inner.high > low) most = Math.max(most, levels.get(inner.i));
    }
    levels.set(i, most + 1);
  });
  return levels;
}

function wordPlaces(tokens) {
  let end = 4;
  return tokens.map((token) => {
    const text = shortened(token, 15, 180), wide = Math.max(textWidth(text, 15), 22) + 12, x = end + wide / 2;
    end += wide;
    return { text, wide, x };
  });
}

// From a head down to a word, with round corners.
function arcPath(from, to, floor, height) {
  const right = to > from ? 1 : -1, r = Math.min(8, Math.abs(to - from) / 2, height), y = floor - height;
  return `M${from.toFixed(1)} ${floor}V${(y + r).toFixed(1)}Q${from.toFixed(1)} ${y.toFixed(1)} ${(from + right * r).toFixed(1)} ${y.toFixed(1)}`
    + `H${(to - right * r).toFixed(1)}Q${to.toFixed(1)} ${y.toFixed(1)} ${to.toFixed(1)} ${(y + r).toFixed(1)}V${floor - 5}`;
}

// What is said of a word: its topic, how sure that is, and its head.
function describeWord({ of, tokens, known, heads, topics, sure }, choices, i) {
  const head = heads[i] >= 0 ? `, below “${tokens[heads[i]]}”` : heads[i] === BEYOND ? ", below a word further on" : ", below no word";
  const topic = topics[i] < 0 ? "a topic that is hardly used" : choices[of].labels[topics[i]];
  return `“${tokens[i]}”${known[i] ? "" : ", not known"}: ${topic} (${percent(sure[i])} sure)${head}`;
}

// Of a word that is pointed at: its topic is said below, and its own arcs stand out.
function pointAtWord(event, value, choices, i) {
  const room = event.target.closest(".view");
  room.querySelector(".readout").textContent = describeWord(value, choices, i);
  room.querySelectorAll(".arc").forEach((arc, word) => arc.classList.toggle("own", word === i || value.heads[word] === i));
  room.querySelector(".arcs").classList.add("one");
}

function stepAlong(event) {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  event.preventDefault();
  const words = [...event.target.closest("svg").querySelectorAll(".pointed")], next = words[clamp(words.indexOf(event.target) + (event.key === "ArrowLeft" ? -1 : 1), 0, words.length - 1)];
  for (const each of words) each.setAttribute("tabindex", each === next ? 0 : -1);
  next.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// Under a word a line in its topic's colour, dotted where the word is not known, and the topic's number.
function arcWord(value, choices, { text, wide, x }, i, floor, colour) {
  const k = value.topics[i], left = x - wide / 2 + 3, y = floor + 24, told = describeWord(value, choices, i), point = (event) => pointAtWord(event, value, choices, i);
  return node("g", { class: "pointed", role: "button", tabindex: i ? -1 : 0, "aria-label": told, onpointerover: point, onfocus: point, onclick: point, onkeydown: stepAlong }, node("title", {}, told),
    node("rect", { class: "row-ground", x: left.toFixed(1), y: floor + 1, width: (wide - 6).toFixed(1), height: 41, rx: 4 }),
    node("text", { class: "word", x: x.toFixed(1), y: floor + 17, "text-anchor": "middle" }, text),
    node("line", { x1: (left + 2).toFixed(1), x2: (left + wide - 8).toFixed(1), y1: y, y2: y, stroke: colour, "stroke-width": 4, "stroke-dasharray": value.known[i] ? undefined : "2 3" }),
    node("text", { class: "figure", x: x.toFixed(1), y: floor + 40, "text-anchor": "middle" }, k < 0 ? "–" : String(choices[value.of].keys[k])));
}

view("SentenceArcs", (value, { choices }) => {
  const { of, tokens, heads, topics } = value, places = wordPlaces(tokens), levels = arcLevels(heads), cut = heads.includes(BEYOND);
  const most = Math.max(...levels.values(), 1) + (cut ? 1 : 0), floor = 12 + ARC_STEP * most + 4, last = places[places.length - 1], width = Math.ceil(last.x + last.wide / 2 + (cut ? 28 : 4));
  const colour = (i) => (topics[i] < 0 ? "#8a8f98" : colourOf(choices[of], topics[i])), arrow = (x) => `M${(x - 3.5).toFixed(1)} ${floor - 7}h7l-3.5 7z`;
  const arc = (head, i) => {
    const to = places[i].x, draw = (path, ink, dash) => node("g", { class: "arc" }, node("path", { d: path, fill: "none", stroke: ink, "stroke-width": 1.6, "stroke-dasharray": dash }), node("path", { d: arrow(to), fill: ink }));
    if (head === BEYOND) return draw(`M${width} ${floor - ARC_STEP * most}H${(to + 6).toFixed(1)}Q${to.toFixed(1)} ${floor - ARC_STEP * most} ${to.toFixed(1)} ${floor - ARC_STEP * most + 6}V${floor - 5}`, "#8a8f98", "4 3");
    if (head < 0) return draw(`M${to.toFixed(1)} 4V${floor - 5}`, "#8a8f98");
    return draw(arcPath(places[head].x + (i > head ? 5 : -5), to, floor, ARC_STEP * levels.get(i)), colour(head));
  };
  return [node("div", { class: "drawing", role: "region", "aria-label": "Tree", tabindex: -1 }, node("svg", { class: "arcs", role: "group", "aria-label": `Tree of: ${tokens.join(" ")}`, ...frame(width, floor + 44) },
    heads.map(arc), tokens.map((_, i) => arcWord(value, choices, places[i], i, floor, colour(i))))), node("p", { class: "readout small", "aria-live": "polite" })];
});
