
// Drawing: puts the trees of charts and pieces into the page. `state` is all that the page remembers.

const PAGE_SIZE = 25;
const GROWTH_HEIGHT = 300;
const MOST_SVG = 80; // topics: a larger matrix is drawn on a canvas

// What follows the width of the page.
function drawAll(state) {
  if (state.order.length) choose(state, state.chosen, { link: false, speak: false });
  drawMap(state);
  drawRelations(state);
  drawDocumentMap(state);
  drawGrowth(state);
}

function drawList(state) {
  const { topics } = state.data;
  const most = Math.max(...topics.map((t) => t.share), 1e-9);
  fill("#topic-list", ...state.visible.map((k) => listRow(topics[k], k, most)));
  const list = find("#topic-list");
  if (!list) return;
  list.hidden = state.visible.length === 0;
  fill("#topic-none", ...(list.hidden ? noTopicHas(state.data, state.topicQuery) : []));
}

function drawMap(state) {
  const box = find("#map");
  if (!box) return;
  const width = Math.max(box.clientWidth, 260), height = Math.max(box.clientHeight, 300);
  state.map = topicMap(state.data.topics, state.data.positions, width, height);
  fill("#map", state.map.tree);
  markChosen(state.chosen);
  drawMapFocus(state, state.chosen);
  drawWords(state);
}

// The map scales with its pane, whose height follows that of the words; where that is much, it is drawn anew.
function fitMap(state) {
  const box = find("#map");
  if (state.map && Math.abs(Math.max(box.clientHeight, 300) / state.map.height - 1) > 0.02) drawMap(state);
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

function drawWords(state) {
  const topic = state.data.topics[state.chosen];
  const words = rankedWords(topic.words, state.lambda, 16);
  const width = roomOf("#words", 240);
  const describe = state.map && state.spreads.size ? (word) => describeSpread(state.spreads.get(word), state.data.topics) : null;
  fill("#words", words.length ? wordBars(words, topic.colour, width, describe) : node("p", { class: "small" }, "No words to show."));
  if (!words.some(([word]) => word === state.pinned)) state.pinned = null;
  pointAt(state, state.pinned);
}

// Circles as large as the part of a word's tokens that each topic has; without a word, as the topics are.
function pointAt(state, word) {
  if (!state.map) return;
  const parts = word === null ? null : state.spreads.get(word), shares = new Map(parts || []);
  for (const dot of document.querySelectorAll("#map .dot")) {
    const circle = state.map.circles.find((one) => one.k === Number(dot.dataset.topic));
    const radius = parts ? state.map.radiusOf(shares.get(circle.k) || 0, 1.5) : circle.radius;
    const place = circleInside({ ...circle, radius }, state.map.width, state.map.height);
    for (const [key, value] of [["cx", place.x], ["cy", place.y], ["r", radius]]) dot.setAttribute(key, value.toFixed(1));
  }
  for (const row of document.querySelectorAll("#words .pointed")) row.setAttribute("aria-pressed", String(row.dataset.point === state.pinned));
  find("#map-help").hidden = Boolean(parts);
  find("#map-note").hidden = !parts;
  fill("#map-note", ...(parts ? spreadNote(word, parts, state.data.topics) : []));
}

function drawTypical(state) {
  const topic = state.data.topics[state.chosen];
  if (!topic.documents.length) return fill("#typical");
  const entries = topic.documents.slice(0, 5).map((d, i) => documentEntry(d, state.data, state.chosen, i === 0, state.chosen));
  const marked = state.data.documents.some((d) => d.marks);
  return fill("#typical",
    node("h3", {}, "Documents most about ", name(topic)),
    node("p", { class: "small" }, marked
      ? "Each known word is underlined in the colour of its most probable topic; words of this topic are shaded too. Choose a word to go to its topic."
      : "Open one to read it; words that lead this topic are shaded."),
    node("div", { class: "documents" }, entries));
}

function drawRelations(state) {
  const { topics, relations } = state.data;
  if (!find("#matrix")) return;
  fill("#tree", topicTree(topics, relations, roomOf("#tree", 260)));
  const side = state.side = Math.min(roomOf("#matrix", 240), 620);
  if (topics.length <= MOST_SVG) fill("#matrix", matrixChart(topics, relations, side));
  else drawMatrixCanvas(state, side);
  fill("#shades", shadeLegend(matrixCells(relations)));
  const pair = ([share, i, j]) => node("li", {}, topicButton(topics[i], i), " and ", topicButton(topics[j], j), ` ${percent(share)}`);
  fill("#alike", ...alikePairs(relations, 5).map(pair));
  drawCross(state);
  markChosen(state.chosen);
}

// A thousand nodes are drawn at once, forty thousand cells are not: they are painted.
function drawMatrixCanvas(state, side) {
  const { topics, relations } = state.data, sharp = window.devicePixelRatio || 1;
  const tree = node("div", { class: "painted" },
    node("canvas", { width: Math.round(side * sharp), height: Math.round(side * sharp), style: `width:${side}px;height:${side}px`,
      role: "img", "aria-label": matrixSpoken(topics, relations) }),
    node("svg", { class: "matrix over", "aria-hidden": "true", ...frame(side, side) }, node("g", { class: "cross" })));
  fill("#matrix", tree);
  const canvas = find("#matrix canvas"), paint = canvas.getContext("2d"), style = getComputedStyle(canvas);
  const { cells, size } = matrixCells(relations), step = canvas.width / size;
  paint.fillStyle = style.getPropertyValue("--panel");
  paint.fillRect(0, 0, canvas.width, canvas.height);
  const colours = [style.getPropertyValue("--link"), style.getPropertyValue("--control")];
  for (const { x, y, level } of cells) {
    paint.globalAlpha = level < 0 ? 1 : level / LEVELS;
    paint.fillStyle = level < 0 ? colours[1] : colours[0];
    const [left, top, right, bottom] = [x, y, x + 1, y + 1].map((edge) => Math.round(edge * step));
    paint.fillRect(left, top, right - left, bottom - top);
  }
}

function drawCross(state) {
  if (state.side) fill("#matrix .cross", ...matrixCross(state.data.relations, state.chosen, state.side));
}

function treeOrder(state) {
  const order = state.data.relations ? state.data.relations.order : [];
  return [...order, ...state.data.topics.map((_, k) => k).filter((k) => !order.includes(k))];
}

function drawTimes(state) {
  const { times, topics } = state.data;
  if (!find("#stream")) return;
  const width = roomOf("#stream", 280);
  const height = width < 600 ? 320 : 400;
  state.lines = state.lines || firstLines(topics, times, treeOrder(state));
  fill("#times-view", ...timesControls(state, state.lines));
  fill("#stream", state.timesAs === "bands" ? streamChart(topics, times, treeOrder(state), state.chosen, width, height)
    : timeLines(topics, times, [...new Set([...state.lines, state.chosen])], state.chosen, width, height));
  fill("#topic-times", node("h3", {}, spot(topics[state.chosen]), name(topics[state.chosen])),
    timeBars(topics[state.chosen], state.chosen, times, width, 190));
}

function foundDocuments(state) {
  const terms = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  state.haystacks.forEach((text, d) => { if (terms.every((term) => text.includes(term))) found.push(d); });
  if (!state.onlyChosen) return found;
  const share = (d) => (state.data.documents[d].mix.find(([k]) => k === state.chosen) || [0, 0])[1];
  return descending(found.filter((d) => share(d) > 0), share);
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
  fill("#pager", ...pager(state.page, pages, "documents"));
}

function redrawBodies(state) {
  for (const body of document.querySelectorAll("#document-list .body")) {
    const entry = state.data.documents[Number(body.parentElement.dataset.document)];
    body.replaceWith(build(documentBody(entry, state.data, state.chosen)));
  }
}

function drawSearch(state) {
  const { search, curves } = state.data;
  if (!search) return;
  const shown = searchCurves(search), room = roomOf("#search-charts", 280);
  const width = shown.length < 2 || room < 720 ? room : (room - 32) / 2;
  fill("#search-charts", ...shown.map((curve, i) => searchChart(search, curve, curves[i], Math.min(width, 640), GROWTH_HEIGHT)));
}

function drawGrowth(state) {
  drawSearch(state);
  const { growth, topics, curves } = state.data;
  if (!growth) return;
  if (growth.learned) {
    const width = roomOf("#growth-chart", 280), slider = find("#growth-at");
    fill("#growth-chart", growthChart(growth, curves[0], width, GROWTH_HEIGHT));
    slider.setAttribute("max", growth.counts.length - 1);
    drawCount(state, state.count === null ? growth.counts.length - 1 : state.count);
  }
  if (find("#genealogy")) {
    const room = roomOf("#genealogy", 300) - 16;
    fill("#genealogy", genealogyAxis(growth, room), genealogyChart(growth, topics, room, true));
    fill("#move-table", moveTable(growth, topics));
    markLife(state.chosen);
  }
  fill("#split-choice", ...growth.refinements.map((one, i) => node("option", { value: i, selected: i === state.split }, describeSplit(one, growth, topics))));
  drawRefinement(state);
}

// The number of topics at one moment, beside the slider and in the chart.
function drawCount(state, i) {
  const { growth, curves } = state.data, said = describeCount(growth, i), slider = find("#growth-at");
  state.count = i;
  slider.value = i;
  slider.setAttribute("aria-valuetext", said);
  fill("#growth-readout", said);
  fill("#growth-chart .cursor", ...growthCursor(growth, i, curves[0], roomOf("#growth-chart", 280), GROWTH_HEIGHT));
}

function drawRefinement(state) {
  const { growth, topics } = state.data;
  if (find("#refinement")) fill("#refinement", ...refinementColumns(growth.refinements[state.split], growth, topics));
}

// The chosen topic in the genealogy; where it has no line, the first one can hold the focus.
function markLife(k) {
  for (const line of document.querySelectorAll(".life")) line.classList.toggle("chosen", Number(line.dataset.of) === k);
  const links = [...document.querySelectorAll(".heir")], own = links.findIndex((link) => Number(link.dataset.life) === k);
  links.forEach((link, i) => {
    link.setAttribute("aria-current", String(i === own));
    link.setAttribute("tabindex", i === Math.max(own, 0) ? 0 : -1);
  });
}
