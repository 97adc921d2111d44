
// Charts in the sections of a page, at the width that there is.

function drawCharts(selector, charts) {
  const box = find(selector);
  if (!box) return;
  const room = box.clientWidth, across = room < 720 ? 1 : Math.min(charts.length, room < 1000 ? 2 : 3);
  const width = Math.max(Math.floor((room - 32 * (across - 1)) / across), 260);
  fill(selector, ...charts.map((chart) => captioned(chart, width, 250)));
}

// `chartsOf` gives, from the page's data, the charts of each section by its selector.
function start(chartsOf) {
  const data = JSON.parse(find("#data").textContent);
  const draw = () => Object.entries(chartsOf(data)).forEach(([selector, charts]) => drawCharts(selector, charts));
  draw();
  followWidth(draw);
}
