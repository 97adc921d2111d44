
// What the sections of a lexicon's page share, as trees of nodes.

const FIRST_TOPICS = 3; // of a document or topic, that are named beside its bar

function probability(p) {
  return p >= 0.005 ? p.toFixed(2) : p > 0 ? "<0.01" : "0";
}

function named({ label, colour }) {
  return node("span", { class: "named" }, node("span", { class: "spot", style: `background:${colour}` }), node("bdi", {}, label));
}

function word(text, kind = "token") {
  return node("bdi", { class: kind }, text);
}

// A probability as a bar, and a line where it is in all documents.
function probabilityBar(p, everywhere, colour) {
  const mark = (100 * clamp(everywhere, 0.005, 0.995)).toFixed(1);
  return node("svg", { class: "p-bar", "aria-hidden": "true", viewBox: "0 0 100 10", preserveAspectRatio: "none" },
    node("rect", { class: "track", x: 0, y: 1.5, width: 100, height: 7 }),
    node("rect", { x: 0, y: 1.5, width: (100 * p).toFixed(1), height: 7, fill: colour }),
    node("line", { class: "overall", x1: mark, x2: mark, y1: 0, y2: 10, "vector-effect": "non-scaling-stroke" }));
}

// A sentence and its translation; every second piece is marked.
function sentencePair(examples, number, languages) {
  if (number < 0 || !examples[number]) return null;
  const said = examples[number].map((pieces, side) => node("p", { lang: languages[side], dir: "auto" },
    pieces.map((piece, i) => (i % 2 ? node("mark", {}, piece) : piece))));
  return node("div", { class: "example" }, said);
}

function pairsOf(flat) {
  const found = [];
  for (let i = 0; i < flat.length; i += 2) found.push([flat[i], flat[i + 1]]);
  return found;
}
