
// The charts of syntactic topics as the text of SVG files, for an interpreter that has no page.

function drawFigures(text) {
  const data = JSON.parse(text), found = chartFigures(syntaxCharts(data));
  if (data.topics.length) found["topic-graph"] = figureOf("Topic graph", topicGraph(data, 1080).tree);
  data.sentences.slice(0, 3).forEach((sentence, i) => { found[`tree-${i + 1}`] = figureOf("", sentenceArcs(sentence, data.topics)); });
  return JSON.stringify(found);
}
