
// Drawings in a grid, each under its title; only as a figure.

view("Grid", ({ views, across }, at) => {
  const drawn = views.map((value) => firstDrawing(DRAWERS[value.view].draw(value, { ...at, width: Math.floor(at.width / across) - 20, own: {} }))), tall = Math.max(...drawn.map((tree) => (tree ? tree.attributes.height : 0))) + 30, wide = at.width / across;
  const cells = drawn.map((tree, i) => node("g", { transform: `translate(${((i % across) * wide).toFixed(1)} ${Math.floor(i / across) * tall})` },
    node("circle", { cx: 6, cy: 10, r: 5, fill: views[i].colour }), node("text", { class: "subheading", x: 17, y: 14 }, shortened(views[i].title, 13, wide - 40)), tree ? moved(0, 20, tree) : null));
  return node("svg", { class: "bars", ...frame(at.width, Math.ceil(drawn.length / across) * tall) }, cells);
}, 1200);
