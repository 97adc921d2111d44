
// The charts of a language model as the text of SVG files, for an interpreter that has no page.

function drawChartFigures(text, chartsOf) {
  const found = {};
  for (const { file, name, said, draw } of Object.values(chartsOf(JSON.parse(text))).flat()) {
    found[file] = figureOf(name, draw(640, 320), said);
  }
  return JSON.stringify(found);
}

function drawLanguageFigures(text) {
  return drawChartFigures(text, languageCharts);
}
