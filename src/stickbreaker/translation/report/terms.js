
// Terms, as a table and as bars of their gain.

const FIGURE_TERMS = 15;

function foundTerms(terms, query) {
  const wanted = query.trim().toLowerCase();
  const has = (text) => text.toLowerCase().includes(wanted);
  return terms.filter(([term, , , topics]) => !wanted || has(term) || topics.some((one) => has(one[2])));
}

function termTable(terms, topics) {
  if (!terms.length) return node("p", { class: "note" }, "No such term here.");
  const use = ([k, share, translation, p, everywhere]) => node("li", {},
    node("span", { class: "use" }, word(translation), node("span", { class: "p" }, probability(p)), node("span", { class: "small" }, `in all ${probability(everywhere)}`)),
    node("span", { class: "small" }, named(topics[k]), ` · ${percent(share)} of its links`));
  const row = ([term, links, gain, uses]) => node("tr", {},
    node("th", { scope: "row" }, word(term)),
    node("td", { class: "number", "data-unit": links === 1 ? "link" : "links" }, grouped(links)),
    node("td", { class: "number", "data-unit": "nats" }, gain.toFixed(2)),
    node("td", {}, node("ul", { class: "uses" }, uses.map(use))));
  const head = (said, kind) => node("th", { scope: "col", class: kind }, said);
  return node("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Terms" }, node("table", { class: "terms" },
    node("thead", {}, node("tr", {}, head("term"), head("links", "number"), head("gain", "number"), head("translations"))),
    node("tbody", {}, terms.map(row))));
}

// Terms with bars of their gain, and their translations.
function termBars(terms, width) {
  const row = 24, left = 150, room = 150, right = left + room + 52;
  const most = Math.max(...terms.map(([, , gain]) => gain), 1e-12);
  const bar = ([term, , gain, uses], i) => {
    const said = uses.map(([, , translation, p]) => `${translation} ${probability(p)}`).join(" · ");
    return node("g", {},
      node("text", { x: left - 9, y: i * row + 16, "text-anchor": "end" }, shortened(term, 12, left - 9)),
      node("rect", { x: left, y: i * row + 5, width: Math.max((gain / most) * room, 1.5).toFixed(1), height: row - 10, fill: "#22569c" }),
      node("text", { class: "figure", x: left + room + 40, y: i * row + 16, "text-anchor": "end" }, gain.toFixed(2)),
      node("text", { x: right, y: i * row + 16 }, shortened(said, 12, width - right)));
  };
  return node("svg", { class: "term-bars", ...frame(width, row * terms.length) }, terms.map(bar));
}

section({
  figures: ({ terms }) => ({ terms: figureOf("Terms by gain, in nats", termBars(terms.slice(0, FIGURE_TERMS), 860)) }),
});
