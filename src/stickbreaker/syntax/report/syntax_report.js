
// The page of syntactic topics.

function startSyntax(data) {
  const state = { data, chosen: -1, graph: null, by: -1, page: 0 };
  drawGraph(state);
  drawDocuments(state);
  document.querySelectorAll(".parsed details").forEach((details) => drawSentence(state, details));
  listenToGraph(state);
  listenToDocuments(state);
  listenToSentences(state);
  followWidth(() => drawGraph(state));
}

start(syntaxCharts);
startSyntax(JSON.parse(find("#data").textContent));
