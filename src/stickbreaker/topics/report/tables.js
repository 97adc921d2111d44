
// Tables: the groups, the topics measured, the vocabulary.

function topicButton(topic, k) {
  return node("button", { type: "button", class: "plain", "data-topic": k }, spot(topic), name(topic));
}

// The table is scrolled with the keyboard too, and so can hold the focus.
function scrollable(label, ...children) {
  return node("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, node("table", {}, ...children));
}

