
// The charts of a page of syntactic topics, and the parts of it that are lists.

const PAGE_SIZE = 20;

function syntaxCharts(data) {
  return { "#curves": sweepCurves(data).map((curve) => curveChart({ ...curve, xName: data.unit })) };
}

// Place and share of each topic of a document, in pairs.
function mixOf([, , , flat]) {
  const mix = [];
  for (let i = 0; i < flat.length; i += 2) mix.push([flat[i], flat[i + 1]]);
  return mix;
}

// The places of documents: as they stand in the corpus, or those with most of a topic first.
function orderedDocuments(documents, k) {
  const places = documents.map((_, i) => i);
  if (k < 0) return places;
  const share = (i) => (mixOf(documents[i]).find(([topic]) => topic === k) || [k, 0])[1];
  return descending(places.filter((i) => share(i) > 0), share);
}

function documentRow(document, topics) {
  const [name, words, heldOut] = document, mix = mixOf(document);
  const first = mix.slice(0, 3).map(([k, share]) => node("span", { class: "neighbour" },
    node("span", { class: "spot", style: `background:${topics[k].colour}` }),
    node("button", { type: "button", class: "plain", "data-topic": k, title: topics[k].label }, String(topics[k].number)), ` ${percent(share)}`));
  return node("li", {},
    node("span", { class: "id" }, node("bdi", {}, name), heldOut ? node("span", { class: "mark" }, "held out") : null),
    node("span", { class: "small" }, counted(words, "word")),
    mix.length ? mixBar(mix, topics) : node("span", { class: "small" }, "no words"),
    node("span", { class: "first" }, first));
}

function pagerButtons(page, pages) {
  if (pages < 2) return [];
  const button = (step, said, off) => node("button", { type: "button", "data-step": step, disabled: off }, said);
  return [button(-1, "← Previous", page === 0), node("span", {}, `${page + 1} of ${pages}`), button(1, "Next →", page === pages - 1)];
}

// A topic beside the graph: its share, tags, words, and the topics below and above it.
function topicDetails(topic, topics, width) {
  const neighbour = ([k, share]) => node("li", {}, k < 0 ? node("span", {}, "no head") : node("button", { type: "button", class: "plain", "data-topic": k },
    node("span", { class: "spot", style: `background:${topics[k].colour}` }), topics[k].label.replace(/^topic /, "")),
  node("span", { class: "share" }, percent(share)));
  const list = (said, rows) => [node("h4", {}, said), rows.length ? node("ul", { class: "neighbours" }, rows.map(neighbour)) : node("p", { class: "small" }, "None stands out.")];
  return [
    node("h3", {}, node("span", { class: "spot", style: `background:${topic.colour}` }), `Topic ${topic.number}`),
    node("p", { class: "small" }, `${percent(topic.share)} of the words. `, topic.tags.map(([tag, share], i) => [i ? " · " : "", node("bdi", {}, tag), ` ${percent(share)}`]).flat()),
    topic.words.length ? wordBars(topic.words.slice(0, 10), topic.colour, width) : null,
    node("p", { class: "small" }, "A line marks a word’s share of all words; × is how much larger it is here."),
    node("div", { class: "both" }, node("div", {}, list("Below it", topic.below)), node("div", {}, list("Above it", topic.above))),
  ];
}
