
// The page of a language model: its charts, at the width that there is.

function drawCharts(selector, charts) {
  const box = find(selector);
  if (!box) return;
  const room = box.clientWidth, across = room < 720 ? 1 : Math.min(charts.length, room < 1000 ? 2 : 3);
  const width = Math.max(Math.floor((room - 32 * (across - 1)) / across), 260);
  fill(selector, ...charts.map((chart) => captioned(chart, width, 250)));
}

function start() {
  const data = JSON.parse(find("#data").textContent);
  const draw = () => {
    drawCharts("#length-charts", lengthCharts(data));
    drawCharts("#curves", sweepCurves(data).map(curveChart));
  };
  draw();
  followWidth(draw);
}

start();
