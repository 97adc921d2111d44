
// The one script of a toy kind: it draws a figure, and nothing into the page.

function drawFigures(text) {
  return JSON.stringify({ words: figureOf("Words", node("text", {}, JSON.parse(text).words.join(" "))) });
}
