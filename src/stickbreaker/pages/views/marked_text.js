
// Texts whose words are shaded or coloured, with what is known of each.

function tokenNode([text, level = 0, figure = "", note = "", style = "", colour = ""], at, first) {
  const parts = Array.isArray(text) ? text.map((part) => (Array.isArray(part) ? [node("span", { class: "maybe", title: part[1] }), part[0]] : part)).flat() : [text];
  const kinds = ["token", `s${level}`, ...(style.includes("u") ? ["unknown"] : []), ...(style.includes("e") ? ["end"] : []), ...(style.includes("r") ? ["solid"] : []), ...(colour ? ["coloured"] : [])];
  return [first ? null : " ", node("span", { class: kinds.join(" "), style: colour ? `--of:${colour}` : undefined, title: note || undefined }, node("span", { class: "word" }, parts), figure ? node("span", { class: "bits" }, figure) : null)];
}

// Says below a text what is known of one of its words.
function tellToken(token) {
  const line = token.closest(".sentence"), before = line.querySelector(".at");
  if (before) before.classList.remove("at");
  token.classList.add("at");
  line.parentElement.querySelector(".readout").textContent = `“${token.querySelector(".word").textContent}”: ${token.title}`;
}

function walkTokens(event) {
  const tokens = [...event.currentTarget.querySelectorAll(".token")], at = tokens.findIndex((token) => token.classList.contains("at"));
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tokens.length - 1 }[event.key];
  if (next === undefined || !tokens.length || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  tellToken(tokens[clamp(next, 0, tokens.length - 1)]);
}

view("MarkedText", ({ lines, levels = [], legend = [], figures = "", reads, filled, title = "" }, at) => {
  const tell = (event) => { const token = event.target.closest(".token"); if (token && token.title) tellToken(token); };
  const listens = reads ? { tabindex: 0, "aria-label": title || "Text", onpointerover: tell, onclick: tell, onkeydown: walkTokens } : {};
  const line = ([tokens, below = "", late, early]) => node("li", {},
    node("p", { class: "sentence", dir: "auto", ...listens }, late ? "… " : null, tokens.map((token, i) => tokenNode(token, at, !i)).flat(), early ? " …" : null),
    reads ? node("p", { class: "readout small", "aria-live": "polite" }, "Point at a word.") : null, said(at, below).length ? node("p", { class: "small" }, said(at, below)) : null);
  const keys = [...levels.map(([level, means]) => node("li", {}, node("span", { class: `swatch s${level}`, "aria-hidden": "true" }), means)),
    ...legend.map(([look, example, means]) => node("li", {}, node("span", { class: look }, example), " ", means))];
  const toggle = (event) => { at.own.figures = event.target.checked; event.target.closest(".shading").classList.toggle("figured", event.target.checked); };
  return node("div", { class: `shading${filled ? " filled" : ""}${at.own.figures ? " figured" : ""}` }, keys.length ? node("ul", { class: "shades", "aria-label": "Shades" }, keys) : null,
    figures ? node("label", { class: "numbers" }, node("input", { type: "checkbox", checked: Boolean(at.own.figures), "data-key": "figures", onchange: toggle }), ` ${figures}`) : null,
    node("ol", { class: "sentences" }, lines.map(line)));
});
