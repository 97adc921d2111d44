
// A drawing of boxes in boxes.

function boxNode(box) {
  if (typeof box === "string") return node("span", { class: "text" }, box);
  const [name, inside, firm = false, note = ""] = box;
  return node("span", { class: firm ? "box firm" : "box", title: note || undefined }, node("bdi", { class: "name" }, name), node("span", { class: "below" }, inside.map(boxNode)));
}

view("Picture", ({ boxes, name }) => node("div", { class: "drawing", role: "region", "aria-label": name, tabindex: 0 }, boxNode(boxes)));
