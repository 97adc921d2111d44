
// Tables: the groups, the topics measured, the vocabulary.

function topicButton(topic, k) {
  return node("button", { type: "button", class: "plain", "data-topic": k }, spot(topic), name(topic));
}

// A column's head: a button that sorts by it. `sort` is { key, down }.
function sortHead(key, said, sort, table, numeric) {
  const here = sort.key === key, turn = here ? (sort.down ? "descending" : "ascending") : "none";
  return node("th", { scope: "col", "aria-sort": turn, class: numeric ? "number" : false },
    node("button", { type: "button", class: "plain", "data-sort": key, "data-table": table },
      said, node("span", { class: "turn", "aria-hidden": "true" }, here ? (sort.down ? " ↓" : " ↑") : " ↕")));
}

function sorted(rows, value, down) {
  const least = (v) => (v === null || v === undefined ? -Infinity : v);
  const compare = (a, b) => {
    const one = value(a), other = value(b);
    if (typeof one === "string") return one < other ? -1 : one > other ? 1 : 0;
    return least(one) - least(other) || 0;
  };
  return [...rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
}

// The table is scrolled with the keyboard too, and so can hold the focus.
function scrollable(label, ...children) {
  return node("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, node("table", {}, ...children));
}

function groupTable(data, group, order) {
  const row = (shares, i) => {
    const mix = order.filter((k) => shares[k] >= 0.004).map((k) => [k, shares[k]]);
    return node("tr", {},
      node("th", { scope: "row" }, node("bdi", {}, group.names[i])),
      node("td", { class: "number" }, grouped(group.documents[i])),
      node("td", { class: "wide" }, mixBar(mix, data.topics)),
      node("td", {}, node("ul", { class: "special" },
        specialTopics(data.topics, shares, 3).map((k) => node("li", {}, topicButton(data.topics[k], k))))));
  };
  return scrollable(`Topics by ${group.field}`,
    node("thead", {}, node("tr", {}, node("th", { scope: "col" }, node("bdi", {}, group.field)),
      node("th", { scope: "col", class: "number" }, "documents"), node("th", { scope: "col" }, "mix of topics"),
      node("th", { scope: "col" }, "topics that set it apart"))),
    node("tbody", {}, group.shares.map(row)));
}

// NPMI goes from -1 to 1; topics of real text are between 0 and 0.5.
function measureTable(data, sort) {
  const { topics, compared } = data;
  const has = { coherence: topics.some((t) => t.coherence !== null), match: topics.some((t) => t.match) };
  const values = {
    label: (k) => topics[k].label.toLowerCase(), share: (k) => topics[k].share,
    coherence: (k) => topics[k].coherence, match: (k) => (topics[k].match ? topics[k].match[1] : null),
  };
  const meter = (value, most) => [
    node("span", { class: "meter", "aria-hidden": "true" },
      node("span", { style: `width:${(100 * clamp(value / most, 0, 1)).toFixed(0)}%` }))];
  const most = Math.max(...topics.map((t) => t.coherence || 0), 0.1);
  const row = (k) => {
    const { share, coherence, match } = topics[k];
    return node("tr", {},
      node("th", { scope: "row" }, topicButton(topics[k], k)),
      node("td", { class: "number" }, percent(share)),
      has.coherence ? node("td", { class: "number" }, coherence === null ? "–" : [coherence.toFixed(3), coherence < 0 ? node("span", { class: "weak", title: "does not hold" }, " ✗") : "", ...meter(coherence, most)]) : null,
      has.match ? node("td", { class: "number" }, match ? [percent(match[1]), ...meter(match[1], 1)] : "–") : null,
      has.match ? node("td", {}, match ? node("bdi", {}, match[0]) : "no partner") : null);
  };
  const head = (key, said, numeric) => sortHead(key, said, sort, "measures", numeric);
  return scrollable("Topics measured",
    node("thead", {}, node("tr", {}, head("label", "topic", false), head("share", "share", true),
      has.coherence ? head("coherence", "coherence", true) : null,
      has.match ? head("match", "likeness", true) : null,
      has.match ? node("th", { scope: "col" }, "partner in ", node("bdi", {}, compared)) : null)),
    node("tbody", {}, sorted(topics.map((_, k) => k), values[sort.key], sort.down).map(row)));
}

function foundWords(words, query, topic, sort) {
  const wanted = query.trim().toLowerCase(), found = [];
  words.word.forEach((word, i) => {
    if ((!wanted || word.toLowerCase().includes(wanted)) && (topic === null || words.topic[i] === topic)) found.push(i);
  });
  const key = sort.key, value = key === "word" ? (i) => words.word[i].toLowerCase() : (i) => words[key][i];
  return sorted(found, value, sort.down);
}

function wordTable(data, rows, sort) {
  const { words, topics } = data, several = words.language.length > 0, counted = !words.share.length;
  const head = (key, said, numeric) => sortHead(key, said, sort, "words", numeric);
  const row = (i) => {
    const k = words.topic[i];
    return node("tr", {},
      node("th", { scope: "row" }, node("bdi", {}, words.word[i])),
      several ? node("td", {}, words.language[i]) : null,
      counted ? node("td", { class: "number" }, grouped(words.tokens[i])) : null,
      node("td", { class: "number" }, counted ? grouped(words.documents[i]) : `${(100 * words.share[i]).toPrecision(2)} %`),
      node("td", {}, topics[k] ? topicButton(topics[k], k) : ""));
  };
  return scrollable("Words of the vocabulary",
    node("thead", {}, node("tr", {}, head("word", "word", false), several ? head("language", "language", false) : null,
      counted ? head("tokens", "times used", true) : null,
      counted ? head("documents", "documents with it", true) : head("share", "share of all words", true),
      node("th", { scope: "col" }, "topic it mostly belongs to"))),
    node("tbody", {}, rows.map(row)));
}
