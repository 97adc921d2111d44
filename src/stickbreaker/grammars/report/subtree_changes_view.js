
// What enters and leaves.

// What enters and leaves: one symbol is chosen, the first that has subtrees at first.
function startChanges({ data: { changes } }) {
  const order = changes.names.map((_, k) => k).filter((k) => changes.wordings[k]);
  const state = {
    data: { changes }, order, chosen: order[0], named: (k) => changes.names[k], followed: null, size: null, reach: wholeReach(changes),
  };
  const draw = () => { drawChanges(state); drawVocabulary(state); };
  draw();
  followWidth(draw);
  listenToChanges(state, (k) => { state.chosen = k; drawChanges(state); });
  on("#change-chart", "click", (event) => {
    const hit = event.target.closest("[data-word]");
    if (hit) follow(state, Number(hit.dataset.word));
  });
}

section({ start: startChanges });
