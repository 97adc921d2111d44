
// Shares of things along something: columns of a document's words, or bands over time.

const OTHERS = "#8a8f98";

// A column for each stretch between two edges, its parts from below; a thing's place -1 is all others, -2 stays empty.
function flowColumns({ of, places, shares, edges, marked = null, other = ["others", "the rest"] }, at) {
  const { width, choices } = at, tall = 120, bottom = tall - 30, all = edges[edges.length - 1], px = (n) => (n / all) * width;
  const label = (k) => (k < 0 ? other[-1 - k] : choices[of].labels[k]), colour = (k) => (k === -1 ? OTHERS : k < 0 ? null : colourOf(choices[of], k));
  const column = (row, i) => {
    let below = 0;
    const left = px(edges[i]), wide = Math.max(px(edges[i + 1]) - left - (shares.length > 1 ? 1 : 0), 0.5);
    return row.map((share, t) => {
      const start = below, ink = colour(places[t]);
      below = Math.min(below + share, 1);
      if (below - start < 0.002) return null;
      return node("rect", { x: left.toFixed(1), width: wide.toFixed(1), y: (bottom * (1 - below)).toFixed(1), height: (bottom * (below - start)).toFixed(1), ...(ink ? { fill: ink } : { class: "track" }) },
        node("title", {}, `words ${grouped(edges[i] + 1)} to ${grouped(edges[i + 1])}: ${label(places[t])}, ${percent(share)}`));
    });
  };
  const mean = (t) => shares.reduce((sum, row) => sum + row[t], 0) / shares.length, spoken = places.map((k, t) => `${label(k)}, ${percent(mean(t))}`).join("; ");
  const marks = ticks(0, all, Math.min(width / 90, 8)).filter((n) => n > 0);
  return node("svg", { class: "flow", role: "img", "aria-label": `Shares along ${grouped(all)} words. ${spoken}`, ...frame(width, tall) }, shares.flatMap(column),
    marked ? node("line", { class: "excerpt", x1: px(marked[0]).toFixed(1), x2: px(marked[1]).toFixed(1), y1: bottom + 6, y2: bottom + 6 }) : null,
    namesBelow(marks.map(grouped), marks.map(px), tall - 4, width));
}

view("Flow", (value, at) => flowColumns(value, at), 900);
