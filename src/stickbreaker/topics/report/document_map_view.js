
// Drawing the map of documents, and what the reader does there. `state.dots` is the map, `state.dot` the document
// pointed at, `state.pinnedDot` the one chosen; `state.bringOut` tells whether the chosen topic stands out.

function drawDocumentMap(state) {
  const box = find("#dots");
  if (!box) return;
  const width = Math.max(box.clientWidth, 260), height = Math.max(box.clientHeight, 300);
  state.dots = documentMap(state.data, width, height);
  fill("#dots", state.dots.tree);
  markDots(state, false);
  drawPointer(state);
}

// After another topic was chosen: the looks of the dots that are there.
function markDots(state, touched) {
  if (touched) state.bringOut = true;
  if (!state.dots) return;
  const { documents, topics } = state.data, circles = find(".documents-dots").children;
  state.dots.dots.forEach(({ d }, i) => {
    const look = dotLook(state.bringOut ? shareOf(documents[d].mix, state.chosen) : null, state.dots.size);
    circles[i].setAttribute("r", look.r);
    circles[i].setAttribute("fill-opacity", look.opacity);
  });
  find("#bring-out").setAttribute("aria-pressed", String(state.bringOut));
  fill("#bring-out", "Bring out ", spot(topics[state.chosen]), name(topics[state.chosen]));
  if (state.pinnedDot !== null) drawPointer(state);
}

function dotOf(state, d) {
  return state.dots.dots.find((dot) => dot.d === d);
}

// The ring around the document pointed at, or else the chosen one, and what stands beside.
function drawPointer(state) {
  const d = state.dot === null ? state.pinnedDot : state.dot, dot = d === null ? undefined : dotOf(state, d);
  find("#dot-help").hidden = Boolean(dot);
  fill(".document-map .pointer", ...(dot ? [node("circle", { class: "ring", cx: dot.x.toFixed(1), cy: dot.y.toFixed(1), r: 8 })] : []));
  drawCard(state, dot ? d : null);
}

// Only where something else is to stand there: an element that holds the focus, or is being clicked, stays.
function drawCard(state, d) {
  const open = d !== null && d === state.pinnedDot, shown = [d, open, open ? state.chosen : null].join(" ");
  if (shown === state.card) return;
  state.card = shown;
  fill("#dot-card", ...(d === null ? [] : documentCard(d, state.data, state.chosen, open)));
}

function pointAtDot(state, dot) {
  const d = dot ? dot.d : null;
  if (d === state.dot) return;
  state.dot = d;
  drawPointer(state);
}

// The document stays beside the map, opened, or no longer.
function pinDot(state, dot) {
  state.pinnedDot = dot && dot.d !== state.pinnedDot ? dot.d : null;
  state.dot = dot ? dot.d : null;
  drawPointer(state);
}

function dotUnder(state, event, reach) {
  const box = find("#dots").firstElementChild.getBoundingClientRect(), { dots, width, height } = state.dots;
  return nearestDot(dots, ((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height, reach);
}

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onDotKey(state, event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { dots, width, height } = state.dots, d = state.dot === null ? state.pinnedDot : state.dot;
  const from = d === null ? null : dotOf(state, d), direction = DIRECTIONS[event.key];
  if (direction) pointAtDot(state, from ? dotAhead(dots, from, ...direction) : nearestDot(dots, width / 2, height / 2, Infinity));
  else if (event.key === "Enter" || event.key === " ") pinDot(state, from);
  else if (event.key === "Escape") pinDot(state, null);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function listenToDots(state) {
  on("#dots", "pointermove", (event) => { if (event.pointerType !== "touch") pointAtDot(state, dotUnder(state, event, 12)); });
  on("#dots", "pointerleave", () => pointAtDot(state, null));
  on("#dots", "click", (event) => pinDot(state, dotUnder(state, event, 20)));
  on("#dots", "keydown", (event) => onDotKey(state, event));
  on("#dots", "blur", () => pointAtDot(state, null));
  on("#bring-out", "click", () => { state.bringOut = !state.bringOut; markDots(state, false); });
}
