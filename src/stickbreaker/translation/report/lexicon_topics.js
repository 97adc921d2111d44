
// The topics of a lexicon, and the known domains in them.

const LEGEND_ROW = 20;

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

section({
  figures: ({ topics, domains }) => (domains.length ? { "topics-by-domain": figureOf("Known domains in topics", topicsByDomain(topics, domains, 860)) } : {}),
});
