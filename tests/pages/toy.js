
// The one script of a toy kind: it draws a figure, and nothing into the page.

section({ figures: ({ words }) => ({ words: figureOf("Words", node("text", {}, words.join(" "))) }) });
