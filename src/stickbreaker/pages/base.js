"use strict";

// What the charts share. They are pure functions from data to a plain tree of nodes: nothing but `dom.js` and
// what comes after it knows of a page or a browser.
// A node is { tag, attributes, children }; a child is a node or a string.

// How each view is drawn, by the name of its class; `wide` is the width of its figures.
const DRAWERS = {};

function view(name, draw, wide = 860) {
  DRAWERS[name] = { draw, wide };
}

function node(tag, attributes, ...children) {
  const present = (child) => child !== null && child !== undefined;
  return { tag, attributes: attributes || {}, children: children.flat().filter(present) };
}

function frame(width, height) {
  return { width, height, viewBox: `0 0 ${width} ${height}` };
}

// Numbers and words.

function percent(share) {
  const value = 100 * share;
  if (value === 0) return "0%";
  if (value < 0.01) return "<0.01%";
  return value.toFixed(value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2) + "%";
}

function grouped(number) {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
}

function counted(n, one) {
  return `${grouped(n)} ${one}${n === 1 ? "" : "s"}`;
}

function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function momentTick(at) {
  return at < 10 && at % 1 ? at.toFixed(1) : grouped(at);
}

function times(ratio) {
  if (!isFinite(ratio)) return "only here";
  if (ratio >= 1000) return "× >999";
  return "× " + ratio.toFixed(ratio >= 9.95 ? 0 : 1);
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

// Items from the largest; ties stay in order, as in core/topk.py: what is at most 1e-5 of the largest below it.
function descending(items, size) {
  const ranked = items.map((item, place) => ({ item, place, size: size(item), group: 0 }));
  ranked.sort((a, b) => b.size - a.size || a.place - b.place);
  let first = ranked[0];
  for (const each of ranked) {
    if (first.size - each.size > 1e-5 * Math.abs(first.size)) first = each;
    each.group = first.size;
  }
  return ranked.sort((a, b) => b.group - a.group || a.place - b.place).map((each) => each.item);
}

// About as wide as in the widest of the usual fonts, so that what fits here fits in all.
const LETTER_WIDTHS = [[/[mwMW@%…—]/u, 0.97], [/[ijl|'’]/u, 0.3], [/[ftrI.,:;!()[\]\s-]/u, 0.4], [/[<>+=~]/u, 0.84], [/\p{Lu}/u, 0.72], [/[\u2e80-\u{10ffff}]/u, 1.05]];

function textWidth(text, size) {
  let width = 0;
  for (const letter of text) width += (LETTER_WIDTHS.find(([kind]) => kind.test(letter)) || [null, 0.62])[1];
  return width * size;
}

// The middle of a label at x, moved so that no part of it is beyond the edges.
function labelPlace(x, text, width, size = 12) {
  const half = textWidth(text, size) / 2 + 1;
  return clamp(Number(x), half, Math.max(width - half, half)).toFixed(1);
}

function shortened(text, size, room) {
  if (textWidth(text, size) <= room) return text;
  let kept = "";
  for (const letter of text) {
    if (textWidth(kept + letter + "…", size) > room) break;
    kept += letter;
  }
  return kept + "…";
}

function ticks(low, high, wanted) {
  if (high - low < 1e-9 * Math.abs(high)) return [low]; // steps so fine would be lost in rounding
  const rough = (high - low) / Math.max(wanted, 1) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const values = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-6; i += 1) values.push(i * step);
  return values;
}
