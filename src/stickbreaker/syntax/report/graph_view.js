
// The graph of topics: `state` has the topic that is chosen, and the graph as it was placed.

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

section({
  start(state) {
    Object.assign(state, { chosen: -1, graph: null });
    drawGraph(state);
    listenToGraph(state);
    followWidth(() => drawGraph(state));
  },
});
