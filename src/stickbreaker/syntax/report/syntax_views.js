
// What a page of syntactic topics draws, and what its reader does. `state` is all that the page remembers: the topic
// that is chosen, the graph as it was placed, and of documents their order and page.

function drawGraph(state) {
  if (!state.data.topics.length) return;
  state.graph = topicGraph(state.data, roomOf("#topic-graph", 300));
  fill("#topic-graph", state.graph.tree);
  chooseTopic(state, state.chosen);
}

// Shows a topic's lines alone, and what there is to say of it.
function chooseTopic(state, k) {
  const { topics } = state.data;
  state.chosen = k;
  find(".topic-graph").classList.toggle("one", k >= 0);
  for (const dot of document.querySelectorAll("#topic-graph .dot")) {
    const own = Number(dot.dataset.topic) === k;
    dot.setAttribute("aria-pressed", String(own));
    dot.setAttribute("tabindex", own ? 0 : -1);
  }
  if (!find("#topic-graph .dot[tabindex='0']")) find("#topic-graph .dot").setAttribute("tabindex", 0);
  for (const edge of document.querySelectorAll("#topic-graph .edge")) {
    edge.classList.toggle("own", Number(edge.dataset.head) === k || Number(edge.dataset.below) === k);
  }
  if (k >= 0) fill("#topic-details", ...topicDetails(topics[k], topics, roomOf("#topic-details", 240) - 40).filter(Boolean));
  else fill("#topic-details", node("p", { class: "small" }, "Choose a topic: with a click, or with Tab and the arrow keys."));
}

function drawDocuments(state) {
  const { documents, topics } = state.data;
  if (!documents.length) return;
  const box = find("#document-order");
  if (!box.options.length) {
    fill("#document-order", node("option", { value: -1 }, "as in the corpus"),
      ...topics.map((topic, k) => node("option", { value: k }, `most of ${topic.label}`)));
  }
  box.value = state.by;
  const places = orderedDocuments(documents, state.by), pages = Math.max(Math.ceil(places.length / PAGE_SIZE), 1);
  state.page = clamp(state.page, 0, pages - 1);
  const shown = places.slice(state.page * PAGE_SIZE, (state.page + 1) * PAGE_SIZE);
  fill("#document-list", shown.length ? node("ol", { class: "mixes" }, shown.map((i) => documentRow(documents[i], topics)))
    : node("p", { class: "note" }, "No document has this topic among its largest."));
  fill("#document-pager", ...pagerButtons(state.page, pages));
}

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

// On a narrow screen the details lie over the lower half of it: a circle must not be under them.
function uncover({ graph, chosen }) {
  if (!graph.circles.has(chosen) || getComputedStyle(find("#topic-details")).position !== "sticky") return;
  find(`#topic-graph .dot[data-topic='${chosen}']`).scrollIntoView({ block: "center" });
}

// A press gives the focus, which chooses a topic; the page moves once the click is over, lest it end elsewhere.
function listenToGraph(state) {
  on("#topic-graph", "focusin", (event) => chooseTopic(state, Number(event.target.closest("[data-topic]").dataset.topic)));
  on(".topic-graph-room", "click", (event) => {
    const hit = event.target.closest("[data-topic]");
    if (hit) chooseTopic(state, Number(hit.dataset.topic));
    else if (event.target.closest("#topic-graph")) chooseTopic(state, -1);
    if (hit || event.target === event.currentTarget) uncover(state); // the room: the details came under the pointer
  });
  on("#topic-graph", "keydown", (event) => {
    const own = event.target.closest("[data-topic]");
    if (!event.key.startsWith("Arrow") || !own) return;
    event.preventDefault();
    find(`#topic-graph .dot[data-topic='${stepInGraph(state.graph, Number(own.dataset.topic), event.key)}']`).focus();
    uncover(state);
  });
}

function listenToDocuments(state) {
  on("#document-order", "change", (event) => { state.by = Number(event.target.value); state.page = 0; drawDocuments(state); });
  on("#document-pager", "click", (event) => {
    const button = event.target.closest("[data-step]");
    if (!button) return;
    state.page += Number(button.dataset.step);
    drawDocuments(state);
    const other = find(`#document-pager [data-step='${button.dataset.step}']`);
    (other.disabled ? find("#document-pager button:enabled") : other).focus();
  });
  on("#document-list", "click", (event) => {
    const hit = event.target.closest("[data-topic]");
    if (!hit) return;
    chooseTopic(state, Number(hit.dataset.topic));
    find("#graph").scrollIntoView();
  });
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
