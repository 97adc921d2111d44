
// The figures of a lexicon as the text of SVG files, for an interpreter that has no page.

const FIGURE_TERMS = 15, FIGURE_WORDS = 12, LEGEND_ROW = 20;

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

// Words of two topics: on each side its translation, p there as a bar, and a line where p is in all documents.
function twoTopics(found, topics, width) {
  const row = 26, first = 130, column = (width - first) / 2, room = column - 190;
  const side = (one, i, s) => {
    const mine = one.rows[s], e = bestOf(mine), [translation, everywhere] = one.translations[e], p = mine[ROW_START + e];
    const x = first + s * column + 130, mark = (x + everywhere * room).toFixed(1);
    return node("g", {},
      node("text", { x: x - 9, y: i * row + 17, "text-anchor": "end" }, shortened(translation, 12, 116)),
      node("rect", { x, y: i * row + 5, width: Math.max(p * room, 1).toFixed(1), height: row - 10, fill: topics[mine[0]].colour }),
      node("line", { class: "overall", x1: mark, x2: mark, y1: i * row + 3, y2: (i + 1) * row - 3 }),
      node("text", { class: "figure", x: x + room + 8, y: i * row + 17 }, probability(p)));
  };
  return node("svg", { class: "two-topics", ...frame(width, row * found.length) }, found.map((one, i) => node("g", {},
    node("text", { class: "subheading", x: first - 9, y: i * row + 17, "text-anchor": "end" }, shortened(one.word, 13, first - 12)), side(one, i, 0), side(one, i, 1))));
}

// The part of known domains in each topic, and which colour is which.
function topicsByDomain(topics, domains, width) {
  const row = 22, left = 260, room = width - left, legend = 4, across = Math.floor(width / 170);
  const rows = descending(topics, (each) => each.share), below = row * rows.length + 14;
  const bar = ({ label, domains: flat }, i) => {
    let end = 0;
    const parts = pairsOf(flat).map(([k, share]) => {
      const start = end;
      end = Math.min(end + share, 1);
      return node("rect", { x: (left + start * room).toFixed(1), y: i * row + 3, width: Math.max((end - start) * room - 1, 0.5).toFixed(1), height: row - 6, fill: domains[k].colour });
    });
    return node("g", {}, node("text", { x: left - 9, y: i * row + 15, "text-anchor": "end" }, shortened(label, 12, left - 12)), parts);
  };
  const key = ({ label, colour }, i) => node("g", {},
    node("rect", { x: (i % across) * 170, y: below + legend + Math.floor(i / across) * LEGEND_ROW, width: 11, height: 11, fill: colour }),
    node("text", { x: (i % across) * 170 + 17, y: below + legend + Math.floor(i / across) * LEGEND_ROW + 10 }, shortened(label, 12, 145)));
  const height = below + legend + Math.ceil(domains.length / across) * LEGEND_ROW;
  return node("svg", { class: "topics-by-domain", ...frame(width, height) }, rows.map(bar), domains.map(key));
}

function drawFigures(text) {
  const data = JSON.parse(text), found = {};
  const { terms, topics, domains } = data, two = topics.length > 1 ? mostDifferent(data) : null;
  if (terms.length) found.terms = figureOf("Terms by gain, in nats", termBars(terms.slice(0, FIGURE_TERMS), 860));
  if (two) {
    const words = differencesOf(data.words, ...two).slice(0, FIGURE_WORDS);
    const name = two.map((k) => topics[k].label).join("  |  ");
    found["two-topics"] = figureOf(name, twoTopics(words, topics, 860), "bars: p of the translation in the topic; lines: in all documents");
  }
  if (domains.length) found["topics-by-domain"] = figureOf("Known domains in topics", topicsByDomain(topics, domains, 860));
  return JSON.stringify(found);
}
