
// Documents whose topics change how words are translated.

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
