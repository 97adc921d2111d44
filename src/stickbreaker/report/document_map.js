
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
    dots.push({ d, x, y, k: documents[d].mix[0][0] });
  });
  return dots;
}

// The look of a dot where the topic stands out of which its document has this share; null where none does.
function dotLook(share) {
  if (share === null) return { r: 3.2, opacity: 0.8 };
  return share > 0 ? { r: 3 + 3 * Math.sqrt(share), opacity: 0.35 + 0.65 * Math.sqrt(share) } : { r: 2.2, opacity: 0.25 };
}

function shareOf(mix, k) {
  return (mix.find((part) => part[0] === k) || [k, 0])[1];
}

function documentMap(data, width, height) {
  const dots = placeDots(data, width, height), { r, opacity } = dotLook(null);
  const circle = ({ x, y, k }) => node("circle",
    { cx: x.toFixed(1), cy: y.toFixed(1), r, fill: data.topics[k].colour, "fill-opacity": opacity });
  const labels = placeLabels(topicMiddles(dots), data.topics, width, height, 12);
  const tree = node("svg", { class: "map document-map", "aria-hidden": "true", ...frame(width, height) },
    node("g", { class: "documents-dots" }, dots.map(circle)),
    node("g", { class: "labels" }, labels.map((l) => labelText(l, {}))),
    node("g", { class: "pointer" }));
  return { tree, dots, width, height };
}

// Where the documents that a topic leads lie: the one whose distances to the others are least, on the whole. Topics
// of most documents come first when labels are placed: their circles are a little larger.
function topicMiddles(dots) {
  const led = new Map();
  for (const dot of dots) led.set(dot.k, [...(led.get(dot.k) || []), dot]);
  return [...led].map(([k, own]) => {
    const sample = own.filter((_, i) => i % Math.ceil(own.length / 60) === 0);
    const away = (dot) => sample.reduce((sum, other) => sum + Math.hypot(dot.x - other.x, dot.y - other.y), 0);
    const middle = sample.reduce((best, dot) => (away(dot) < away(best) ? dot : best));
    return { k, x: middle.x, y: middle.y, radius: own.length / dots.length };
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
