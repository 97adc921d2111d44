
// Words that two topics translate differently.

const FIGURE_WORDS = 12;

function sideOf(difference, side, { topics, examples, languages }) {
  const row = difference.rows[side], other = difference.rows[1 - side], e = bestOf(row);
  const [translation, everywhere] = difference.translations[e], p = row[ROW_START + e], { colour, label } = topics[row[0]];
  return node("div", { class: "side", style: `border-color:${colour}` },
    node("p", { class: "best" }, word(translation), node("span", { class: "p", title: label }, probability(p)), probabilityBar(p, everywhere, colour)),
    node("p", { class: "small" }, `in the other ${probability(other[ROW_START + e])}, in all ${probability(everywhere)}; ${counted(row[1], "link")} of the word here`),
    sentencePair(examples, row[2], languages));
}

function differenceList(found, n, data, chosen) {
  if (chosen[0] === chosen[1]) return node("p", { class: "note" }, "Choose two that are not the same.");
  if (!found.length) return node("p", { class: "note" }, "No word that is frequent in both has another translation here.");
  return node("div", { class: "differences" },
    node("div", { class: "both-sides heads" }, chosen.map((k) => node("div", {}, named(data.topics[k])))),
    node("ol", {}, found.slice(0, n).map((one) => node("li", {},
      node("h3", {}, word(one.word), " ", node("span", { class: "share" }, counted(one.links, "link"))),
      node("div", { class: "both-sides" }, [0, 1].map((side) => sideOf(one, side, data)))))));
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

section({
  figures: (data) => {
    const two = mostDifferent(data);
    if (!two) return {};
    const words = differencesOf(data.words, ...two).slice(0, FIGURE_WORDS), name = two.map((k) => data.topics[k].label).join("  |  ");
    return { "two-topics": figureOf(name, twoTopics(words, data.topics, 860), "bars: p of the translation in the topic; lines: in all documents") };
  },
});
