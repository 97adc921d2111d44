
// Topics over time and by group.

const LAYERS = 18; // topics in the stream

// The topics whose share changes most, in the order of the tree, and always the chosen one. Times with hardly a
// document do not count, for there a share is chance.
function streamTopics(topics, times, order, chosen, layers = LAYERS) {
  const least = 0.05 * Math.max(...times.documents);
  const parts = times.shares.filter((_, i) => times.documents[i] >= least);
  const swing = topics.map((_, k) => {
    const own = parts.map((part) => part[k]);
    return Math.max(...own) - Math.min(...own);
  });
  const most = descending(topics.map((_, k) => k), (k) => swing[k]).slice(0, layers);
  const shown = new Set(chosen === null || most.includes(chosen) ? most : [...most.slice(0, -1), chosen]);
  return order.filter((k) => shown.has(k));
}

function streamChart(topics, times, order, chosen, width, height) {
  const shown = streamTopics(topics, times, order, chosen);
  const totals = times.shares.map((part) => shown.reduce((sum, k) => sum + part[k], 0));
  const foot = 62, top = 8, room = height - foot - top, scale = room / Math.max(...totals, 1e-9);
  const px = columns(times.names.length, width);
  const heights = totals.map((total) => top + (room - total * scale) / 2);
  const layers = shown.map((k) => {
    const upper = heights.map((y) => y);
    times.shares.forEach((part, i) => { heights[i] += part[k] * scale; });
    return { k, upper, lower: [...heights] };
  });
  const marked = layers.map((layer) => streamLayer(layer, topics[layer.k], px, layer.k === chosen));
  return node("svg", { class: "stream", role: "group", "aria-label": `Topics by ${times.field}`, ...frame(width, height) },
    marked, node("g", { class: "labels", "aria-hidden": "true" }, streamLabels(layers, topics, px, width)),
    timeAxis(times, px, width, height));
}

function columns(n, width) {
  return Array.from({ length: n }, (_, i) => 10 + (i / Math.max(n - 1, 1)) * (width - 20));
}

function streamLayer({ k, upper, lower }, topic, px, chosen) {
  const along = (ys, xs) => xs.slice(1).map((x, i) => {
    const middle = ((xs[i] + x) / 2).toFixed(1);
    return `C${middle} ${ys[i].toFixed(1)} ${middle} ${ys[i + 1].toFixed(1)} ${x.toFixed(1)} ${ys[i + 1].toFixed(1)}`;
  }).join("");
  const back = [...px].reverse(), under = [...lower].reverse();
  const d = `M${px[0].toFixed(1)} ${upper[0].toFixed(1)}${along(upper, px)}L${back[0].toFixed(1)} ${under[0].toFixed(1)}${along(under, back)}Z`;
  return node("path", {
    class: "layer", d, fill: topic.colour, "data-topic": k, role: "button", tabindex: chosen ? 0 : -1,
    "aria-pressed": String(chosen), "aria-label": topic.label,
  }, node("title", {}, topic.label));
}

// A label of two words, or one, where its layer has most room for the whole of it, if that is enough.
function streamLabels(layers, topics, px, width) {
  const taken = [];
  const label = (text, { upper, lower }) => {
    const wide = textWidth(text, 12);
    const places = px.map((middle) => labelRoom(clamp(middle, wide / 2 + 4, width - wide / 2 - 4), wide, upper, lower, px));
    const { x, top, bottom } = places.reduce((best, one) => (one.bottom - one.top > best.bottom - best.top ? one : best));
    const y = (top + bottom) / 2 + 4, box = { left: x - wide / 2, right: x + wide / 2, top: y - 11, bottom: y + 3 };
    if (bottom - top < 14 || taken.some((other) => boxesMeet(other, box))) return null;
    taken.push(box);
    return node("text", { class: "halo", x: x.toFixed(1), y: y.toFixed(1), "text-anchor": "middle" }, text);
  };
  return layers.map((layer) => {
    const words = topics[layer.k].label.split(", "), said = (n) => shortened(words.slice(0, n).join(", "), 12, 150);
    return label(said(2), layer) || label(said(1), layer);
  });
}

// Between which heights a label about x lies within its layer, from its left end to its right one.
function labelRoom(x, wide, upper, lower, px) {
  const ends = [x - wide / 2, x + wide / 2], within = px.map((_, i) => i).filter((i) => px[i] > ends[0] && px[i] < ends[1]);
  const heights = (ys) => [...ends.map((end) => heightAt(end, ys, px)), ...within.map((i) => ys[i])];
  return { x, top: Math.max(...heights(upper)), bottom: Math.min(...heights(lower)) };
}

// The height of a layer's edge between two bins.
function heightAt(x, ys, px) {
  const next = px.findIndex((at) => at >= x);
  if (next <= 0) return next ? ys[ys.length - 1] : ys[0];
  const part = (x - px[next - 1]) / (px[next] - px[next - 1]);
  return ys[next - 1] + part * (ys[next] - ys[next - 1]);
}

// Every how many bins there is room for a name.
function labelStride(names, width) {
  const widest = Math.max(...names.map((name) => textWidth(name, 12)), 1);
  return Math.max(Math.ceil((names.length * (widest + 14)) / width), 1);
}

// Names of the bins, and under them how many documents each has.
function timeAxis(times, px, width, height) {
  const every = labelStride(times.names, width);
  const most = Math.max(...times.documents, 1), base = height - 20, wide = Math.max((px[1] - px[0] || 20) - 2, 1);
  return node("g", { "aria-hidden": "true" },
    times.documents.map((n, i) => node("rect", {
      class: "volume", x: (px[i] - wide / 2).toFixed(1), width: wide.toFixed(1),
      y: (base - (26 * n) / most).toFixed(1), height: ((26 * n) / most).toFixed(1),
    })),
    node("text", { class: "figure", x: 2, y: base - 30 }, `documents (at most ${grouped(most)})`),
    namesAlong(times.names, px, every, width, height - 4),
    px.map((x, i) => hoverPart(x - (wide + 2) / 2, wide + 2, base - 26, height, `${times.names[i]}: ${grouped(times.documents[i])} documents`)));
}

// The names of bins below their places, where one does not meet the next.
function namesAlong(names, px, every, width, y) {
  let end = -Infinity;
  return names.map((name, i) => {
    const x = labelPlace(px[i], name, width), half = textWidth(name, 12) / 2;
    if (i % every || Number(x) - half < end) return null;
    end = Number(x) + half + 6;
    return node("text", { class: "figure", x, y, "text-anchor": "middle" }, name);
  });
}

// One topic's share in each bin of time.
function timeBars(topic, k, times, width, height) {
  const shares = times.shares.map((part) => part[k]), most = Math.max(...shares, 1e-9);
  const left = 52, top = 12, bottom = height - 24, n = shares.length;
  const step = (width - left - 8) / n, every = labelStride(times.names, width - left);
  const spoken = times.names.map((name, i) => `${name} ${percent(shares[i])}`).join(", ");
  const py = (share) => (bottom - (share / most) * (bottom - top)).toFixed(1);
  return node("svg", { class: "time-bars", role: "img", "aria-label": `${topic.label}: ${spoken}`, ...frame(width, height) },
    [most, most / 2, 0].map((share) => [
      node("line", { class: "grid", x1: left, x2: width - 8, y1: py(share), y2: py(share) }),
      node("text", { class: "figure", x: left - 8, y: Number(py(share)) + 4, "text-anchor": "end" }, percent(share))]).flat(),
    shares.map((share, i) => node("rect", {
      x: (left + i * step + 1).toFixed(1), y: py(share), width: Math.max(step - 2, 1).toFixed(1),
      height: (bottom - Number(py(share))).toFixed(1), fill: topic.colour,
    })),
    namesAlong(times.names, times.names.map((_, i) => left + (i + 0.5) * step), every, width, height - 6),
    shares.map((share, i) => hoverPart(left + i * step, step, top, height,
      `${times.names[i]}: ${percent(share)}, ${grouped(times.documents[i])} documents`)));
}

