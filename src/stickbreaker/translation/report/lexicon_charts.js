
// What a page of a lexicon shows, as trees of nodes.

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

// Terms

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

// Two topics

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

// Documents

function documentsIn(documents, domain, n) {
  return (domain === null ? documents : documents.filter((each) => each.domain === domain)).slice(0, n);
}

function domainsOf(documents) {
  return [...new Set(documents.map((each) => each.domain).filter(Boolean))].sort();
}

function changedWord([text, nats, usual, here, another, example], { examples, languages }) {
  const change = ([translation, everywhere, p]) => [word(translation), " ", node("span", { class: "p" }, `${probability(everywhere)} → ${probability(p)}`)];
  return node("li", {},
    node("p", { class: "change" }, node("b", {}, word(text)), node("span", { class: "to" }, change(here)),
      usual[0] === here[0] ? null : node("span", { class: "small" }, another ? "instead of " : "usually ", change(usual)),
      another ? node("span", { class: "mark" }, "another is best") : null,
      node("span", { class: "share" }, `${nats.toFixed(2)} nats`)),
    sentencePair(examples, example, languages));
}

function changedDocument(entry, data, open) {
  const mix = pairsOf(entry.topics);
  return node("li", {}, node("details", { open },
    node("summary", {},
      node("span", { class: "what" }, node("bdi", { class: "id" }, entry.name),
        node("span", { class: "small" }, entry.domain ? [node("bdi", {}, entry.domain), " · "] : null, `${counted(entry.pairs, "pair")}, ${entry.nats.toFixed(3)} nats per word`)),
      node("span", { class: "mixture" }, mixBar(mix, data.topics),
        node("span", { class: "small" }, mix.slice(0, FIRST_TOPICS).map(([k, share]) => node("span", { class: "part" }, named(data.topics[k]), ` ${percent(share)}`))))),
    entry.words.length ? node("ol", { class: "changes" }, entry.words.map((each) => changedWord(each, data)))
      : node("p", { class: "note" }, "No word has a translation that becomes likelier.")));
}

// Topics

function topicCard(topic, domains) {
  const mix = pairsOf(topic.domains);
  return node("li", {},
    node("h3", {}, named(topic), node("span", { class: "share" }, `${percent(topic.share)} of the links`)),
    node("p", { class: "words" }, topic.words.flatMap(([source, translation, p]) => [node("span", { class: "neighbour" }, word(source), " → ", word(translation), " ", node("span", { class: "share" }, probability(p))), " "])),
    mix.length ? mixBar(mix, domains) : null,
    mix.length ? node("p", { class: "small" }, mix.slice(0, FIRST_TOPICS).map(([k, share]) => node("span", { class: "part" }, named(domains[k]), ` ${percent(share)}`))) : null);
}

function topicCards({ topics, domains }) {
  return node("ol", { class: "topic-cards" }, descending(topics, (each) => each.share).map((each) => topicCard(each, domains)));
}
