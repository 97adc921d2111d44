
// Entries that are opened one by one; they are ordered, searched and turned by page.

const FIRST_PARTS = 3; // of a mix, that are named below its bar

function entryHead(at, { title, about: told, mix = [], text = "", badge = "" }, of, about) {
  const { choices } = at, named = about >= 0 ? mix.filter(([k]) => k === about) : mix.slice(0, FIRST_PARTS);
  return [node("span", { class: "what" }, node("span", { class: "title" }, said(at, title), badge ? node("span", { class: "mark" }, badge) : null),
    told ? node("span", { class: "small" }, said(at, told)) : null, text ? node("span", { class: "excerpt", dir: "auto" }, [...text].slice(0, 180).join("")) : null),
  of ? node("span", { class: "mixture" }, mix.length ? mixBar(mix, choices[of]) : null,
    node("span", { class: "small" }, mix.length ? named.map(([k, share]) => [node("span", { class: "part" }, itemNode(at, of, k), ` ${percent(share)}`), " "]).flat() : "nothing stands out")) : null];
}

// An entry as an item of a list: with views, or a `body`, it is opened.
function listEntry(at, entry, of, about, open, key) {
  const { views = [], body = views.length ? () => slots(at, views, `${key} `) : null, group = "" } = entry, head = entryHead(at, entry, of, about);
  return node("li", { "data-group": group || undefined }, body ? fold(at, key, head, body, { open, kind: "entry" }) : node("div", { class: "entry flat" }, head));
}

function drawList(value, at) {
  const { entries, of = "", page: size = 0, order, groups = "", most = 0, find = "", open = 0, missing = "None has all of these words." } = value, { own, choices } = at;
  const names = groups ? [...new Set(entries.map(({ group }) => group).filter(Boolean))].sort() : [];
  const texts = find ? entries.map(({ title, text = "", about = "", found = "" }) => [plainText(title, choices), plainText(about, choices), text, found].join("\n").toLowerCase()) : [];
  const draw = () => {
    const by = own.by === undefined ? -1 : own.by, about = own.only ? at.chosen(of) : order ? by : -1, group = names[own.group === undefined ? -1 : own.group];
    let places = entries.map((_, i) => i).filter((i) => (!own.query || hasTerms(texts[i], own.query)) && (group === undefined || entries[i].group === group));
    if (about >= 0) places = descending(places.filter((i) => shareOf(entries[i].mix || [], about) > 0), (i) => shareOf(entries[i].mix, about));
    const { shown, pages, range } = pageOf(at, most ? places.slice(0, most) : places, size);
    return [size ? node("p", { class: "count", role: "status" }, range) : null,
      shown.length ? node("ol", { class: "entries" }, shown.map((i) => listEntry(at, entries[i], of, about, i < open, String(i)))) : node("p", { class: "note" }, about >= 0 && !own.query ? "None of those shown here has this among its largest." : missing), ...pager(at, pages, "entries")];
  };
  const again = (key) => (to) => { own[key] = to; own.page = 0; at.redraw("entries"); };
  const controls = [find ? findField(at, find, "entries") : null,
    order ? choiceBox("Order", [[-1, "as in the corpus"], ...choices[of].labels.map((label, k) => [k, `most of ${label}`])], own.by === undefined ? -1 : own.by, "order", again("by")) : null,
    names.length > 1 ? choiceBox(groups, [[-1, "all"], ...names.map((name, i) => [i, name])], own.group === undefined ? -1 : own.group, "group", again("group")) : null,
    find && of ? onlyButton(at, of, "entries") : null].filter(Boolean);
  return [controls.length ? node("div", { class: "controls" }, controls) : null, at.part("entries", draw)];
}

view("List", drawList);
