
// Cards beside each other.

view("Cards", ({ cards, least = 27 }, at) => node("ol", { class: "cards", style: `--least:${least}rem` }, cards.map(({ title, share = "", lines = [], views = [], more = "", hidden = [], anchor = "" }, i) => node("li", { id: anchor || undefined },
  node("h3", {}, said(at, title), share ? node("span", { class: "share" }, share) : null),
  lines.map((line) => node("p", {}, said(at, line))), slots(at, views, `${i} `),
  hidden.length ? fold(at, String(i), more, () => slots(at, hidden, `${i} more `), { kind: "more" }) : null))));
