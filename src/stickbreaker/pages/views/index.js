
// A list of things of a choice to choose from, with their sizes, found by name and by their words.

// Said in place of the list: where a word belongs that none has among its own.
function notInIndex(at, { of, words_of: wordsOf, elsewhere }, query) {
  const { labels, homes = "" } = at.choices[wordsOf] || { labels: [] }, place = labels.findIndex((word) => word.toLowerCase() === query.toLowerCase()), home = parseInt(homes.slice(2 * place, 2 * place + 2), 36);
  const told = ["No topic has ", node("bdi", {}, `“${query}”`), " among its leading words. "];
  if (place >= 0 && at.choices[of].labels[home]) return [...told, "The model knows it, mostly in the topic ", itemNode(at, of, home), "."];
  return elsewhere ? [...told, "Nor is it one of the words listed under ", node("a", { href: `#${elsewhere[0]}` }, elsewhere[1]), "."] : told;
}

view("Index", (value, at) => {
  const { of, sizes, words = [], words_of: wordsOf, find } = value, { own } = at, choice = at.choices[of], named = (at.choices[wordsOf] || { labels: [] }).labels, most = Math.max(...sizes, 1e-9), order = choice.order || sizes.map((_, k) => k);
  const has = (k, wanted) => choice.labels[k].toLowerCase().includes(wanted) || (words[k] || []).some((word) => named[word].toLowerCase().includes(wanted));
  const row = (k, i, among) => node("li", {}, node("button", { type: "button", ...choosable(at, of, k, i === 0, among), role: undefined }, spot(colourOf(choice, k)), node("bdi", { class: "name" }, choice.labels[k]), node("span", { class: "share" }, percent(sizes[k])),
    node("span", { class: "bar", style: `background:${colourOf(choice, k)};width:${Math.max((100 * sizes[k]) / most, 0.5).toFixed(1)}%` })));
  const draw = () => {
    const query = (own.query || "").trim(), shown = order.filter((k) => !query || has(k, query.toLowerCase())), chosen = at.chosen(of);
    if (!shown.length) return node("p", { class: "note", role: "status" }, notInIndex(at, value, query));
    return node("ul", { class: "index scroll plain" }, shown.map((k, i) => row(k, i, shown.includes(chosen))));
  };
  // The first that is found is chosen where the chosen one is not.
  const found = (event) => {
    if (!event.target.matches("input")) return;
    const wanted = (own.query || "").trim().toLowerCase(), shown = order.filter((k) => !wanted || has(k, wanted));
    if (shown.length && !shown.includes(at.known(of))) at.choose(of, shown[0], false, event.target);
  };
  return [node("div", { oninput: found }, findField(at, find, "rows")), at.part("rows", draw)];
});
