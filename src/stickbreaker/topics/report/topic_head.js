
// The head of the chosen topic: its numbers, name and size; and the field in which the reader names it. Topics of one name
// are one to the reader: the next report shows them so. A topic is [share, first words, given name, guided name, members].

const LONGEST_NAME = 100; // characters

// A name as the model keeps it: nothing that cannot be seen, and one blank between words.
function plainName(text) {
  const seen = text.normalize("NFC").replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ").replace(/(?![\u200c\u200d])[\p{Cf}\p{Cs}]/gu, "");
  return [...seen.trim().replace(/\s+/g, " ")].slice(0, LONGEST_NAME).join("").trim();
}

function listed(parts) {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;
}

// The numbers of the learned topics that a topic of the page is made of.
function memberNumbers(members, key) {
  return members.length ? members.map(([number]) => number).sort((a, b) => a - b) : [key];
}

// A sentence on the next report, if its topics will differ: those with one name are joined, others separated.
function outlook(topics, names, k) {
  const [, , , , own] = topics[k], alike = topics.filter(([, , , , members], j) => members.length && names[k] && names[j] === names[k]);
  if (alike.length > 1) {
    const numbers = alike.flatMap(([, , , , members]) => memberNumbers(members)).sort((a, b) => a - b);
    return `Topics ${listed(numbers)} have this name: they will be one in the next report.`;
  }
  return own.length > 1 && !names[k] ? `Without a name, topics ${listed(memberNumbers(own))} will be apart in the next report.` : "";
}

// The file that `stickbreaker name` reads: of each topic what lasts of it, and its name.
function namesFile(topics, given) {
  const rows = topics.flatMap(([, , , , members], k) => members.map(([number, id, words]) => ({ id, number, words, name: given[k] || null })));
  const lines = rows.sort((a, b) => a.id - b.id).map((row) => `  ${JSON.stringify(row)}`);
  return `{"format": "stickbreaker names of topics", "version": 1, "topics": [\n${lines.join(",\n")}\n]}\n`;
}

function namingField(at, topics, k, { of }) {
  const given = at.own.given = at.own.given || topics.map(([, , name]) => name), names = topics.map(([, , , guided], j) => given[j] || guided), [, , , guided] = topics[k];
  const give = (text) => {
    const name = plainName(text);
    if (name === given[k]) return at.redraw();
    given[k] = name;
    return at.relabel(of, topics.map(([, words, , guide], j) => (topics[j][4].length ? given[j] || guide || words : at.choices[of].labels[j])));
  };
  const typed = (event) => event.target.closest(".naming").querySelector("input").value;
  const onkeydown = (event) => {
    if (event.key === "Enter" && !event.isComposing) give(event.target.value);
    if (event.key === "Escape") event.target.value = given[k];
  };
  const changed = topics.some(([, , name], j) => name !== given[j]), href = `data:application/json;charset=utf-8,${encodeURIComponent(namesFile(topics, given))}`;
  const file = changed ? [node("a", { class: "chip", download: "names.json", href }, "Download names"), node("p", { class: "small" }, "This page forgets names when it is closed. To keep them, download them and bring the file into the model: ",
    node("code", {}, "stickbreaker name MODEL names.json"), ". Topics that get the same name become one in the next report.")] : [];
  return node("div", { class: "naming" }, node("label", { for: "topic-name" }, "Name this topic"), node("div", { class: "field" },
    node("input", { id: "topic-name", type: "text", list: "topic-names", maxlength: LONGEST_NAME, dir: "auto", autocomplete: "off", spellcheck: "false", value: given[k], placeholder: guided || "in your words", "data-key": "name", "aria-describedby": "naming-outlook", onkeydown,
      onchange: (event) => give(event.target.value), oninput: (event) => { if (!event.inputType || event.inputType === "insertReplacementText") give(event.target.value); } }),
    node("button", { type: "button", class: "chip", "data-key": "give", onclick: (event) => give(typed(event)) }, "Name it")),
  node("datalist", { id: "topic-names" }, [...new Set(names.filter(Boolean))].sort().map((value) => node("option", { value }))), node("p", { id: "naming-outlook", class: "small", role: "status" }, outlook(topics, names, k)), file);
}

view("TopicHead", (value, at) => {
  const { of, topics, used } = value, k = Math.max(at.chosen(of), 0), { order, labels, keys } = at.choices[of], [share, words, , guided, members] = topics[k], rank = order.indexOf(k) + 1, numbers = memberNumbers(members, keys[k]);
  const given = at.own.given ? at.own.given[k] : topics[k][2], place = rank === 1 ? "The largest" : rank === used ? "The smallest" : `Number ${rank} by size`;
  const step = (by, said) => node("button", { type: "button", "aria-label": `${said} topic`, "data-key": `step ${by}`, onclick: () => at.choose(of, order[clamp(rank - 1 + by, 0, order.length - 1)]) }, by < 0 ? "←" : "→");
  const size = rank > used ? `Next to no words of the collection belong to it, so it is not one of the ${used} that were found.` : `${used > 1 ? `${place} of ${used}: ` : ""}${percent(share)} of all words in the collection belong to it.`;
  return node("div", { class: "topic-head" },
    node("div", { class: "over" }, node("span", {}, `Topic${numbers.length === 1 ? "" : "s"} ${listed(numbers)}`), order.length > 1 ? node("span", { class: "steps" }, step(-1, "Previous"), step(1, "Next")) : null),
    node("h3", {}, spot(colourOf(at.choices[of], k)), node("bdi", { class: "name" }, labels[k])),
    node("p", { class: "small" }, size, members.length > 1 ? ` ${members.length} topics in one: ${listed(numbers)}.` : "", given || guided ? [" It was given its name; its words: ", node("bdi", {}, `${words}.`)] : null),
    members.length ? namingField(at, topics, k, value) : null);
});
