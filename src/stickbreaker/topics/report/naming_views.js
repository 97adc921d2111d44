
// The field in which the reader names the chosen topic. Of `state` it uses data.topics, chosen, and firstNames: the
// names that the page came with.

function drawNaming(state) {
  const { topics } = state.data, topic = topics[state.chosen], box = find("#naming");
  if (!box) return;
  const changed = topics.some((one, k) => one.given !== state.firstNames[k]);
  box.hidden = !topic.members.length;
  const field = find("#topic-name");
  field.value = topic.given;
  field.setAttribute("placeholder", topic.guided || "in your words");
  fill("#topic-names", ...allNames(topics).map((name) => node("option", { value: name })));
  fill("#naming-outlook", outlook(topic, topics));
  find("#names-file").hidden = !changed;
  linkNames(topics);
}

function linkNames(topics) {
  find("#download-names").setAttribute("href", `data:application/json;charset=utf-8,${encodeURIComponent(namesFile(topics))}`);
}

// Gives the chosen topic the name in the field; `redraw` draws what has labels.
function giveName(state, redraw) {
  const { topics } = state.data, k = state.chosen, name = plainName(find("#topic-name").value);
  if (name === topics[k].given) return drawNaming(state);
  topics[k] = renamed(topics[k], name);
  linkNames(topics);
  return redraw(k);
}

function listenToNaming(state, redraw) {
  let pressed = false, waiting = null;
  // A field is left before what was pressed is clicked: until then nothing may move from under the pointer.
  const later = (k) => { if (pressed) waiting = k; else redraw(k); };
  const give = () => giveName(state, later);
  document.addEventListener("mousedown", () => { pressed = true; }, true);
  document.addEventListener("mouseup", () => {
    pressed = false;
    if (waiting === null) return;
    const k = waiting;
    waiting = null;
    setTimeout(() => redraw(k), 0);
  }, true);
  on("#topic-name", "change", give);
  on("#topic-name", "input", (event) => { if (!event.inputType || event.inputType === "insertReplacementText") give(); }); // from the list of names
  on("#topic-name", "keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) give();
    if (event.key === "Escape") drawNaming(state);
  });
  on("#give-name", "click", give);
}
