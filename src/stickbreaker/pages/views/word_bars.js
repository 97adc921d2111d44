
// Bars of words, and how often each is here compared with all; one pointed at is shown by views that follow it.

// Of what is pointed at inside a drawing: with the pointer, or with Tab and the arrow keys up and down; a press lets it stay.
function pointable(at, of, place, first) {
  const pressed = at.chosen(of) === place, turn = () => at.choose(of, pressed ? -1 : place);
  const onkeydown = (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key], rows = by ? [...event.currentTarget.parentElement.querySelectorAll(".pointed")] : [];
    if (event.key === "Enter" || event.key === " ") turn();
    else if (by) rows[clamp(rows.indexOf(event.currentTarget) + by, 0, rows.length - 1)].focus();
    else return;
    event.preventDefault();
  };
  const on = () => at.point(of, place), off = () => at.point(of, -1);
  return { role: "button", tabindex: first ? 0 : -1, "aria-pressed": String(pressed), "data-key": `${of} ${place}`, onclick: turn, onkeydown, onpointerenter: on, onpointerleave: off, onfocus: on, onblur: off };
}

view("WordBars", ({ of, places, values, marks = [], points, ...value }, at) => {
  const { labels } = at.choices[of], told = (place) => mixOf(at.choices[of], place).slice(0, 3).map(([k, share]) => `${percent(share)} in ${at.choices[value.mixes_of].labels[k]}`).join(", ");
  return drawBars({ ...value, of, places, values, marks, labels: places.map((place) => labels[place]), figures: values.map((p, i) => [percent(p), times(p / marks[i])]),
    press: points ? (place, first) => pointable(at, of, place, first) : undefined, notes: points ? places.map((place) => (told(place) ? `of its uses ${told(place)}` : "no more is known of it")) : [] }, at);
});
