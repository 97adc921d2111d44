
// How topics, or the symbols of a grammar, changed: what a page draws, and what its reader does. Of `state` they use
// data.changes, order, chosen, named (the name of each), followed, reach and size.

const VOCABULARY_HEIGHT = 340;
const LEAST_COLUMN = 124; // of the words of a topic at a moment
const MOST_COLUMNS = 8;

function wholeReach(changes) {
  return { from: 0, to: changes ? Math.max(changes.moments.length - 1, 0) : 0 };
}

// How the chosen topic changed.
function drawChanges(state) {
  const { changes, topics } = state.data;
  if (!find("#change-chart")) return;
  const wording = changes.wordings[state.chosen], { from, to } = state.reach;
  const box = find("#change-topic");
  if (!box.options.length) {
    fill("#change-topic", ...state.order.map((k) => node("option", { value: k }, state.named(k))));
    if (find("#fresh-table")) fill("#fresh-table", freshTable(changes, topics, state.order));
  }
  box.value = state.chosen;
  const width = roomOf("#change-chart", 260) - 16, most = clamp(Math.floor(width / LEAST_COLUMN), 2, MOST_COLUMNS);
  const shown = momentsBetween(from, to, most);
  const words = wording ? pathWords(wording, shown) : [];
  if (!words.includes(state.followed)) state.followed = null;
  fill("#change-word", node("option", { value: -1, selected: state.followed === null }, `${changes.noun}s that are new, or moved most`),
    ...words.map((word) => node("option", { value: word, selected: word === state.followed }, wording.words[word])));
  const followed = !wording ? [] : state.followed === null ? notablePaths(wording, shown) : [state.followed];
  fill("#change-chart", wording ? pathChart(wording, changes, shown, followed, width)
    : node("p", { class: "note" }, `${capital(changes.of)} had no ${changes.noun}s at these moments.`));
  fill("#change-table", ...(wording ? [pathTable(wording, changes, shown, followed)] : []));
  for (const [name, c] of [["from", from], ["to", to]]) tellReach(name, c, changes);
}

function tellReach(name, c, changes) {
  const slider = find(`#change-${name}`);
  if (!slider) return;
  slider.value = c;
  slider.setAttribute("aria-valuetext", momentName(changes, c));
  fill(`#change-${name}-readout`, momentName(changes, c));
}

function drawVocabulary(state) {
  const { changes } = state.data;
  if (!find("#vocabulary-chart")) return;
  fill("#vocabulary-chart", vocabularyChart(changes, roomOf("#vocabulary-chart", 280), VOCABULARY_HEIGHT));
  find("#vocabulary-at").setAttribute("max", changes.vocabulary.length - 1);
  drawSize(state, state.size === null ? changes.vocabulary.length - 1 : state.size);
}

// The size of the vocabulary at one moment, beside the slider and in the chart.
function drawSize(state, i) {
  const { changes } = state.data, said = describeVocabulary(changes, i), slider = find("#vocabulary-at");
  state.size = i;
  slider.value = i;
  slider.setAttribute("aria-valuetext", said);
  fill("#vocabulary-readout", said);
  fill("#vocabulary-chart .cursor", ...vocabularyCursor(changes, i, roomOf("#vocabulary-chart", 280), VOCABULARY_HEIGHT));
}

// The size of the vocabulary where the pointer is.
function tellSize(state, event) {
  const box = find("#vocabulary-chart").firstElementChild.getBoundingClientRect();
  drawSize(state, vocabularyAt(state.data.changes, (event.clientX - box.left) / box.width, box.width));
}

// Shows the moments from one to another: two of them at least, the other end gives way.
function setReach(state, end, c) {
  const last = state.data.changes.moments.length - 1, at = end === "from" ? Math.min(c, last - 1) : Math.max(c, 1);
  state.reach = end === "from" ? { from: at, to: Math.max(state.reach.to, at + 1) } : { from: Math.min(state.reach.from, at - 1), to: at };
  drawChanges(state);
}

// A word is followed, or no longer.
function follow(state, word) {
  state.followed = word < 0 || word === state.followed ? null : word;
  drawChanges(state);
}

// `choose` is called with the topic that the reader chooses.
function listenToChanges(state, choose) {
  on("#change-topic", "change", (event) => choose(Number(event.target.value)));
  on("#change-word", "change", (event) => { state.followed = null; follow(state, Number(event.target.value)); });
  on("#change-from", "input", (event) => setReach(state, "from", Number(event.target.value)));
  on("#change-to", "input", (event) => setReach(state, "to", Number(event.target.value)));
  on("#vocabulary-chart", "pointermove", (event) => tellSize(state, event));
  on("#vocabulary-at", "input", (event) => drawSize(state, Number(event.target.value)));
}
