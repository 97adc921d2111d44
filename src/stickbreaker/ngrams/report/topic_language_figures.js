// The charts of a language model with topics as the text of SVG files, for an interpreter that has no page.

const DRAWN_STRIPS = 3;

function drawFigures(text) {
  const data = JSON.parse(text), found = chartFigures(topicLanguageCharts(data));
  data.strips.slice(0, DRAWN_STRIPS).forEach((strip, i) => {
    found[`topics-along-${i + 1}`] = figureOf("Topics along a document", topicStrip(strip, data.topics, data.common, 900));
  });
  return JSON.stringify(found);
}
