
// Pieces of the page, as trees: like the charts, pure functions of the data.

function spot(topic) {
  return node("span", { class: "spot", style: `background:${topic.colour}` });
}

function name(topic) {
  return node("bdi", { class: "name" }, topic.label);
}

function listRow(topic, k, most) {
  const wide = Math.max((100 * topic.share) / most, 0.5).toFixed(1);
  return node("li", {}, node("button", { type: "button", "data-topic": k, tabindex: -1, "aria-pressed": "false" },
    spot(topic), name(topic), node("span", { class: "share" }, percent(topic.share)),
    node("span", { class: "bar", style: `background:${topic.colour};width:${wide}%` })));
}

// Said in place of a list of topics: none has a word among those that it is shown with.
function noTopicHas({ sections, topics }, query) {
  const table = sections.flat().find(({ find }) => find), words = table ? table.rows : [], wanted = query.toLowerCase();
  const row = words.find(([word]) => word.toLowerCase() === wanted), k = row && row[row.length - 1];
  const said = ["No topic has ", node("bdi", {}, `“${query}”`), " among its leading words. "];
  if (topics[k]) return [...said, "The model knows it, mostly in the topic ", topicButton(topics[k], k)];
  return words.length ? [...said, "Nor is it one of the words listed under ", node("a", { href: "#vocabulary" }, "Words"), "."] : said;
}

function topicHead(topic, rank, n) {
  const place = rank === 1 ? "The largest" : rank === n ? "The smallest" : `Number ${rank} by size`;
  const steps = node("span", { class: "steps" },
    node("button", { type: "button", "data-step": -1, "aria-label": "Previous topic" }, "←"),
    node("button", { type: "button", "data-step": 1, "aria-label": "Next topic" }, "→"));
  const words = topic.words.slice(0, 3).map((w) => w[0]).join(", ");
  const size = topic.unused ? [`Next to no words of the collection belong to it, so it is not one of the ${n} that were found.`]
    : [n > 1 ? `${place} of ${n}: ` : "", `${percent(topic.share)} of all words in the collection belong to it.`];
  return [
    node("div", { class: "over" }, node("span", {}, topicNumbers(topic)), n > 1 ? steps : null),
    node("h3", { tabindex: -1 }, spot(topic), name(topic)),
    node("p", { class: "small" }, size,
      topic.members.length > 1 ? ` ${topic.members.length} topics in one: ${listed(memberNumbers(topic))}.` : "",
      topic.named ? " It was given its name; its words: " : "", topic.named ? node("bdi", {}, `${words}.`) : ""),
  ];
}

function nearTopics(topic, topics) {
  const chip = (k) => node("button", { type: "button", class: "chip", "data-topic": k }, spot(topics[k]), name(topics[k]));
  const said = node("p", { class: "small" }, "Topics that share most words with it:");
  return topic.similar.length ? [said, ...topic.similar.slice(0, 4).map(chip)] : [];
}

// Where no word's topic is known, the words that lead a topic are marked.
function leadingText(text, words) {
  const pieces = [];
  let plain = "";
  for (const piece of text.split(/([\p{L}\p{N}][\p{L}\p{M}\p{N}_'’-]*)/u)) {
    if (words.has(piece.toLowerCase())) {
      pieces.push(plain, node("mark", { class: "own" }, piece));
      plain = "";
    } else plain += piece;
  }
  return [...pieces, plain];
}

// Every marked word in the colour of its topic. Positions count characters, not UTF-16 units.
function colouredText(text, marks, topics, chosen) {
  const letters = [...text], pieces = [];
  let at = 0;
  for (let i = 0; i + 6 <= marks.length; i += 6) {
    const [gap, length, k] = [0, 2, 4].map((j) => parseInt(marks.slice(i + j, i + j + 2), 36));
    const start = at + gap, said = k === chosen ? { class: "own" } : {};
    pieces.push(letters.slice(at, start).join(""), node("mark",
      { ...said, style: `--topic:${topics[k].colour}`, "data-topic": k, title: topics[k].label },
      letters.slice(start, start + length).join("")));
    at = start + length;
  }
  return [...pieces, letters.slice(at).join("")];
}

// `about` is the topic whose share stands beside the bar; without it, the leading one's.
function documentEntry(index, data, chosen, open, about) {
  const entry = data.documents[index];
  const [k, share] = entry.mix.find((part) => part[0] === about) || entry.mix[0] || [];
  const caption = share === undefined ? ["no topic stands out"] : [`${percent(share)} `, name(data.topics[k])];
  return node("details", { class: "document", "data-document": index, open },
    node("summary", {},
      node("span", { class: "what" },
        node("bdi", { class: "title" }, entry.title || entry.id),
        node("span", { class: "excerpt", dir: "auto" }, entry.text.slice(0, 180))),
      node("span", { class: "mixture" }, mixBar(entry.mix, data.topics), node("span", { class: "small" }, caption))),
    open ? documentBody(entry, data, chosen) : null);
}

function documentBody(entry, data, chosen) {
  const topic = data.topics[chosen] || { words: [], colour: "#777777" };
  const words = new Set(topic.words.slice(0, 20).map((w) => w[0].toLowerCase()));
  const text = entry.marks ? colouredText(entry.text, entry.marks, data.topics, chosen) : leadingText(entry.text, words);
  return node("div", { class: "body", style: `--topic:${topic.colour}` },
    node("p", { class: "text", dir: "auto" }, text),
    node("div", { class: "aside" }, documentParts(entry, data.topics), documentFacts(entry)));
}

function documentParts(entry, topics) {
  return node("ul", { class: "parts" }, entry.mix.map(([k, share]) => node("li", {}, spot(topics[k]),
    node("a", { href: `#topic-${topics[k].id}` }, name(topics[k])),
    node("span", { class: "share" }, percent(share)))));
}

function documentFacts(entry) {
  const facts = [["words", grouped(entry.tokens)], ["id", entry.id], ...entry.metadata];
  return node("dl", {}, facts.map(([label, value]) => node("div", {},
    node("dt", {}, node("bdi", {}, label)), node("dd", {}, node("bdi", {}, value)))));
}

function pager(page, pages, what) {
  if (pages < 2) return [];
  return [
    node("button", { type: "button", "data-page": -1, "data-what": what, disabled: page === 0 }, "← Previous"),
    node("span", {}, `Page ${page + 1} of ${pages}`),
    node("button", { type: "button", "data-page": 1, "data-what": what, disabled: page === pages - 1 }, "Next →"),
  ];
}

// Languages side by side: a column of words each.

function languageColumns(topic) {
  const column = ([code, words]) => {
    const most = Math.max(...words.map((w) => w[1]), 1e-9);
    return node("div", { class: "language" },
      node("h4", {}, node("bdi", {}, code)),
      node("ol", code === "concepts" ? {} : { lang: code }, words.map(([word, p]) => node("li", {},
        node("bdi", {}, word), node("span", { class: "share" }, percent(p)),
        node("span", { class: "bar", style: `background:${topic.colour};width:${((100 * p) / most).toFixed(1)}%` })))));
  };
  return topic.sides.map(column);
}
