
// Begins what the sections of the page draw.

function drawCharts(selector, charts) {
  const box = find(selector);
  if (!box) return;
  const room = box.clientWidth, across = room < 720 ? 1 : Math.min(charts.length, room < 1000 ? 2 : 3);
  const width = Math.max(Math.floor((room - 32 * (across - 1)) / across), 260);
  fill(selector, ...charts.map((chart) => captioned(chart, width, 250)));
}

function startPage(data) {
  const draw = () => sections.forEach(({ charts }) => {
    if (charts) Object.entries(charts(data)).forEach(([selector, own]) => drawCharts(selector, own));
  });
  draw();
  followWidth(draw);
  const state = { data }; // what the page remembers
  sections.forEach(({ start }) => { if (start) start(state); });
}

startPage(JSON.parse(find("#data").textContent));
