
// The charts of a language model as the text of SVG files, for an interpreter that has no page.

function drawFigures(text) {
  return JSON.stringify(chartFigures(languageCharts(JSON.parse(text))));
}
