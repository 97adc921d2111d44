
// The list of documents: `state` has their order, by a topic or none, and the page of the list.

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

section({
  start(state) {
    Object.assign(state, { by: -1, page: 0 });
    drawDocuments(state);
    listenToDocuments(state);
  },
});
