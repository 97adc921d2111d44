// Charts of a language model with topics: shares of topics along a document, and by context.

const STRIP_HEIGHT = 120, OTHER_TOPICS = "#8a8f98";

// A column for each window: its topics from below, the largest of the document first, then all others; the rest of
// it, which stays empty, is of the common topic. A line marks where the excerpt is.
function topicStrip({ size, read, excerpt, topics: own, shares }, topics, common, width) {
  const bottom = STRIP_HEIGHT - 30, px = (at) => (at / read) * width, known = (k) => k >= 0 && topics[k];
  const labelled = (k) => (known(k) ? topics[k].label : "a topic that is hardly used");
  const column = (row, i) => {
    const first = i * size, last = Math.min(first + size, read), rest = row[row.length - 1];
    const left = px(first), wide = Math.max(px(last) - left - (shares.length > 1 ? 1 : 0), 0.5);
    const others = Math.max(1 - row.reduce((sum, share) => sum + share, 0), 0);
    const parts = [...row.slice(0, -1).map((share, t) => ({ share, label: labelled(own[t]), colour: known(own[t]) ? topics[own[t]].colour : OTHER_TOPICS })),
      { share: others, label: "other topics", colour: OTHER_TOPICS }, ...(common ? [{ share: rest, label: "the common topic" }] : [])];
    let below = 0;
    return parts.map(({ share, label, colour }) => {
      const start = below;
      below = Math.min(below + share, 1);
      if (below - start < 0.002) return null;
      const place = { x: left.toFixed(1), width: wide.toFixed(1), y: (bottom * (1 - below)).toFixed(1), height: (bottom * (below - start)).toFixed(1) };
      return node("rect", colour ? { ...place, fill: colour } : { ...place, class: "track" },
        node("title", {}, `words ${grouped(first + 1)} to ${grouped(last)}: ${label}, ${percent(share)}`));
    });
  };
  const mean = (t) => shares.reduce((sum, row) => sum + row[t], 0) / shares.length;
  const spoken = [...own.map((k, t) => `${labelled(k)}, ${percent(mean(t))}`), ...(common ? [`common, ${percent(mean(own.length))}`] : [])].join("; ");
  const marks = ticks(0, read, Math.min(width / 90, 8)).filter((at) => at > 0).map((at) => node("text",
    { class: "figure", x: labelPlace(px(at), grouped(at), width), y: STRIP_HEIGHT - 4, "text-anchor": "middle" }, grouped(at)));
  return node("svg", { class: "topic-strip", role: "img", "aria-label": `Shares of topics along ${grouped(read)} words. ${spoken}`, ...frame(width, STRIP_HEIGHT) },
    shares.map(column).flat(),
    node("line", { class: "excerpt", x1: px(excerpt[0]).toFixed(1), x2: px(excerpt[1]).toFixed(1), y1: bottom + 6, y2: bottom + 6 }),
    marks);
}

// Customers of contexts by the share of topics, in equal bins from none to all.
function shareHistogram([length, longer, customers], { colour, width, height }) {
  const left = 14, right = width - 14, top = 14, bottom = height - 40, step = (right - left) / customers.length;
  const total = customers.reduce((sum, n) => sum + n, 0) || 1, most = Math.max(...customers, 1e-9);
  const edge = (i) => `${Math.round((100 * i) / customers.length)}%`;
  const say = (n, i) => `a share of ${edge(i)} to ${edge(i + 1)}: ${percent(n / total)} of the customers`;
  const bar = (n, i) => {
    const tall = (n / most) * (bottom - top);
    return node("g", {}, node("title", {}, say(n, i)),
      node("rect", { x: (left + i * step + 1).toFixed(1), y: (bottom - tall).toFixed(1), width: Math.max(step - 2, 1).toFixed(1), height: tall.toFixed(1), fill: colour }));
  };
  const marks = [0, 25, 50, 75, 100].map((at) => node("text",
    { class: "figure", x: labelPlace(left + (at / 100) * (right - left), `${at}%`, width), y: bottom + 19, "text-anchor": "middle" }, `${at}%`));
  const spoken = customers.map(say).filter((_, i) => customers[i] / total >= 0.01).join("; ");
  return node("svg", { class: "length-chart", role: "img", "aria-label": `${histogramName(length, longer)}. ${spoken}`, ...frame(width, height) },
    node("line", { class: "grid", x1: left, x2: right, y1: bottom, y2: bottom }), customers.map(bar), marks,
    node("text", { class: "axis", x: right, y: height - 4, "text-anchor": "end" }, "share of topics"));
}

function histogramName(length, longer) {
  return `Contexts of ${lengthName(length)}${longer ? " or more" : ""}`;
}

function shareCharts({ histograms, colours }) {
  return histograms.map((row) => ({
    file: `topics-by-context-${row[0]}`, name: histogramName(row[0], row[1]), said: "customers by the share of topics",
    draw: (width, height) => shareHistogram(row, { colour: colours.stopping, width, height }),
  }));
}

// The charts of each section of the page.
function topicLanguageCharts(data) {
  return { "#share-charts": shareCharts(data), ...languageCharts(data) };
}
