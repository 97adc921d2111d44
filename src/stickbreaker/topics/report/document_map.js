
// The map of documents: a dot for each that has a place, in the colour of its leading topic.

// The places that the page holds: two numbers of two digits each a document, "zzzz" for one without a place.
function documentPlaces(digits) {
  const places = [];
  for (let i = 0; i < digits.length; i += 4) {
    const [x, y] = [i, i + 2].map((at) => parseInt(digits.slice(at, at + 2), 36));
    places.push(x > 1294 ? null : [x / 1294, y / 1294]);
  }
  return places;
}

function placeDots({ documents, documentPlaces: digits }, width, height) {
  const margin = 12, dots = [];
  documentPlaces(digits).forEach((place, d) => {
    if (!place || !documents[d].mix.length) return;
    const [x, y] = place.map((part, axis) => margin + part * ((axis ? height : width) - 2 * margin));
    dots.push({ d, x, y, radius: 3, k: documents[d].mix[0][0] });
  });
  return dots;
}

// The look of a dot where the topic stands out of which its document has this share; null where none does. `size` is
// 1 where two thousand dots have the room of a wide page.
function dotLook(share, size) {
  if (share === null) return { r: (3.2 * size).toFixed(1), opacity: 0.8 };
  const strength = Math.sqrt(share), r = share > 0 ? 3 + 3 * strength : 2.2;
  return { r: (r * size).toFixed(1), opacity: share > 0 ? (0.35 + 0.65 * strength).toFixed(2) : 0.3 };
}

function shareOf(mix, k) {
  return (mix.find((part) => part[0] === k) || [k, 0])[1];
}

function documentMap(data, width, height) {
  const dots = placeDots(data, width, height), size = clamp(Math.sqrt((width * height) / dots.length) / 16, 0.65, 1.6);
  const { r, opacity } = dotLook(null, size);
  const circle = ({ x, y, k }) => node("circle",
    { cx: x.toFixed(1), cy: y.toFixed(1), r, fill: data.topics[k].colour, "fill-opacity": opacity });
  const labels = placeTopicLabels(topicMiddles(dots, (width * height) / 11000), data.topics, dots, width, height);
  const tree = node("svg", { class: "map document-map", "aria-hidden": "true", ...frame(width, height) },
    node("g", { class: "documents-dots" }, dots.map(circle)),
    node("g", { class: "labels" }, labels.map((l) => labelText(l, {}))),
    node("g", { class: "pointer" }));
  return { tree, dots, size, width, height };
}

// A label beside the middle of each topic, where it hides the fewest dots; none where it would meet another.
function placeTopicLabels(middles, topics, dots, width, height) {
  const labels = [];
  const free = ({ box }) => box.left > 2 && box.right < width - 2 && box.top > 2 && box.bottom < height - 2
    && !labels.some((label) => boxesMeet(label.box, box));
  const hidden = ({ box }) => dots.filter((dot) => circleMeets(dot, box, 2)).length;
  for (const middle of middles) {
    const places = shortLabels(topics[middle.k]).map((text) => labelPlaces(text, middle, 12).filter(free)).find((some) => some.length);
    const counts = (places || []).map(hidden), place = (places || [])[counts.indexOf(Math.min(...counts))];
    if (place) labels.push({ k: middle.k, ...place });
  }
  return labels;
}

// Where the documents that a topic leads lie: the one whose distances to the others are least, on the whole. Only of
// the topics that lead most documents, these first.
function topicMiddles(dots, most) {
  const led = new Map();
  for (const dot of dots) led.set(dot.k, [...(led.get(dot.k) || []), dot]);
  const largest = [...led].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]).slice(0, Math.max(most, 1));
  return largest.map(([k, own]) => {
    const sample = own.filter((_, i) => i % Math.ceil(own.length / 60) === 0);
    const away = (dot) => sample.reduce((sum, other) => sum + Math.hypot(dot.x - other.x, dot.y - other.y), 0);
    const middle = sample.reduce((best, dot) => (away(dot) < away(best) ? dot : best));
    return { k, x: middle.x, y: middle.y, radius: 1 };
  });
}

// The dot nearest to a place, no further than `reach`; null where there is none.
function nearestDot(dots, x, y, reach) {
  const away = (dot) => Math.hypot(dot.x - x, dot.y - y);
  const best = dots.reduce((one, dot) => (one && away(one) <= away(dot) ? one : dot), null);
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

function excerptOf(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

// What stands beside the map: the document in short, or, where it was chosen, opened.
function documentCard(index, data, chosen, open) {
  const entry = data.documents[index], leading = entry.mix.slice(0, 4);
  if (open) return [documentEntry(index, data, chosen, true)];
  return [node("div", { class: "card" },
    node("p", { class: "title" }, node("bdi", {}, entry.title || entry.id)),
    mixBar(entry.mix, data.topics),
    node("ul", { class: "parts" }, leading.map(([k, share]) => node("li", {}, spot(data.topics[k]), name(data.topics[k]),
      node("span", { class: "share" }, percent(share))))),
    node("p", { class: "text", dir: "auto" }, excerptOf(entry.text, 300)))];
}
