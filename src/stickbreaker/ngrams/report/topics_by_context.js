
// Contexts by the share of topics.

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

section({ charts: (data) => ({ "#share-charts": shareCharts(data) }) });
