
// The page itself: one chosen topic drives every view.

function startTopics({ data }) {
  const searched = (d) => [d.title, d.text, d.id, ...d.metadata.map((m) => m[1])].join("\n").toLowerCase();
  const unused = (k) => Number(data.topics[k].unused);
  const order = descending(data.topics.map((_, k) => k), (k) => data.topics[k].share).sort((a, b) => unused(a) - unused(b));
  const state = {
    data, order, visible: order, haystacks: data.documents.map(searched), chosen: order[0], map: null, spreads: spreadsOf(data.spread), pinned: null, side: 0,
    count: null, split: 0, timesAs: "bands", lines: null, lambda: null, query: "", onlyChosen: false, page: 0, open: new Set(),
    topicQuery: "",
    dots: null, dot: null, pinnedDot: null, card: "", bringOut: false,
    firstNames: data.topics.map((topic) => topic.given),
  };
  const linked = fromHash(state);
  if (linked !== null) state.chosen = linked;
  if (order.length) drawList(state);
  drawDocuments(state);
  drawAll(state);
  if (linked !== null) showTopics();
  listen(state);
}

function choose(state, k, { link = true, speak = true } = {}) {
  const { topics } = state.data;
  const topic = topics[k];
  const losesFocus = document.activeElement && document.activeElement.closest("#topic-head, #near");
  state.chosen = k;
  fill("#topic-head", ...topicHead(topic, state.order.indexOf(k) + 1, topics.filter((t) => !t.unused).length));
  drawNaming(state);
  fill("#near", ...nearTopics(topic, topics));
  if (losesFocus) find("#topic-head h3").focus({ preventScroll: true });
  fill("#languages", ...languageColumns(topic));
  drawWords(state);
  fitMap(state);
  drawMapFocus(state, k);
  drawTypical(state);
  drawCross(state);
  drawTimes(state);
  if (state.onlyChosen) drawDocuments(state, true);
  else redrawBodies(state);
  fill("#about", spot(topic), "Only about ", name(topic));
  markChosen(k);
  markLife(k);
  markDots(state, link);
  document.dispatchEvent(new CustomEvent("choose", { detail: { of: "topic", place: k } }));
  if (link) setHash(topic);
  if (speak) fill("#spoken", `Topic ${topic.id}: ${topic.label}`);
}

function markChosen(k) {
  for (const element of document.querySelectorAll("#topic-list button, .dot, .leaf")) {
    const chosen = Number(element.dataset.topic) === k;
    element.setAttribute("aria-pressed", String(chosen));
    element.setAttribute("tabindex", chosen ? 0 : -1);
    if (chosen) reveal(element);
  }
}

// Scrolls the list or the tree, never the page.
function reveal(element) {
  const list = element.closest("#topic-list, #tree");
  if (!list) return;
  const own = element.getBoundingClientRect(), box = list.getBoundingClientRect();
  if (own.top < box.top || own.bottom > box.bottom) list.scrollTop += own.top - box.top - list.clientHeight / 3;
}

// Everything that has labels of topics, once topic k was named.
function drawNames(state, k) {
  const topic = state.data.topics[k];
  document.dispatchEvent(new CustomEvent("relabel", { detail: { of: "topic", labels: state.data.topics.map((one) => one.label) } }));
  drawList(state);
  drawDocuments(state);
  drawAll(state);
  fill("#spoken", `${topicNumbers(topic)}: ${topic.label}`);
}

// What the reader does.

function fromHash(state) {
  const id = /^#topic-(-?\d+)$/.exec(location.hash);
  const k = id ? state.data.topics.findIndex((t) => memberNumbers(t).includes(Number(id[1]))) : -1;
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
  state.topicQuery = query.trim();
  const has = (k) => !wanted || state.data.topics[k].label.toLowerCase().includes(wanted) || state.data.topics[k].words.some((w) => w[0].toLowerCase().includes(wanted));
  state.visible = state.order.filter(has);
  drawList(state);
  const lost = state.visible.length > 0 && !state.visible.includes(state.chosen);
  choose(state, lost ? state.visible[0] : state.chosen, { link: false });
}

// To the next topic: in the tree the one below, elsewhere the next by size.
function step(state, by) {
  const view = VIEWS.find((selector) => document.activeElement.closest(selector));
  const bySize = state.visible.length ? state.visible : state.order;
  const order = view === "#tree" ? state.data.relations.order : view === "#genealogy svg" ? lifeOrder() : bySize;
  const k = order[clamp(order.indexOf(state.chosen) + by, 0, order.length - 1)];
  choose(state, k);
  focusTopic(view, k);
}

// The views in which a topic can hold the focus.
const VIEWS = ["#map", "#topic-list", "#tree", "#stream", "#genealogy svg"];

function focusTopic(view, k) {
  const place = view && find(`${view} :is([data-topic="${k}"], [data-life="${k}"])`); // none for a topic not in use
  if (place) place.focus({ preventScroll: view !== "#genealogy svg" });
}

// The topics of the genealogy, from the top.
function lifeOrder() {
  return [...new Set([...document.querySelectorAll(".heir")].map((link) => Number(link.dataset.life)))];
}

// The number of topics where the pointer is.
function tellCount(state, event) {
  const box = find("#growth-chart").firstElementChild.getBoundingClientRect();
  drawCount(state, countAt(state.data.growth, (event.clientX - box.left) / box.width, box.width));
}

function turnPage(state, by) {
  state.page += by;
  drawDocuments(state);
  find("#documents").scrollIntoView();
  find("#document-list summary").focus({ preventScroll: true });
}

function setTimesView(state, view) {
  state.timesAs = view;
  drawTimes(state);
  find(`[data-times="${view}"]`).focus();
}

// A line more, or one less.
function setLine(state, k) {
  state.lines = state.lines.includes(k) ? state.lines.filter((one) => one !== k) : [...state.lines, k];
  drawTimes(state);
  find("#line-choice").focus();
}

function toggleAbout(state, button) {
  state.onlyChosen = !state.onlyChosen;
  button.setAttribute("aria-pressed", String(state.onlyChosen));
  drawDocuments(state, true);
}

// A word stays pointed at, or no longer.
function pin(state, word) {
  state.pinned = word === state.pinned ? null : word;
  pointAt(state, state.pinned);
}

// In the list of words, up and down lead to the next word.
function toNextWord(row, by) {
  const rows = [...document.querySelectorAll("#words .pointed")], to = rows[clamp(rows.indexOf(row) + by, 0, rows.length - 1)];
  rows.forEach((one) => one.setAttribute("tabindex", one === to ? 0 : -1));
  to.focus();
}

function onClick(state, event) {
  const hit = event.target.closest(
    "[data-topic], button[data-step], [data-page], [data-point], [data-times], [data-line], #about, a[href^='#topic-']");
  if (!hit) return;
  const { topic, step: by, page, point, times: view, line } = hit.dataset;
  if (topic !== undefined) choose(state, Number(topic));
  else if (page !== undefined) turnPage(state, Number(page));
  else if (view !== undefined) setTimesView(state, view);
  else if (line !== undefined) setLine(state, Number(line));
  else if (point !== undefined) pin(state, point);
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

// The matrix: the pair under the pointer is named, a click chooses the topic of the row.
function pairAt(state, event) {
  const box = find("#matrix").firstElementChild.getBoundingClientRect(), { order } = state.data.relations;
  const place = (offset, room) => order[clamp(Math.floor((offset / room) * order.length), 0, order.length - 1)];
  return [place(event.clientY - box.top, box.height), place(event.clientX - box.left, box.width)];
}

function tellPair(state, event) {
  const [i, j] = pairAt(state, event), { topics, relations } = state.data;
  const said = i === j ? [name(topics[i])]
    : [name(topics[i]), " and ", name(topics[j]), `: ${percent(similarityOf(relations)(i, j))} alike`];
  fill("#pair", ...said);
}

function onKey(state, event) {
  const at = event.target;
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !state.order.length) return;
  if (at.matches("input, textarea, select, #refinement")) return;
  const far = state.order.length;
  const anywhere = { ArrowLeft: () => step(state, -1), ArrowRight: () => step(state, 1) };
  const here = {
    ArrowUp: anywhere.ArrowLeft, ArrowDown: anywhere.ArrowRight,
    Home: () => step(state, -far), End: () => step(state, far),
  };
  const press = () => {
    const view = VIEWS.find((selector) => at.closest(selector));
    choose(state, Number(at.dataset.topic));
    focusTopic(view, state.chosen);
  };
  const keys = {
    ...anywhere,
    ...(VIEWS.some((view) => at.closest(view)) ? here : {}),
    ...(at.matches(".pointed") ? {
      ArrowUp: () => toNextWord(at, -1), ArrowDown: () => toNextWord(at, 1),
      Enter: () => pin(state, at.dataset.point), " ": () => pin(state, at.dataset.point),
    } : {}),
    ...(at.matches(".dot, .leaf, .layer") ? { Enter: press, " ": press } : {}),
  };
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
}

function setLambda(state, lambda) {
  state.lambda = lambda;
  fill("#lambda", lambda === null ? "support" : `relevance, λ = ${lambda.toFixed(1)}`);
  document.querySelector("#by-documents").hidden = lambda === null;
  if (lambda === null) document.querySelector("#relevance").value = 0.6;
  drawWords(state);
}

function listen(state) {
  document.addEventListener("click", (event) => onClick(state, event));
  document.addEventListener("keydown", (event) => onKey(state, event));
  document.addEventListener("chosen", ({ detail: { of, place } }) => { if (of === "topic" && place >= 0 && place !== state.chosen) choose(state, place); });
  on("#relevance", "input", (event) => setLambda(state, Number(event.target.value)));
  on("#by-documents", "click", () => setLambda(state, null));
  on("#matrix", "pointermove", (event) => tellPair(state, event));
  on("#growth-chart", "pointermove", (event) => tellCount(state, event));
  on("#growth-at", "input", (event) => drawCount(state, Number(event.target.value)));
  on("#split-choice", "change", (event) => { state.split = Number(event.target.value); drawRefinement(state); });
  listenToNaming(state, (k) => drawNames(state, k));
  listenToDots(state);
  on("#times-view", "change", (event) => { if (Number(event.target.value) >= 0) setLine(state, Number(event.target.value)); });
  on("#matrix", "click", (event) => choose(state, pairAt(state, event)[0]));
  on("#topic-find", "input", (event) => findTopics(state, event.target.value));
  on("#search", "input", (event) => { state.query = event.target.value; drawDocuments(state, true); });
  on("#map", "pointerover", (event) => {
    const dot = event.target.closest(".dot");
    drawMapFocus(state, dot ? Number(dot.dataset.topic) : state.chosen);
  });
  const point = (event) => {
    const row = event.target.closest(".pointed");
    if (row) pointAt(state, row.dataset.point);
  };
  on("#words", "pointerover", point);
  on("#words", "focusin", point);
  on("#words", "pointerleave", () => pointAt(state, state.pinned));
  on("#words", "focusout", () => pointAt(state, state.pinned));
  on("#map", "pointerleave", () => drawMapFocus(state, state.chosen));
  window.addEventListener("hashchange", () => {
    const k = fromHash(state);
    if (k !== null) { choose(state, k); showTopics(); }
  });
  document.addEventListener("toggle", (event) => onToggle(state, event), true);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawRelations(state));
  followWidth(() => drawAll(state));
}

function onToggle(state, { target }) {
  if (!target.matches || !target.matches(".document")) return;
  const index = Number(target.dataset.document);
  if (target.closest("#document-list")) state.open[target.open ? "add" : "delete"](index);
  if (target.open && !target.querySelector(".body")) {
    target.append(build(documentBody(state.data.documents[index], state.data, state.chosen)));
  }
}

section({ start: startTopics });
