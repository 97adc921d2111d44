
// Which words two topics translate differently, and how much that tells the topics apart. A row of a word in a topic is
// [topic, links, example, p of each translation]; see lexicon_page.py.

const ROW_START = 3; // of the probabilities in a row

function bestOf(row) {
  let best = ROW_START;
  for (let e = ROW_START; e < row.length; e += 1) if (row[e] > row[best]) best = e;
  return best - ROW_START;
}

// Nats that the word's links in two topics gain if each topic has its own p, in place of one p for both: n log(p / mean p)
// summed over both topics and all translations; those that are not in the rows count together.
function natsApart(one, other) {
  const [n, m] = [one[1], other[1]];
  const part = (p, q) => {
    const mean = (n * p + m * q) / (n + m);
    return (p > 0 ? n * p * Math.log(p / mean) : 0) + (q > 0 ? m * q * Math.log(q / mean) : 0);
  };
  let nats = 0, left = 1, right = 1;
  for (let e = ROW_START; e < one.length; e += 1) {
    nats += part(one[e], other[e]);
    left -= one[e];
    right -= other[e];
  }
  return Math.max(nats + part(Math.max(left, 0), Math.max(right, 0)), 0);
}

// The words whose best translations differ, the largest nats first.
function differencesOf(words, first, second) {
  const found = [];
  for (const [word, links, translations, rows] of words) {
    const one = rows.find((row) => row[0] === first), other = rows.find((row) => row[0] === second);
    if (!one || !other || bestOf(one) === bestOf(other)) continue;
    found.push({ word, links, translations, rows: [one, other], nats: natsApart(one, other) });
  }
  return descending(found, (each) => each.nats);
}

// The two topics whose differing words have most nats in all, the one with more links first; null if none differ.
function mostDifferent({ words, topics }) {
  const sums = new Map();
  for (const [, , , rows] of words) {
    for (let i = 0; i < rows.length; i += 1) {
      for (let j = i + 1; j < rows.length; j += 1) {
        if (bestOf(rows[i]) === bestOf(rows[j])) continue;
        const key = rows[i][0] * topics.length + rows[j][0];
        sums.set(key, (sums.get(key) || 0) + natsApart(rows[i], rows[j]));
      }
    }
  }
  if (!sums.size) return null;
  const [best] = descending([...sums], ([, nats]) => nats);
  return descending([Math.floor(best[0] / topics.length), best[0] % topics.length], (k) => topics[k].share);
}
