
// A dot for each thing that has a place, in the colour of the largest part of its mix; near ones have like mixes.

// Places of two numbers of two digits each, "zzzz" for a thing without one: { d, x, y, k } on a map of this size.
function placeDots({ places }, things, width, height) {
  const margin = 12, dots = [], part = (at) => parseInt(places.slice(at, at + 2), 36);
  for (let d = 0; 4 * d < places.length; d += 1) {
    const [x, y] = [part(4 * d), part(4 * d + 2)], [first] = things[d].shares;
    if (x <= 1294 && first) dots.push({ d, x: margin + (x / 1294) * (width - 2 * margin), y: margin + (y / 1294) * (height - 2 * margin), radius: 3, k: first[0] });
  }
  return dots;
}

// The look of a dot where a thing stands out of which it has this share; null where none does. `size` is 1 where two thousand
// dots have the room of a wide page.
function dotLook(share, size) {
  if (share === null) return { r: (3.2 * size).toFixed(1), "fill-opacity": 0.8 };
  const strength = Math.sqrt(share), r = share > 0 ? 3 + 3 * strength : 2.2;
  return { r: (r * size).toFixed(1), "fill-opacity": share > 0 ? (0.35 + 0.65 * strength).toFixed(2) : 0.3 };
}

// Where the dots of each colour lie: the one whose distances to the others are least, on the whole; of the colours with most.
function middlesOf(dots, most) {
  const led = new Map();
  for (const dot of dots) led.set(dot.k, [...(led.get(dot.k) || []), dot]);
  return [...led].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]).slice(0, Math.max(most, 1)).map(([k, own]) => {
    const sample = own.filter((_, i) => i % Math.ceil(own.length / 60) === 0), away = (dot) => sample.reduce((sum, other) => sum + Math.hypot(dot.x - other.x, dot.y - other.y), 0);
    const { x, y } = sample.reduce((best, dot) => (away(dot) < away(best) ? dot : best));
    return { k, x, y, radius: 1 };
  });
}

// A label beside the middle of each colour, where it hides the fewest dots; none where it would meet another.
function dotLabels(dots, labels, width, height) {
  const placed = [], free = ({ box }) => box.left > 2 && box.right < width - 2 && box.top > 2 && box.bottom < height - 2 && !placed.some((label) => boxesMeet(label.box, box));
  for (const middle of middlesOf(dots, (width * height) / 11000)) {
    const places = shortLabels(labels[middle.k]).map((text) => labelPlaces(text, middle, 12).filter(free)).find((some) => some.length) || [];
    const counts = places.map(({ box }) => dots.filter((dot) => circleMeets(dot, box, 2)).length), place = places[counts.indexOf(Math.min(...counts))];
    if (place) placed.push(place);
  }
  return placed;
}

// The dot nearest to a place, no further than `reach`; null where there is none.
function nearestDot(dots, x, y, reach) {
  const away = (dot) => Math.hypot(dot.x - x, dot.y - y), best = dots.reduce((one, dot) => (one && away(one) <= away(dot) ? one : dot), null);
  return best && away(best) <= reach ? best : null;
}

// The next dot in a direction, (±1, 0) or (0, ±1): near, and rather ahead than aside; where none is ahead, the same.
function dotAhead(dots, from, across, up) {
  const cost = (dot) => {
    const ahead = (dot.x - from.x) * across + (dot.y - from.y) * up, aside = (dot.x - from.x) * up + (dot.y - from.y) * across;
    return ahead > 0.5 && Math.abs(aside) < 2 * ahead ? ahead + 2 * Math.abs(aside) : Infinity;
  };
  const best = dots.reduce((one, dot) => (cost(dot) < cost(one) ? dot : one), from);
  return cost(best) < Infinity ? best : from;
}

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

view("Dots", (value, at) => {
  const { of, by, name = "Map" } = value, { own, width, choices } = at, height = width < 480 ? Math.max(0.95 * width, 300) : Math.min(0.75 * width, 620), things = documentsOf(choices[of]);
  const dots = placeDots(value, things, width, height), size = clamp(Math.sqrt((width * height) / dots.length) / 16, 0.65, 1.6), first = own.first = own.first === undefined ? at.known(by) : own.first;
  const out = () => { if (at.chosen(by) !== first && own.out === undefined) own.out = true; return Boolean(own.out) && !at.figured; };
  const button = () => node("button", { type: "button", class: "chip", "aria-pressed": String(out()), "data-key": "out", onclick: () => { own.out = !own.out; at.redraw("dots"); at.redraw("button"); } },
    "Bring out ", spot(colourOf(choices[by], at.chosen(by))), node("bdi", { class: "name" }, choices[by].labels[at.chosen(by)]));
  const dot = ({ d, x, y, k }) => node("circle", { cx: x.toFixed(1), cy: y.toFixed(1), fill: colourOf(choices[by], k), ...dotLook(out() ? shareOf(things[d].shares, at.chosen(by)) : null, size) });
  const drawn = () => node("svg", { class: "map", "aria-hidden": "true", ...frame(width, height) }, node("g", { class: "dots" }, dots.map(dot)), node("g", {}, dotLabels(dots, choices[by].labels, width, height).map(labelText)));
  const here = () => dots.find(({ d }) => d === (own.d === undefined ? -1 : own.d));
  const ring = () => {
    const at_ = dots.find(({ d }) => d === at.pointed(of));
    own.d = at_ && at_.d;
    return node("svg", { class: "map ring", "aria-hidden": "true", ...frame(width, height) }, at_ ? node("circle", { cx: at_.x.toFixed(1), cy: at_.y.toFixed(1), r: 8 }) : null);
  };
  const pin = (dot_) => at.choose(of, dot_ && dot_.d !== at.known(of) ? dot_.d : -1);
  const under = (event, reach) => { const box = event.currentTarget.getBoundingClientRect(); return nearestDot(dots, ((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height, reach); };
  const tell = (dot_) => { if ((dot_ ? dot_.d : undefined) !== own.told) { own.told = dot_ ? dot_.d : undefined; at.point(of, dot_ ? dot_.d : -1); } };
  const onkeydown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const from = here(), direction = DIRECTIONS[event.key];
    if (direction) tell(from ? dotAhead(dots, from, ...direction) : nearestDot(dots, width / 2, height / 2, Infinity));
    else if (event.key === "Enter" || event.key === " ") pin(from);
    else if (event.key === "Escape") { tell(null); pin(null); } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (at.figured) return drawn();
  return [node("div", { class: "controls" }, at.part("button", button)), node("div", { class: "dot-map", style: `height:${height}px`, tabindex: 0, role: "application", "aria-label": name, "data-key": "dots", onkeydown, onpointermove: (event) => { if (event.pointerType !== "touch") tell(under(event, 12)); },
    onpointerleave: () => tell(null), onblur: () => tell(null), onclick: (event) => pin(under(event, 20)) }, at.part("dots", drawn), at.part("ring", ring))];
}, 860);
