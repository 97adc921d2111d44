
// Documents of a choice, with their mixes: a list of all, those of the chosen thing, or the one pointed at.

// Every marked word in the colour of its thing. Positions count characters, not UTF-16 units.
function colouredText(text, marks, choice, chosen) {
  const letters = [...text], pieces = [];
  let at = 0;
  for (let i = 0; i + 6 <= marks.length; i += 6) {
    const [gap, length, k] = [0, 2, 4].map((j) => parseInt(marks.slice(i + j, i + j + 2), 36)), start = at + gap;
    pieces.push(letters.slice(at, start).join(""), node("mark", { class: k === chosen ? "own" : undefined, style: `--topic:${colourOf(choice, k)}`, "data-place": k, title: choice.labels[k] }, letters.slice(start, start + length).join("")));
    at = start + length;
  }
  return [...pieces, letters.slice(at).join("")];
}

// Where no word is marked, those that lead the chosen thing are.
function leadingText(text, words) {
  const pieces = [];
  for (const piece of text.split(/([\p{L}\p{N}][\p{L}\p{M}\p{N}_'’-]*)/u)) pieces.push(words.has(piece.toLowerCase()) ? node("mark", { class: "own" }, piece) : piece);
  return pieces;
}

function documentBody(at, { id, tokens, text, marks = "", shares, facts = [] }, { of, leading = [], words_of: wordsOf }) {
  const choice = at.choices[of], chosen = of ? at.chosen(of) : -1, words = new Set((leading[chosen] || []).map((word) => at.choices[wordsOf].labels[word].toLowerCase()));
  const go = (event) => { const mark = event.target.closest("[data-place]"); if (mark) at.choose(of, Number(mark.dataset.place)); };
  const rows = [["words", grouped(tokens)], ["id", id], ...facts].map(([label, value]) => node("div", {}, node("dt", {}, node("bdi", {}, label)), node("dd", {}, node("bdi", {}, value))));
  return node("div", { class: "document", style: `--topic:${colourOf(choice, chosen)}` }, node("p", { class: "text", dir: "auto", onclick: go }, marks ? colouredText(text, marks, choice, chosen) : leadingText(text, words)),
    node("div", {}, node("ul", { class: "parts" }, shares.map(([k, share]) => node("li", {}, itemNode(at, of, k), node("span", { class: "share" }, percent(share))))), node("dl", { class: "facts-of" }, rows)));
}

view("Documents", (value, at) => {
  const { of, documents: name, typical, pointed, open = 0 } = value, things = documentsOf(at.choices[name]);
  const entryOf = ({ title, text, shares, id, facts = [] }, d) => ({ title, text, mix: shares, key: d, found: [id, ...facts.map(([, told]) => told)].join("\n"), body: () => documentBody(at, things[d], value) });
  if (typical) {
    const k = at.chosen(of), own = typical[k] || [];
    if (!own.length) return [];
    return [node("h3", {}, "Documents most about ", itemNode(at, of, k, "", true)), said(at, value.help || "").length ? node("p", { class: "small" }, said(at, value.help)) : null,
      node("ol", { class: "entries" }, own.map((d, i) => listEntry(at, entryOf(things[d], d), of, k, i < open, `${k} ${d}`)))];
  }
  if (!pointed) return drawList({ ...value, entries: things.map(entryOf) }, at);
  const d = at.pointed(name), thing = things[d];
  if (!thing) return node("p", { class: "small" }, said(at, value.help || ""));
  if (d === at.chosen(name)) return node("ol", { class: "entries lone" }, listEntry(at, entryOf(thing, d), of, -1, true, `pinned ${d}`));
  return node("div", { class: "card" }, node("p", { class: "title" }, node("bdi", {}, thing.title)), mixBar(thing.shares, at.choices[of]),
    node("ul", { class: "parts" }, thing.shares.slice(0, 4).map(([k, share]) => node("li", {}, itemNode(at, of, k), node("span", { class: "share" }, percent(share))))), node("p", { class: "text", dir: "auto" }, [...thing.text].length > 300 ? `${[...thing.text].slice(0, 299).join("")}…` : thing.text));
});
