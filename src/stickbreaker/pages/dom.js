
// The page as a browser has it: trees become elements.

const SVG_TAGS = new Set(["svg", "g", "circle", "rect", "line", "path", "polyline", "text", "title"]);

const waiting = []; // views, their places, and what they remember

// A link is one of SVG inside a drawing.
function build(tree, inside = false) {
  if (typeof tree === "string") return document.createTextNode(tree);
  const drawn = inside || SVG_TAGS.has(tree.tag);
  const element = drawn
    ? document.createElementNS("http://www.w3.org/2000/svg", tree.tag)
    : document.createElement(tree.tag);
  for (const [key, value] of Object.entries(tree.attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...tree.children.map((child) => build(child, drawn)));
  if (tree.value) waiting.push([element, tree.value, tree.own || {}]); // a view, which is drawn once its room is known
  return element;
}

function find(selector) {
  return document.querySelector(selector);
}

function fill(selector, ...trees) {
  const parent = find(selector);
  if (parent) parent.replaceChildren(...trees.map((tree) => build(tree)));
}

// Draw anew once the width has changed.
function followWidth(draw) {
  let width = window.innerWidth, waiting = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(draw, 120);
  });
}

// In a notebook's frame the page has no address of its own: a link to a section would lead to the notebook's.
document.addEventListener("click", (event) => {
  const link = document.URL === "about:srcdoc" && event.target.closest("a[href^='#']");
  const section = link && document.getElementById(link.getAttribute("href").slice(1));
  if (!section || event.defaultPrevented) return;
  event.preventDefault();
  section.scrollIntoView();
});
