
// The charts of a grammar as the text of SVG files.

function drawGrammarFigures(text) {
  return drawChartFigures(text, grammarCharts);
}
