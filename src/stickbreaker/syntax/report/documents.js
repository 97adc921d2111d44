
// Documents of syntactic topics as a list.

const PAGE_SIZE = 20;

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
