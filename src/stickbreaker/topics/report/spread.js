
// How the tokens of a word divide over the topics: [topic, share], the largest first.

function spreadsOf(spread) {
  const decoded = (digits) => Array.from({ length: digits.length / 4 }, (_, i) => (
    [parseInt(digits.slice(4 * i, 4 * i + 2), 36), parseInt(digits.slice(4 * i + 2, 4 * i + 4), 36) / 1000]));
  return new Map(spread.words.map((word, i) => [word, decoded(spread.shares[i])]));
}

function describeSpread(parts, topics) {
  if (!parts || !parts.length) return "no more is known of it";
  return `of its uses ${parts.slice(0, 3).map(([k, share]) => `${percent(share)} in ${topics[k].label}`).join(", ")}`;
}

// Said below the map while a word is pointed at.
function spreadNote(word, parts, topics) {
  const one = ([k, share], i) => [i ? ", " : " ", `${percent(share)} in `, topicButton(topics[k], k)];
  return ["The circles show where ", node("strong", {}, node("bdi", {}, word)), " is used:", ...parts.slice(0, 4).flatMap(one), "."];
}
