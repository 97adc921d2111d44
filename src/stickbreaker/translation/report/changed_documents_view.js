
// Documents in which translations change, of all domains or of one.

const DOCUMENTS_AT_ONCE = 12;

function drawDocuments({ data, domain }) {
  const shown = documentsIn(data.documents, domain, DOCUMENTS_AT_ONCE);
  fill("#document-list", node("ol", { class: "changed-documents" }, shown.map((each, i) => changedDocument(each, data, i === 0))));
}

section({
  start(state) {
    const domains = domainsOf(state.data.documents), box = find("#document-domain");
    state.domain = null;
    fill("#document-domain", node("option", { value: -1 }, "all"), ...domains.map((name, i) => node("option", { value: i }, name)));
    box.closest(".controls").hidden = domains.length < 2;
    drawDocuments(state);
    on("#document-domain", "change", (event) => {
      const place = Number(event.target.value);
      state.domain = place < 0 ? null : domains[place];
      drawDocuments(state);
    });
  },
});
