
// Two topics side by side: `state` has the chosen ones and how many words are shown.

const WORDS_AT_ONCE = 12;

function topicOptions(topics) {
  const places = descending(topics.map((_, k) => k), (k) => topics[k].share);
  return places.map((k) => node("option", { value: k }, topics[k].label));
}

function drawDifferences(state) {
  const { data, chosen, shown } = state, found = chosen[0] === chosen[1] ? [] : differencesOf(data.words, ...chosen);
  fill("#differences", differenceList(found, shown, data, chosen));
  find("#difference-count").textContent = found.length ? counted(found.length, "word") : "";
  const left = found.length - shown;
  fill("#more-differences", ...(left > 0 ? [node("button", { type: "button" }, `Show ${Math.min(left, WORDS_AT_ONCE)} more of ${grouped(left)}`)] : []));
}

section({
  start(state) {
    const { data } = state;
    Object.assign(state, { chosen: mostDifferent(data) || [0, Math.min(1, data.topics.length - 1)], shown: WORDS_AT_ONCE });
    ["#first-topic", "#second-topic"].forEach((selector, side) => {
      fill(selector, ...topicOptions(data.topics));
      find(selector).value = state.chosen[side];
    });
    drawDifferences(state);
    ["#first-topic", "#second-topic"].forEach((selector, side) => on(selector, "change", (event) => {
      state.chosen[side] = Number(event.target.value);
      state.shown = WORDS_AT_ONCE;
      drawDifferences(state);
    }));
    on("#more-differences", "click", (event) => {
      if (!event.target.closest("button")) return;
      const first = state.shown;
      state.shown += WORDS_AT_ONCE;
      drawDifferences(state);
      const next = document.querySelectorAll("#differences ol > li")[first];
      next.setAttribute("tabindex", -1);
      next.focus({ preventScroll: true });
    });
  },
});
