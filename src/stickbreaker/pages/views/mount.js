
// Views in the page: draws them where they stand, again when what they follow changes, and keeps the focus and what is open.

const page = { choices: {}, chosen: {}, pointed: {}, mounts: new Set() };

// Draws again what shows something that has changed, all of a view or a part of it.
function follow(what) {
  for (const mounted of [...page.mounts]) {
    if (!mounted.element.isConnected) page.mounts.delete(mounted);
    else mounted.follow(what);
  }
}

function choose(of, place, go = false, from = null) {
  const choice = page.choices[of], room = (from || document.activeElement || document.body).closest(".view");
  page.chosen[of] = place;
  follow(of);
  if (!(of in page.pointed)) follow(`pointed ${of}`);
  reveal(`${of} ${place}`);
  if (place < 0 || !choice.keys) return;
  const own = room && room.querySelector(`[data-key="${of} ${place}"]`);
  if (own && from) own.focus({ preventScroll: true });
  if (own && room.closest(".pinned") && window.innerWidth < 1088) own.scrollIntoView({ block: "center" }); // not under what stays in sight
  try {
    history.replaceState(null, "", `#${of}-${choice.keys[place]}`);
  } catch {
    // Where the page has no address of its own, it works without.
  }
  fill("#spoken", choice.labels[place]);
  const home = go && choice.home && document.getElementById(choice.home);
  if (home) home.scrollIntoView();
}

// What the reader points at, until the pointer or the focus leaves it (-1): views that follow it show it instead of the chosen one.
function point(of, place) {
  if (place === (of in page.pointed ? page.pointed[of] : -1)) return;
  if (place < 0) delete page.pointed[of];
  else page.pointed[of] = place;
  follow(`pointed ${of}`);
}

// Scrolls lists so that what is chosen is seen there, never the page.
function reveal(key) {
  for (const element of document.querySelectorAll(`.scroll [data-key="${CSS.escape(key)}"]`)) {
    const list = element.closest(".scroll"), own = element.getBoundingClientRect(), box = list.getBoundingClientRect();
    if (own.top < box.top || own.bottom > box.bottom) list.scrollTop += own.top - box.top - list.clientHeight / 3;
  }
}

// Puts a view into its element, whose room is known by then. `own` is what it remembers, also when it is drawn in a new element.
function mount(element, value, own) {
  const parts = {}, follows = new Map();
  let inside = ""; // the part that is being drawn
  const note = (what) => { follows.set(inside, (follows.get(inside) || new Set()).add(what)); };
  const known = (of) => (page.chosen[of] === undefined ? -1 : page.chosen[of]);
  const mounted = { element, redraw: () => at.redraw(), follow(what) {
    const own = [...follows].filter(([, all]) => all.has(what)).map(([key]) => key);
    if (own.includes("")) at.redraw();
    else own.forEach((key) => at.redraw(key));
  } };
  const at = {
    own, choices: page.choices, choose, point, relabel, width: 0,
    known, // the place of the chosen one, for what is asked only once
    chosen(of) { note(of); return known(of); },
    pointed(of) { note(`pointed ${of}`); return of in page.pointed ? page.pointed[of] : known(of); },
    part(key, draw) {
      parts[key] = () => {
        const outer = inside;
        inside = key;
        const trees = draw();
        inside = outer;
        return trees;
      };
      return node("div", { "data-part": key }, parts[key]());
    },
    redraw(key) {
      const place = key === undefined ? element : element.querySelector(`[data-part="${CSS.escape(key)}"]`);
      if (place) keeping(place, () => put(place, key === undefined ? whole() : parts[key]()));
    },
  };
  const caption = value.title && value.view !== "Note" ? node("p", { class: "caption" }, node("strong", {}, value.title), value.said ? node("span", {}, ` ${value.said}`) : null) : null;
  const whole = () => {
    at.width = Math.max(element.clientWidth, 240);
    return [caption, DRAWERS[value.view].draw(value, at)];
  };
  page.mounts.add(mounted);
  put(element, whole());
}

function put(element, trees) {
  element.replaceChildren(...[trees].flat(3).filter(Boolean).map((tree) => build(tree)));
  while (waiting.length) {
    const [place, value, own] = waiting.shift();
    mount(place, value, own);
  }
}

// Redraws a view; the same element keeps the focus, and lists keep their scroll position.
function keeping(element, change) {
  const active = document.activeElement, held = active && element.contains(active) ? active.closest("[data-key]") : null;
  const rolled = [...element.querySelectorAll(".scroll")].map((one) => one.scrollTop), caret = held && held.selectionStart;
  change();
  element.querySelectorAll(".scroll").forEach((one, i) => { one.scrollTop = rolled[i] || 0; });
  const again = held && element.querySelector(`[data-key="${CSS.escape(held.dataset.key)}"]:not(:disabled)`);
  if (again) again.focus({ preventScroll: true });
  else if (held && element.querySelector("[data-key]:not(:disabled)")) element.querySelector("[data-key]:not(:disabled)").focus({ preventScroll: true });
  if (again && typeof caret === "number") again.setSelectionRange(caret, caret);
}

// Arrow keys: in a drawing or a list to what stands before or after, elsewhere to the next thing of the page's main choice.
function onArrow(event) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.matches("input, textarea, select")) return;
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -1e9, End: 1e9 }[event.key], own = event.target.closest("[data-step]");
  if (!by || (!own && !/Left|Right/.test(event.key))) return;
  const of = own ? own.dataset.step : Object.keys(page.choices).find((name) => page.choices[name].order);
  if (!of) return;
  const inside = own ? [...own.closest(".view").querySelectorAll(`[data-step="${of}"]`)].map((one) => Number(one.dataset.key.split(" ")[1])) : page.choices[of].order;
  const places = [...new Set(inside)], at = places.indexOf(own ? Number(own.dataset.key.split(" ")[1]) : page.chosen[of]);
  event.preventDefault();
  const box = own && own.closest(".view"), next = places[clamp(at + by, 0, places.length - 1)];
  choose(of, next);
  const again = box && box.querySelector(`[data-key="${of} ${next}"]`);
  if (again) again.focus();
}

// The things of a choice under other labels. While the pointer is pressed nothing may move from under it.
function relabel(of, labels) {
  page.choices[of].labels = labels;
  if (page.pressed) page.late = redrawAll;
  else redrawAll();
}

function onPointer(event) {
  page.pressed = event.type === "pointerdown";
  const { late } = page;
  page.late = null;
  if (late && !page.pressed) setTimeout(late, 0);
  else page.late = late;
}

function redrawAll() {
  for (const mounted of [...page.mounts]) if (mounted.element.isConnected && !mounted.element.parentElement.closest(".view")) mounted.redraw();
}

function chosenByAddress() {
  const [, of, key] = /^#(\w+)-(.+)$/.exec(location.hash) || [];
  const { keys = [], also = {} } = (of && page.choices[of]) || {}, found = keys.findIndex((one) => String(one) === key), place = found < 0 && key in also ? also[key] : found;
  if (place >= 0) choose(of, place, true);
}

function startPage(data) {
  page.choices = data.choices;
  for (const [of, { first }] of Object.entries(page.choices)) page.chosen[of] = first;
  const places = document.querySelectorAll(".views");
  data.sections.forEach((views, i) => put(places[i], slots({ own: {} }, views)));
  document.addEventListener("keydown", onArrow);
  for (const type of ["pointerdown", "pointerup", "pointercancel"]) document.addEventListener(type, onPointer, true);
  window.addEventListener("hashchange", chosenByAddress);
  chosenByAddress();
  followWidth(redrawAll);
}

startPage(JSON.parse(find("#data").textContent));
