
// Shares of things over time: the thicker a band, the more; below, how much there is at each time.

// An edge of a band from place to place, as curves.
function edgeCurve(xs, ys) {
  return xs.slice(1).map((x, i) => `C${((xs[i] + x) / 2).toFixed(1)} ${ys[i].toFixed(1)} ${((xs[i] + x) / 2).toFixed(1)} ${ys[i + 1].toFixed(1)} ${x.toFixed(1)} ${ys[i + 1].toFixed(1)}`).join("");
}

function bandPath({ upper, lower }, xs) {
  const back = [...xs].reverse(), under = [...lower].reverse();
  return `M${xs[0].toFixed(1)} ${upper[0].toFixed(1)}${edgeCurve(xs, upper)}L${back[0].toFixed(1)} ${under[0].toFixed(1)}${edgeCurve(back, under)}Z`;
}

// The height of a band's edge between two times.
function heightAt(x, ys, xs) {
  const next = xs.findIndex((at) => at >= x);
  if (next <= 0) return next ? ys[ys.length - 1] : ys[0];
  return ys[next - 1] + ((x - xs[next - 1]) / (xs[next] - xs[next - 1])) * (ys[next] - ys[next - 1]);
}

// Between which heights a label about x lies within its band, from its left end to its right one.
function labelRoom(x, wide, upper, lower, xs) {
  const ends = [x - wide / 2, x + wide / 2], within = xs.map((_, i) => i).filter((i) => xs[i] > ends[0] && xs[i] < ends[1]);
  const heights = (ys) => [...ends.map((end) => heightAt(end, ys, xs)), ...within.map((i) => ys[i])];
  return { x, top: Math.max(...heights(upper)), bottom: Math.min(...heights(lower)) };
}

// A label of two words, or one, where its band has most room for the whole of it, if that is enough.
function bandLabels(layers, labels, xs, width) {
  const taken = [];
  const label = (text, { upper, lower }) => {
    const wide = textWidth(text, 12), places = xs.map((middle) => labelRoom(clamp(middle, wide / 2 + 4, width - wide / 2 - 4), wide, upper, lower, xs));
    const { x, top, bottom } = places.reduce((best, one) => (one.bottom - one.top > best.bottom - best.top ? one : best));
    const y = (top + bottom) / 2 + 4, box = { left: x - wide / 2, right: x + wide / 2, top: y - 11, bottom: y + 3 };
    if (bottom - top < 14 || taken.some((other) => other.left <= box.right && other.right >= box.left && other.top <= box.bottom && other.bottom >= box.top)) return null;
    taken.push(box);
    return node("text", { class: "halo", x: x.toFixed(1), y: y.toFixed(1), "text-anchor": "middle" }, text);
  };
  return layers.map((layer) => {
    const words = labels[layer.k].split(", "), told = (n) => shortened(words.slice(0, n).join(", "), 12, 150);
    return label(told(2), layer) || label(told(1), layer);
  });
}

// Names of the times, and above them how much there is at each.
function amountsBelow({ names, amounts, counted: what = "documents" }, xs, width, height) {
  const most = Math.max(...amounts, 1), base = height - 20, wide = Math.max((xs[1] - xs[0] || 20) - 2, 1);
  return node("g", { "aria-hidden": "true" },
    amounts.map((n, i) => node("rect", { class: "volume", x: (xs[i] - wide / 2).toFixed(1), width: wide.toFixed(1), y: (base - (26 * n) / most).toFixed(1), height: ((26 * n) / most).toFixed(1) })),
    node("text", { class: "figure", x: 2, y: base - 30 }, `${what} (at most ${grouped(most)})`), namesBelow(names, xs, height - 4, width),
    xs.map((x, i) => hoverPart(x - (wide + 2) / 2, wide + 2, base - 26, height, `${names[i]}: ${grouped(amounts[i])} ${what}`)));
}

view("Bands", (value, at) => {
  const { of, order, most, names, shares, title = "" } = value, { width } = at, height = width < 600 ? 320 : 400, foot = 62, top = 8, room = height - foot - top, chosen = at.chosen(of);
  const shown = new Set(chosen < 0 || most.includes(chosen) || at.figured ? most : [...most.slice(0, -1), chosen]), ks = order.filter((k) => shown.has(k));
  const totals = shares.map((part) => ks.reduce((sum, k) => sum + part[k], 0)), unit = room / Math.max(...totals, 1e-9);
  const xs = names.map((_, i) => 10 + (i / Math.max(names.length - 1, 1)) * (width - 20)), heights = totals.map((total) => top + (room - total * unit) / 2);
  const layers = ks.map((k) => {
    const upper = [...heights];
    shares.forEach((part, i) => { heights[i] += part[k] * unit; });
    return { k, upper, lower: [...heights] };
  });
  const band = (layer, i) => node("path", { class: "layer", ...choosable(at, of, layer.k, i === 0, ks.includes(chosen)), d: bandPath(layer, xs), fill: colourOf(at.choices[of], layer.k), "aria-label": at.choices[of].labels[layer.k] },
    node("title", {}, at.choices[of].labels[layer.k]));
  return node("svg", { class: "stream", role: "group", "aria-label": title || "Shares over time", ...frame(width, height) },
    layers.map(band), node("g", { class: "labels", "aria-hidden": "true" }, bandLabels(layers, at.choices[of].labels, xs, width)), amountsBelow(value, xs, width, height));
}, 960);
