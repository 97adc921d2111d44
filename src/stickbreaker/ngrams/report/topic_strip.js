
// Shares of topics along a document.

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

const DRAWN_STRIPS = 3;

section({
  figures: ({ strips, topics, common }) => Object.fromEntries(strips.slice(0, DRAWN_STRIPS).map((strip, i) => (
    [`topics-along-${i + 1}`, figureOf("Topics along a document", topicStrip(strip, topics, common, 900))]))),
});
