
// Sentences and their trees, which are drawn once they are opened.

function drawSentence(state, details) {
  const room = details.querySelector(".arcs-room");
  if (!details.open || room.firstChild) return;
  room.append(build(sentenceArcs(state.data.sentences[Number(details.dataset.sentence)], state.data.topics)));
}

// Of a word of a tree: its topic is said below, and its own arc stands out.
function pointAtWord(state, word) {
  const details = word.closest("details"), sentence = state.data.sentences[Number(details.dataset.sentence)], i = Number(word.dataset.word);
  details.querySelector(".readout").textContent = describeWord(sentence, state.data.topics, i);
  for (const arc of details.querySelectorAll(".arc")) {
    arc.classList.toggle("own", Number(arc.dataset.word) === i || sentence.heads[Number(arc.dataset.word)] === i);
  }
  details.querySelector(".arcs").classList.add("one");
}

function stepAlongWords(word, key) {
  const words = [...word.closest("svg").querySelectorAll(".pointed")], at = words.indexOf(word);
  const next = words[clamp(at + (key === "ArrowLeft" ? -1 : 1), 0, words.length - 1)];
  for (const each of words) each.setAttribute("tabindex", each === next ? 0 : -1);
  next.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function listenToSentences(state) {
  const list = find(".parsed");
  if (!list) return;
  list.addEventListener("toggle", (event) => drawSentence(state, event.target), true);
  for (const kind of ["pointerover", "focusin", "click"]) {
    list.addEventListener(kind, (event) => { const word = event.target.closest(".pointed"); if (word) pointAtWord(state, word); });
  }
  list.addEventListener("keydown", (event) => {
    const word = event.target.closest(".pointed");
    if (!word || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    event.preventDefault();
    stepAlongWords(word, event.key);
  });
}

section({
  start(state) {
    document.querySelectorAll(".parsed details").forEach((details) => drawSentence(state, details));
    listenToSentences(state);
  },
});
