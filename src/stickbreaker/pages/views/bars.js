
// A bar for each label: lying, with figures behind them, or upright over an axis.

const BAR_ROW = 23;

// By value, or (`lambda` not null) by relevance: 1 is by value, 0 by value over mark, among labels whose value is a tenth of the
// tenth's or more.
function rankedBars({ values, marks = [], most }, lambda) {
  const places = values.map((_, i) => i), n = most || places.length;
  if (lambda === null) return places.slice(0, n);
  const tenth = [...values].sort((a, b) => b - a)[Math.min(10, values.length) - 1];
  const floor = lambda < 1 ? (0.1 - 1e-6) * (tenth || 0) : 0; // a tenth is no less for its last digits
  const relevance = (i) => {
    const p = Math.max(values[i], 1e-12), lift = p / Math.max(marks[i], 1e-12);
    return Math.exp(lambda * Math.log(p) + (1 - lambda) * Math.log(lift));
  };
  return descending(places.filter((i) => values[i] >= floor), relevance).slice(0, n);
}

// Of a bar: where it begins and ends, and its colour.
function barParts({ values = [], parts, colour, places, of, colour_of: own = -1 }, i, choices) {
  if (!parts) return [{ from: 0, to: values[i], ink: own >= 0 ? colourOf(choices[of], own) : places && !colour ? colourOf(choices[of], places[i]) : colour }];
  let end = 0;
  return parts[i].map(([k, share]) => { const from = end; end = Math.min(end + share, 1); return { from, to: end, ink: colourOf(choices[of], k), note: `${choices[of].labels[k]} ${percent(share)}` }; });
}

function lyingBars(value, shown, at) {
  const { labels, values = [], figures = [], marks = [], notes = [], parts, of, places, title = "" } = value, { width, choices } = at;
  const tails = shown.map((i) => figures[i] || []), columns = Math.max(...tails.map((tail) => tail.length), 0);
  const wides = Array.from({ length: columns }, (_, c) => Math.max(...tails.map((tail) => textWidth(tail[c] || "", 12))) + 12);
  const told = columns === 1 && wides[0] > 0.3 * width ? 0.42 * width : wides.reduce((sum, wide) => sum + wide, 0);
  const left = Math.round(Math.min(0.36 * width, Math.max(...shown.map((i) => textWidth(labels[i], 13.5))) + 14)), room = Math.max(width - left - told, 20), height = BAR_ROW * shown.length;
  const most = parts ? 1 : Math.max(...shown.map((i) => values[i]), ...(value.wide ? shown.map((i) => marks[i] || 0) : []), 1e-12);
  const bar = (i, row) => {
    const top = row * BAR_ROW, mark = marks.length ? (left + Math.min(marks[i] / most, 1) * room).toFixed(1) : null, tail = figures[i] || [];
    let end = width;
    const texts = [...tail].map((text, c) => [text, c]).reverse().map(([text, c]) => {
      const x = columns === 1 && told !== wides[0] ? left + room + 12 : end;
      end -= wides[c];
      return node("text", { class: "figure", x: x.toFixed(1), y: top + 16, "text-anchor": x === end + wides[c] ? "end" : "start" }, shortened(text, 12, width - (x === end + wides[c] ? 0 : x)));
    });
    const press = value.press ? value.press(places[i], row === 0) : places && choices[of].keys ? choosable(at, of, places[i], row === 0) : {};
    return node("g", { ...press, class: press.role ? "pointed" : undefined, "aria-label": press.role ? `${labels[i]} ${tail.join(" ")}${notes[i] ? `; ${notes[i]}` : ""}` : undefined },
      notes[i] ? node("title", {}, notes[i]) : null,
      press.role ? node("rect", { class: "row-ground", x: 0, y: top, width, height: BAR_ROW, rx: 4 }) : null,
      node("text", { class: "word", x: left - 9, y: top + 16, "text-anchor": "end" }, shortened(labels[i], 13.5, left - 9)),
      barParts(value, i, choices).map(({ from, to, ink, note }) => node("rect", { x: (left + (from / most) * room).toFixed(1), y: top + 4, width: Math.max(((to - from) / most) * room - (parts ? 1 : 0), 1.5).toFixed(1), height: BAR_ROW - 8, rx: parts ? 0 : 2, ...(ink ? { fill: ink } : { class: "shade" }) }, note ? node("title", {}, note) : null)),
      mark ? node("line", { class: "overall", x1: mark, x2: mark, y1: top + 2, y2: top + BAR_ROW - 2 }) : null, texts);
  };
  const spoken = shown.map((i) => `${labels[i]} ${(figures[i] || []).join(" ")}`).join(", ");
  return node("svg", { class: "bars", role: places ? "group" : "img", "aria-label": title ? `${title}: ${spoken}` : spoken, ...frame(width, height) }, shown.map(bar));
}

// Which colour is which.
function legendOf(choice, shown, width, top) {
  const across = Math.max(Math.floor(width / 170), 1), place = (i) => [(i % across) * (width / across), top + Math.floor(i / across) * 20];
  const keys = shown.map((k, i) => [node("rect", { x: place(i)[0].toFixed(1), y: place(i)[1], width: 11, height: 11, fill: colourOf(choice, k) }),
    node("text", { class: "figure", x: (place(i)[0] + 17).toFixed(1), y: place(i)[1] + 10 }, shortened(choice.labels[k], 12, width / across - 26))]);
  return { keys: keys.flat(), height: 20 * Math.ceil(shown.length / across) };
}

function uprightBars(value, at) {
  const { labels, values, figures, notes = [], axis = "", unit = "", shares, edges, title = "", colour, tall = 250 } = value, { width } = at;
  const left = edges ? 14 : 58, right = width - 14, top = 16, bottom = tall - 40, step = (right - left) / values.length, high = 1.1 * Math.max(...values, 1e-9), total = values.reduce((sum, n) => sum + n, 0) || 1;
  const yTicks = ticks(0, high, 5).filter((y) => y <= high), py = scale(0, high, bottom, top), middle = (i) => left + (i + 0.5) * step, wide = edges ? Math.max(step - 2, 1) : Math.max(Math.min(step - 4, 46), 2);
  const label = (i) => (edges ? `${labels[i]} to ${labels[i + 1]}` : `${labels[i]}${unit ? ` ${unit}${labels[i] === "1" ? "" : "s"}` : ""}`);
  const tell = (i) => notes[i] || `${label(i)}: ${figures ? figures[i].join(", ") : shares ? `${edges ? "" : `${shortNumber(values[i])}, `}${percent(values[i] / total)}` : shortNumber(values[i])}`;
  const bar = (n, i) => node("g", {}, node("title", {}, tell(i)),
    node("rect", { x: (middle(i) - wide / 2).toFixed(1), y: py(n).toFixed(1), width: wide.toFixed(1), height: (bottom - py(n)).toFixed(1), ...(colour || value.colour_of >= 0 ? { fill: colour || colourOf(at.choices[value.of], value.colour_of) } : { class: "shade" }) }),
    shares && !edges && step >= 36 && n >= 0.01 * total ? node("text", { class: "figure", x: middle(i).toFixed(1), y: (py(n) - 4).toFixed(1), "text-anchor": "middle" }, percent(n / total)) : null,
    hoverPart(left + i * step, step, top, bottom, tell(i)));
  const texts = labels.map((text, i) => (edges && i % 5 ? "" : text));
  const spoken = values.map((_, i) => tell(i)).filter((_, i) => values[i] >= 0.01 * total).join("; ");
  return node("svg", { class: "upright-bars", role: "img", "aria-label": `${title}. ${spoken}`, ...frame(width, tall) },
    edges ? node("line", { class: "grid", x1: left, x2: right, y1: bottom, y2: bottom }) : gridLines(yTicks, py, left, right, figures ? percent : tickTexts(yTicks)),
    values.map(bar), namesBelow(texts.filter(Boolean), texts.map((text, i) => [text, edges ? left + i * step : middle(i)]).filter(([text]) => text).map(([, x]) => x), bottom + 19, width),
    node("text", { class: "axis", x: right, y: tall - 4, "text-anchor": "end" }, axis));
}

function relevanceSlider(at) {
  const { own } = at, lambda = own.lambda === undefined ? null : own.lambda;
  const set = (to) => { own.lambda = to; at.redraw("order"); at.redraw("bars"); };
  const order = () => [node("span", {}, "Words by ", node("output", {}, own.lambda === undefined || own.lambda === null ? "support" : `relevance, λ = ${own.lambda.toFixed(1)}`)),
    own.lambda === undefined || own.lambda === null ? null : node("button", { type: "button", class: "chip", "data-key": "support", onclick: () => { set(null); at.redraw(); } }, "by support")];
  return node("div", { class: "slider" }, at.part("order", order), node("div", {}, node("span", { "aria-hidden": "true" }, "special to it"),
    node("input", { type: "range", min: 0, max: 1, step: 0.1, value: lambda === null ? 0.6 : lambda, "aria-label": "Relevance", "data-key": "relevance", oninput: (event) => set(Number(event.target.value)) }),
    node("span", { "aria-hidden": "true" }, "frequent")));
}

// The shares of the chosen thing at each label, with a mark at its share in all.
function barsOfChosen({ by, base, labels, of, notes = [], ...value }, at) {
  const k = Math.max(at.chosen(of), 0), values = by.map((row) => row[k]), label = at.choices[of].labels[k];
  return { ...value, wide: true, labels, of, colour_of: k, values, title: label, figures: values.map((share) => [percent(share)]), marks: base ? values.map(() => base[k]) : [],
    notes: values.map((share, i) => `${labels[i]}: ${percent(share)}${notes[i] ? `, ${notes[i]}` : ""}${base ? `; of all ${percent(base[k])}` : ""}`) };
}

function drawBars(given, at) {
  const value = given.by ? barsOfChosen(given, at) : given, head = given.by ? [node("h3", {}, itemNode(at, given.of, value.colour_of, "", true))] : [];
  if (value.upright) return [...head, uprightBars(value, at)];
  const { labels, ranked, parts, of } = value, all = labels.map((_, i) => i);
  const draw = () => lyingBars(value, ranked ? rankedBars(value, at.own.lambda === undefined ? null : at.own.lambda) : all, at);
  if (!labels.length) return node("p", { class: "small" }, "Nothing to show.");
  if (ranked) return [relevanceSlider(at), at.part("bars", draw)];
  if (!parts) return [...head, draw()];
  const tree = draw(), { keys, height } = legendOf(at.choices[of], [...new Set(parts.flat().map(([k]) => k))].sort((a, b) => a - b), at.width, tree.attributes.height + 14);
  return { ...tree, attributes: { ...tree.attributes, ...frame(at.width, tree.attributes.height + 14 + height) }, children: [...tree.children, ...keys] };
}

view("Bars", drawBars);
