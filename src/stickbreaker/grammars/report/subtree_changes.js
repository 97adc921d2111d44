
// The subtrees of symbols over a run, as figures.

// The subtrees of the first three symbols over time, and how many there are.
function changesOfSymbols({ changes }) {
  if (!changes) return {};
  const found = {}, shown = momentsBetween(0, changes.moments.length - 1, 8);
  changes.wordings.map((wording, k) => [wording, k]).filter(([wording]) => wording).slice(0, 3).forEach(([wording, k], i) => {
    const chart = pathChart(wording, changes, shown, notablePaths(wording, shown), Math.max(140 * shown.length, 420));
    found[`changes-${i + 1}`] = figureOf(`How ${changes.names[k]} changed`, chart);
  });
  if (changes.vocabulary.length) found["remembered-subtrees"] = figureOf("Subtrees remembered", vocabularyChart(changes, 720, 380));
  return found;
}

section({ figures: changesOfSymbols });
