
// The page of a lexicon.

function startLexicon(data) {
  const chosen = mostDifferent(data) || [0, Math.min(1, data.topics.length - 1)];
  const state = { data, query: "", chosen, shown: AT_ONCE, domain: null };
  fillChoices(state);
  drawTerms(state);
  drawDifferences(state);
  drawDocuments(state);
  fill("#topic-list-cards", topicCards(data));
  listen(state);
}

startLexicon(JSON.parse(find("#data").textContent));
