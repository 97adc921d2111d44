
// Documents whose words are explained, with their strips.

// The strip of a document that is open, at the width that there is.
function drawStrip(data, details) {
  if (!details.open) return;
  const room = details.querySelector(".strip-room"), width = Math.max(room.clientWidth, 260);
  room.replaceChildren(build(topicStrip(data.strips[Number(details.dataset.excerpt)], data.topics, data.common, width)));
}

// What is known of a word is said below its text.
function pointAtToken(token) {
  const text = token.closest(".walk"), before = text.querySelector(".at");
  if (before) before.classList.remove("at");
  token.classList.add("at");
  const said = document.getElementById(text.getAttribute("aria-describedby"));
  said.textContent = `“${token.querySelector(".word").textContent}”: ${token.title}`;
}

function walkAlong(text, key) {
  const tokens = [...text.querySelectorAll(".token")], at = tokens.findIndex((token) => token.classList.contains("at"));
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tokens.length - 1 }[key];
  if (next === undefined || !tokens.length) return false;
  pointAtToken(tokens[clamp(next, 0, tokens.length - 1)]);
  return true;
}

function startDocuments({ data }) {
  const list = find(".excerpts");
  if (!list) return;
  const draw = () => list.querySelectorAll("details").forEach((details) => drawStrip(data, details));
  draw();
  followWidth(draw);
  list.addEventListener("toggle", (event) => drawStrip(data, event.target), true);
  for (const kind of ["pointerover", "click"]) {
    list.addEventListener(kind, (event) => {
      const token = event.target.closest(".walk .token");
      if (token) pointAtToken(token);
    });
  }
  list.addEventListener("keydown", (event) => {
    const text = event.target.closest(".walk");
    if (text && walkAlong(text, event.key)) event.preventDefault();
  });
}

section({ start: startDocuments });
