
// Perplexity by sweep, pass or step.

function sweepCurves({ curves, colours, unit }) {
  return curves.map(({ kind, name, points }) => ({
    kind, name, colour: colours[kind], xName: unit, unigram: null, points: points.map(([x, y]) => ({ x, y })),
  }));
}

function curveChart(curve) {
  const { points } = curve, first = shortNumber(points[0].y), last = shortNumber(points[points.length - 1].y);
  return {
    file: `perplexity-${curve.kind}`, name: curve.name, said: `${first} at first, ${last} at the end`,
    draw: (width, height) => lineChart(points, { ...curve, width, height }),
  };
}

section({ charts: (data) => ({ "#curves": sweepCurves(data).map(curveChart) }) });
