
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

function sentenceArcs(sentence, topics) {
  const { tokens, heads } = sentence, places = wordPlaces(tokens), levels = arcLevels(heads), grey = "#8a8f98";
  const cut = heads.includes(BEYOND), most = Math.max(...levels.values(), 1) + (cut ? 1 : 0), floor = 12 + ARC_STEP * most + 4;
  const last = places[places.length - 1], width = Math.ceil(last.x + last.wide / 2 + (cut ? 28 : 4));
  const colour = (i) => (sentence.topics[i] < 0 ? grey : topics[sentence.topics[i]].colour);
  const arrow = (x) => `M${(x - 3.5).toFixed(1)} ${floor - 7}h7l-3.5 7z`;
  const arc = (head, i) => {
    const to = places[i].x, group = (path, ink, dash) => node("g", { class: "arc", "data-word": i },
      node("path", { d: path, fill: "none", stroke: ink, "stroke-width": 1.6, "stroke-dasharray": dash }),
      node("path", { d: arrow(to), fill: ink }));
    if (head === BEYOND) return group(`M${width} ${floor - ARC_STEP * most}H${(to + 6).toFixed(1)}Q${to.toFixed(1)} ${floor - ARC_STEP * most} ${to.toFixed(1)} ${floor - ARC_STEP * most + 6}V${floor - 5}`, grey, "4 3");
    if (head < 0) return group(`M${to.toFixed(1)} 4V${floor - 5}`, grey);
    const from = places[head].x + (i > head ? 5 : -5);
    return group(arcPath(from, to, floor, ARC_STEP * levels.get(i)), colour(head));
  };
  return node("svg", { class: "arcs", role: "group", "aria-label": `Tree of: ${tokens.join(" ")}`, ...frame(width, floor + 44) },
    heads.map(arc), tokens.map((_, i) => arcWord(sentence, topics, places[i], i, floor, colour(i))));
}

// Under a word a line in its topic's colour, dotted where the word is not known, and the topic's number.
function arcWord(sentence, topics, { text, wide, x }, i, floor, colour) {
  const k = sentence.topics[i], known = sentence.known[i], left = x - wide / 2 + 3, y = floor + 24;
  return node("g", {
    class: "pointed", "data-word": i, role: "button", tabindex: i ? -1 : 0, "aria-label": describeWord(sentence, topics, i) },
    node("title", {}, describeWord(sentence, topics, i)),
    node("rect", { class: "row", x: left.toFixed(1), y: floor + 1, width: (wide - 6).toFixed(1), height: 41, rx: 4, fill: "none" }),
    node("text", { class: "word", x: x.toFixed(1), y: floor + 17, "text-anchor": "middle" }, text),
    node("line", { x1: (left + 2).toFixed(1), x2: (left + wide - 8).toFixed(1), y1: y, y2: y, stroke: colour, "stroke-width": 4, "stroke-dasharray": known ? undefined : "2 3" }),
    node("text", { class: "figure", x: x.toFixed(1), y: floor + 40, "text-anchor": "middle" }, k < 0 ? "–" : String(topics[k].number)));
}

// What is said of a word: its topic, how sure that is, and its head.
function describeWord({ tokens, known, heads, topics: own, sure }, topics, i) {
  const head = heads[i] >= 0 ? `, below “${tokens[heads[i]]}”` : heads[i] === BEYOND ? ", below a word further on" : ", below no word";
  const topic = own[i] < 0 ? "a topic that is hardly used" : topics[own[i]].label;
  return `“${tokens[i]}”${known[i] ? "" : ", not known"}: ${topic} (${percent(sure[i])} sure)${head}`;
}

section({
  figures: ({ sentences, topics }) => Object.fromEntries(sentences.slice(0, 3).map((sentence, i) => [`tree-${i + 1}`, figureOf("", sentenceArcs(sentence, topics))])),
});
