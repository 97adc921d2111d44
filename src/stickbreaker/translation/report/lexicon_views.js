
// What a page of a lexicon draws, and what its reader does. `state` is all that the page remembers.

const AT_ONCE = 12; // words of two topics, and documents

function drawTerms({ data, query }) {
  if (!find("#term-table")) return;
  const found = foundTerms(data.terms, query);
  fill("#term-table", termTable(found, data.topics));
  find("#term-count").textContent = query.trim() ? `${grouped(found.length)} of ${grouped(data.terms.length)}` : "";
}

function topicOptions(topics) {
  const places = descending(topics.map((_, k) => k), (k) => topics[k].share);
  return places.map((k) => node("option", { value: k }, topics[k].label));
}

function drawDifferences(state) {
  if (!find("#differences")) return;
  const { data, chosen, shown } = state, found = chosen[0] === chosen[1] ? [] : differencesOf(data.words, ...chosen);
  fill("#differences", differenceList(found, shown, data, chosen));
  find("#difference-count").textContent = found.length ? counted(found.length, "word") : "";
  const left = found.length - shown;
  fill("#more-differences", ...(left > 0 ? [node("button", { type: "button" }, `Show ${Math.min(left, AT_ONCE)} more of ${grouped(left)}`)] : []));
}

function drawDocuments({ data, domain }) {
  if (!find("#document-list")) return;
  const shown = documentsIn(data.documents, domain, AT_ONCE);
  fill("#document-list", node("ol", { class: "changed-documents" }, shown.map((each, i) => changedDocument(each, data, i === 0))));
}

function fillChoices({ data, chosen }) {
  if (find("#first-topic")) {
    ["#first-topic", "#second-topic"].forEach((selector, side) => {
      fill(selector, ...topicOptions(data.topics));
      find(selector).value = chosen[side];
    });
  }
  const domains = domainsOf(data.documents), box = find("#document-domain");
  if (box) {
    fill("#document-domain", node("option", { value: -1 }, "all"), ...domains.map((name, i) => node("option", { value: i }, name)));
    box.closest(".controls").hidden = domains.length < 2;
  }
}

function listen(state) {
  on("#term-find", "input", (event) => { state.query = event.target.value; drawTerms(state); });
  ["#first-topic", "#second-topic"].forEach((selector, side) => on(selector, "change", (event) => {
    state.chosen[side] = Number(event.target.value);
    state.shown = AT_ONCE;
    drawDifferences(state);
  }));
  on("#more-differences", "click", (event) => {
    if (!event.target.closest("button")) return;
    const first = state.shown;
    state.shown += AT_ONCE;
    drawDifferences(state);
    const next = document.querySelectorAll("#differences ol > li")[first];
    next.setAttribute("tabindex", -1);
    next.focus({ preventScroll: true });
  });
  on("#document-domain", "change", (event) => {
    const place = Number(event.target.value);
    state.domain = place < 0 ? null : domainsOf(state.data.documents)[place];
    drawDocuments(state);
  });
}
