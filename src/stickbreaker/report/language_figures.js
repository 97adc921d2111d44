
// The charts of a language model as the text of SVG files, for an interpreter that has no page.

function drawLanguageFigures(text) {
  const data = JSON.parse(text), found = {};
  const add = (file, { name, said, draw }) => { found[file] = figureOf(name, draw(640, 320), said); };
  const files = ["discounts", "concentrations", "context-lengths"];
  lengthCharts(data).forEach((chart, i) => add(files[i], chart));
  sweepCurves(data).forEach((curve) => add(`perplexity-${curve.kind}`, curveChart(curve)));
  return JSON.stringify(found);
}
