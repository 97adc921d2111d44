
// The page itself: draws the trees, and lets one chosen topic drive every view.

const SVG_TAGS = new Set(["svg", "g", "circle", "rect", "line", "polyline", "text", "title"]);
const PAGE_SIZE = 25;

function build(tree) {
  if (typeof tree === "string") return document.createTextNode(tree);
  const element = SVG_TAGS.has(tree.tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tree.tag)
    : document.createElement(tree.tag);
  for (const [key, value] of Object.entries(tree.attributes)) {
    if (value !== false && value !== undefined) element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...tree.children.map(build));
  return element;
}

function find(selector) {
  return document.querySelector(selector);
}

function fill(selector, ...trees) {
  const parent = find(selector);
  if (parent) parent.replaceChildren(...trees.map(build));
}

function start() {
  const data = JSON.parse(find("#data").textContent);
  const searched = (d) => [d.title, d.text, d.id, ...d.metadata.map((m) => m[1])].join("\n").toLowerCase();
  const order = data.topics.map((_, k) => k).sort((a, b) => data.topics[b].share - data.topics[a].share);
  const state = {
    data, order, visible: order, haystacks: data.documents.map(searched), chosen: order[0], map: null,
    special: 0, query: "", onlyChosen: false, page: 0, open: new Set(), axis: "step",
  };
  const linked = fromHash(state);
  if (linked !== null) state.chosen = linked;
  if (order.length) drawList(state);
  drawDocuments(state);
  drawAll(state);
  if (linked !== null) showTopics();
  listen(state);
}

// Drawing.

function drawAll(state) {
  if (state.order.length) choose(state, state.chosen, { link: false, speak: false });
  const box = find("#map");
  if (box) {
    const width = Math.max(box.clientWidth, 260), height = Math.max(box.clientHeight, 300);
    state.map = topicMap(state.data.topics, state.data.positions, width, height);
    fill("#map", state.map.tree);
    markChosen(state.chosen);
    drawMapFocus(state, state.chosen);
  }
  drawTrace(state);
}

function choose(state, k, { link = true, speak = true } = {}) {
  const { topics } = state.data;
  const topic = topics[k];
  const losesFocus = document.activeElement && document.activeElement.closest("#topic-head, #near");
  state.chosen = k;
  markChosen(k);
  fill("#topic-head", ...topicHead(topic, state.order.indexOf(k) + 1, topics.length));
  fill("#near", ...nearTopics(topic, topics));
  if (losesFocus) find("#topic-head h3").focus({ preventScroll: true });
  drawWords(state);
  drawMapFocus(state, k);
  drawTypical(state);
  if (state.onlyChosen) drawDocuments(state, true);
  else redrawBodies(state);
  fill("#about", spot(topic), "Only about ", name(topic));
  if (link) setHash(topic);
  if (speak) fill("#spoken", `Topic ${topic.id}: ${topic.label}`);
}

function markChosen(k) {
  for (const element of document.querySelectorAll("#topic-list button, .dot")) {
    const chosen = Number(element.dataset.topic) === k;
    element.setAttribute("aria-pressed", String(chosen));
    element.tabIndex = chosen ? 0 : -1;
    if (chosen && element.tagName === "BUTTON") revealInList(element.parentElement);
  }
}

function revealInList(row) {
  const list = find("#topic-list");
  const hidden = row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight;
  if (hidden) list.scrollTop = row.offsetTop - list.clientHeight / 3;
}

function drawList(state) {
  const { topics } = state.data;
  const most = Math.max(...topics.map((t) => t.share), 1e-9);
  fill("#topic-list", ...state.visible.map((k) => listRow(topics[k], k, most)));
  const none = find("#topic-none");
  if (none) none.hidden = state.visible.length > 0;
}

function drawWords(state) {
  const topic = state.data.topics[state.chosen];
  const words = rankedWords(topic.words, state.special, 16);
  const width = Math.max(find("#words").clientWidth, 240);
  fill("#words", words.length ? wordBars(words, topic.colour, width) : node("p", { class: "small" }, "No words to show."));
}

function drawMapFocus(state, k) {
  if (!state.map) return;
  const focus = focusLabel(state.map, k, state.data.topics[k].label);
  document.querySelectorAll("[data-label]").forEach((element, i) => {
    const label = state.map.labels[i];
    element.classList.toggle("away", label.k === k || (focus !== null && boxesMeet(label.box, focus.box)));
  });
  fill(".focus-label", ...(focus ? [labelText(focus)] : []));
}

function drawTypical(state) {
  const topic = state.data.topics[state.chosen];
  if (!topic.documents.length) return fill("#typical");
  const entries = topic.documents.slice(0, 5).map((d) => documentEntry(d, state.data, state.chosen, false, state.chosen));
  return fill("#typical",
    node("h3", {}, "Documents most about ", name(topic)),
    node("p", { class: "small" }, "Open one to read it; words that lead this topic are underlined."),
    node("div", { class: "documents" }, entries));
}

function foundDocuments(state) {
  const terms = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  state.haystacks.forEach((text, d) => { if (terms.every((term) => text.includes(term))) found.push(d); });
  if (!state.onlyChosen) return found;
  const share = (d) => (state.data.documents[d].mix.find(([k]) => k === state.chosen) || [0, 0])[1];
  return found.filter((d) => share(d) > 0).sort((a, b) => share(b) - share(a));
}

function drawDocuments(state, fromFirst = false) {
  if (!find("#document-list")) return;
  const found = foundDocuments(state);
  const pages = Math.max(Math.ceil(found.length / PAGE_SIZE), 1);
  state.page = fromFirst ? 0 : clamp(state.page, 0, pages - 1);
  const first = state.page * PAGE_SIZE, shown = found.slice(first, first + PAGE_SIZE);
  const nothing = state.query ? "No document has all of these words. Try fewer, or only the beginning of a word."
    : "None of the documents shown here touches on this topic.";
  const about = state.onlyChosen ? state.chosen : undefined;
  const entry = (d) => documentEntry(d, state.data, state.chosen, state.open.has(d), about);
  fill("#document-list", shown.length
    ? node("div", { class: "documents" }, shown.map(entry))
    : node("p", { class: "note" }, nothing));
  const range = `${grouped(first + 1)}–${grouped(first + shown.length)} of ${grouped(found.length)}`;
  fill("#count", shown.length ? range : "none found");
  fill("#pager", ...pager(state.page, pages));
}

function redrawBodies(state) {
  for (const body of document.querySelectorAll("#document-list .body")) {
    const entry = state.data.documents[Number(body.parentElement.dataset.document)];
    body.replaceWith(build(documentBody(entry, state.data, state.chosen)));
  }
}

function drawTrace(state) {
  const box = find("#trace");
  if (!box) return;
  const axis = (key, said) => node("button",
    { type: "button", class: "chip", "data-axis": key, "aria-pressed": String(state.axis === key) }, said);
  const timed = state.data.trace.some((p) => p.seconds > 0);
  fill("#trace-axis", ...(timed ? [axis("step", "by step"), axis("seconds", "by time")] : []));
  const curves = learningCurves(state.data, state.axis);
  const room = box.clientWidth;
  const width = Math.max(curves.length < 2 || room < 720 ? room : (room - 32) / 2, 260);
  fill("#trace", ...curves.map((curve) => learningFigure(curve, width)));
}

// What the reader does.

function fromHash(state) {
  const id = /^#topic-(-?\d+)$/.exec(location.hash);
  const k = id ? state.data.topics.findIndex((t) => t.id === Number(id[1])) : -1;
  return k < 0 ? null : k;
}

function setHash(topic) {
  try {
    history.replaceState(null, "", `#topic-${topic.id}`);
  } catch {
    // Where the page has no address of its own, it works without.
  }
}

function showTopics() {
  find("#topics").scrollIntoView();
}

function findTopics(state, query) {
  const wanted = query.trim().toLowerCase();
  const has = (k) => !wanted || state.data.topics[k].words.some((w) => w[0].toLowerCase().includes(wanted));
  state.visible = state.order.filter(has);
  drawList(state);
  const lost = state.visible.length > 0 && !state.visible.includes(state.chosen);
  choose(state, lost ? state.visible[0] : state.chosen, { link: false });
}

function step(state, by) {
  const order = state.visible.length ? state.visible : state.order;
  const k = order[clamp(order.indexOf(state.chosen) + by, 0, order.length - 1)];
  const held = document.activeElement;
  const inMap = held.closest(".map"), inList = held.closest("#topic-list");
  choose(state, k);
  if (inMap) find(`.dot[data-topic="${k}"]`).focus({ preventScroll: true });
  if (inList) find(`#topic-list [data-topic="${k}"]`).focus({ preventScroll: true });
}

function turnPage(state, by) {
  state.page += by;
  drawDocuments(state);
  find("#documents").scrollIntoView();
  find("#document-list summary").focus({ preventScroll: true });
}

function setAxis(state, axis) {
  state.axis = axis;
  drawTrace(state);
  find(`[data-axis="${axis}"]`).focus();
}

function toggleAbout(state, button) {
  state.onlyChosen = !state.onlyChosen;
  button.setAttribute("aria-pressed", String(state.onlyChosen));
  drawDocuments(state, true);
}

function onClick(state, event) {
  const hit = event.target.closest("[data-topic], [data-step], [data-page], [data-axis], #about, a[href^='#topic-']");
  if (!hit) return;
  const { topic, step: by, page, axis } = hit.dataset;
  if (topic !== undefined) choose(state, Number(topic));
  else if (page !== undefined) turnPage(state, Number(page));
  else if (axis !== undefined) setAxis(state, axis);
  else if (hit.id === "about") toggleAbout(state, hit);
  else if (by !== undefined) {
    step(state, Number(by));
    find(`[data-step="${by}"]`).focus();
  } else {
    event.preventDefault();
    choose(state, state.data.topics.findIndex((t) => `#topic-${t.id}` === hit.getAttribute("href")));
    showTopics();
  }
}

function onKey(state, event) {
  const at = event.target;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !state.order.length) return;
  if (at.matches("input, textarea, select")) return;
  const far = state.order.length;
  const anywhere = { ArrowLeft: () => step(state, -1), ArrowRight: () => step(state, 1) };
  const here = {
    ArrowUp: anywhere.ArrowLeft, ArrowDown: anywhere.ArrowRight,
    Home: () => step(state, -far), End: () => step(state, far),
  };
  const press = () => choose(state, Number(at.dataset.topic));
  const keys = {
    ...anywhere,
    ...(at.closest("#topic-list, .map") ? here : {}),
    ...(at.matches(".dot") ? { Enter: press, " ": press } : {}),
  };
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
}

function on(selector, event, action) {
  const element = find(selector);
  if (element) element.addEventListener(event, action);
}

function listen(state) {
  document.addEventListener("click", (event) => onClick(state, event));
  document.addEventListener("keydown", (event) => onKey(state, event));
  on("#special", "input", (event) => { state.special = event.target.value / 100; drawWords(state); });
  on("#topic-find", "input", (event) => findTopics(state, event.target.value));
  on("#search", "input", (event) => { state.query = event.target.value; drawDocuments(state, true); });
  on("#map", "pointerover", (event) => {
    const dot = event.target.closest(".dot");
    drawMapFocus(state, dot ? Number(dot.dataset.topic) : state.chosen);
  });
  on("#map", "pointerleave", () => drawMapFocus(state, state.chosen));
  window.addEventListener("hashchange", () => {
    const k = fromHash(state);
    if (k !== null) { choose(state, k); showTopics(); }
  });
  document.addEventListener("toggle", (event) => onToggle(state, event), true);
  followWidth(state);
}

function onToggle(state, { target }) {
  if (!target.matches || !target.matches(".document")) return;
  const index = Number(target.dataset.document);
  if (target.closest("#document-list")) state.open[target.open ? "add" : "delete"](index);
  if (target.open && !target.querySelector(".body")) {
    target.append(build(documentBody(state.data.documents[index], state.data, state.chosen)));
  }
}

function followWidth(state) {
  let width = window.innerWidth, waiting = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(() => drawAll(state), 120);
  });
}

start();
