
// Begins what the sections of the page draw.

function startPage(data) {
  const state = { data }; // what the page remembers
  sections.forEach(({ start }) => { if (start) start(state); });
}

startPage(JSON.parse(find("#data").textContent));
