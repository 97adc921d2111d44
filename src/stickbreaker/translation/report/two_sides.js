
// Words that two things of a choice, such as topics, translate differently: which two is chosen. A row of a word is
// [topic, links, example, p of each translation].

const ROW_START = 3; // of the probabilities in a row
const WORDS_AT_ONCE = 12;

function bestOf(row) {
  let best = ROW_START;
  for (let e = ROW_START; e < row.length; e += 1) if (row[e] > row[best]) best = e;
  return best - ROW_START;
}

// Nats that the word's links in two topics gain if each topic has its own p, in place of one p for both: n log(p / mean p)
// summed over both topics and all translations; those that are not in the rows count together.
function natsApart(one, other) {
  const [n, m] = [one[1], other[1]];
  const part = (p, q) => {
    const mean = (n * p + m * q) / (n + m);
    return (p > 0 ? n * p * Math.log(p / mean) : 0) + (q > 0 ? m * q * Math.log(q / mean) : 0);
  };
  let nats = 0, left = 1, right = 1;
  for (let e = ROW_START; e < one.length; e += 1) {
    nats += part(one[e], other[e]);
    left -= one[e];
    right -= other[e];
  }
  return Math.max(nats + part(Math.max(left, 0), Math.max(right, 0)), 0);
}

// The words whose best translations differ, the largest nats first.
function differencesOf(words, first, second) {
  const found = [];
  for (const [word, links, translations, rows] of words) {
    const one = rows.find((row) => row[0] === first), other = rows.find((row) => row[0] === second);
    if (!one || !other || bestOf(one) === bestOf(other)) continue;
    found.push({ word, links, translations, rows: [one, other], nats: natsApart(one, other) });
  }
  return descending(found, (each) => each.nats);
}

// The two topics whose differing words have most nats in all, the one with the larger share first; null if none differ.
function mostDifferent({ words, shares }) {
  const sums = new Map();
  for (const [, , , rows] of words) {
    for (let i = 0; i < rows.length; i += 1) {
      for (let j = i + 1; j < rows.length; j += 1) {
        if (bestOf(rows[i]) === bestOf(rows[j])) continue;
        const key = rows[i][0] * shares.length + rows[j][0];
        sums.set(key, (sums.get(key) || 0) + natsApart(rows[i], rows[j]));
      }
    }
  }
  if (!sums.size) return null;
  const [best] = descending([...sums], ([, nats]) => nats);
  return descending([Math.floor(best[0] / shares.length), best[0] % shares.length], (k) => shares[k]);
}

function probability(p) {
  return p >= 0.005 ? p.toFixed(2) : p > 0 ? "<0.01" : "0";
}

function sideOf(at, { examples, of }, difference, side) {
  const row = difference.rows[side], other = difference.rows[1 - side], e = bestOf(row), p = row[ROW_START + e];
  const [translation, everywhere] = difference.translations[e], colour = colourOf(at.choices[of], row[0]);
  return node("div", { class: "side", style: `border-color:${colour}` },
    node("p", {}, node("bdi", { class: "word" }, translation), ` ${probability(p)} `, meterBar(p, everywhere, colour)),
    node("p", { class: "small" }, `in the other ${probability(other[ROW_START + e])}, in all ${probability(everywhere)}; ${counted(row[1], "link")} of the word here`),
    row[2] >= 0 ? said(at, examples[row[2]] || []) : []);
}

// Words of two topics: on each side its translation, p there as a bar, and a line where p is in all documents.
function twoSidesChart(found, two, choice, width) {
  const row = 26, first = 130, column = (width - first) / 2, room = column - 190;
  const name = (k, s) => node("text", { class: "subheading", x: first + s * column + 130, y: 15, fill: colourOf(choice, k) }, shortened(choice.labels[k], 12, column - 140));
  const side = (one, i, s) => {
    const mine = one.rows[s], e = bestOf(mine), [translation, everywhere] = one.translations[e], p = mine[ROW_START + e], y = (i + 1) * row;
    const x = first + s * column + 130, mark = (x + everywhere * room).toFixed(1);
    return [node("text", { x: x - 9, y: y + 17, "text-anchor": "end" }, shortened(translation, 12, 116)),
      node("rect", { x, y: y + 5, width: Math.max(p * room, 1).toFixed(1), height: row - 10, fill: colourOf(choice, mine[0]) }),
      node("line", { class: "overall", x1: mark, x2: mark, y1: y + 3, y2: y + row - 3 }),
      node("text", { class: "figure", x: (x + room + 8).toFixed(1), y: y + 17 }, probability(p))];
  };
  return node("svg", { ...frame(width, row * (found.length + 1)) }, two.map(name), found.flatMap((one, i) => [
    node("text", { class: "subheading", x: first - 9, y: (i + 1) * row + 17, "text-anchor": "end" }, shortened(one.word, 13, first - 12)), ...side(one, i, 0), ...side(one, i, 1)]));
}

view("TwoSides", (value, at) => {
  const { of, words, shares } = value, { own, choices } = at, places = descending(shares.map((_, k) => k), (k) => shares[k]);
  own.two = own.two || mostDifferent(value) || [0, Math.min(1, shares.length - 1)];
  own.shown = own.shown || WORDS_AT_ONCE;
  if (at.figured) return mostDifferent(value) ? twoSidesChart(differencesOf(words, ...own.two).slice(0, WORDS_AT_ONCE), own.two, choices[of], at.width) : null;
  const draw = () => {
    const [one, other] = own.two, found = one === other ? [] : differencesOf(words, one, other), left = found.length - own.shown;
    if (!found.length) return node("p", { class: "note" }, one === other ? "Choose two that are not the same." : "No word that is frequent in both has another translation here.");
    return [node("p", { class: "count", role: "status" }, counted(found.length, "word")),
      node("div", { class: "two heads" }, own.two.map((k) => node("div", {}, itemNode(at, of, k, "", true)))),
      node("ol", { class: "entries" }, found.slice(0, own.shown).map((each) => node("li", {}, node("h3", {}, node("bdi", { class: "word" }, each.word), " ", node("span", { class: "share" }, counted(each.links, "link"))),
        node("div", { class: "two" }, [0, 1].map((side) => sideOf(at, value, each, side)))))),
      left > 0 ? node("div", { class: "pager" }, node("button", { type: "button", "data-key": "more", onclick: () => { own.shown += WORDS_AT_ONCE; at.redraw("words"); } }, `Show ${Math.min(left, WORDS_AT_ONCE)} more of ${grouped(left)}`)) : null];
  };
  const box = (label, side) => choiceBox(label, places.map((k) => [k, choices[of].labels[k]]), own.two[side], label, (k) => { own.two[side] = k; own.shown = WORDS_AT_ONCE; at.redraw("words"); });
  return [node("div", { class: "controls" }, box("Left", 0), box("Right", 1)), at.part("words", draw)];
});
