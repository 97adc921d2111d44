
// The table of terms, and what is looked for in it.

function drawTerms({ data, query }) {
  const found = foundTerms(data.terms, query);
  fill("#term-table", termTable(found, data.topics));
  find("#term-count").textContent = query.trim() ? `${grouped(found.length)} of ${grouped(data.terms.length)}` : "";
}

section({
  start(state) {
    state.query = "";
    drawTerms(state);
    on("#term-find", "input", (event) => { state.query = event.target.value; drawTerms(state); });
  },
});
