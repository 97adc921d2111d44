
// What the reader calls topics. Topics of one name are one to the reader: the next report shows them so.

const LONGEST_NAME = 100; // characters

// A name as the model keeps it: nothing that cannot be seen, and one blank between words.
function plainName(text) {
  const seen = text.normalize("NFC").replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ").replace(/(?![\u200c\u200d])[\p{Cf}\p{Cs}]/gu, "");
  return [...seen.trim().replace(/\s+/g, " ")].slice(0, LONGEST_NAME).join("").trim();
}

function givenName(topic) {
  return topic.given || topic.guided;
}

// A topic under another name; "" is none, and then it goes by the guide's or its words.
function renamed(topic, name) {
  const guided = topic.guided, words = topic.words.slice(0, 3).map((w) => w[0]).join(", ");
  return { ...topic, given: name, named: Boolean(name || guided), label: name || guided || words };
}

// All names that topics have, to choose from.
function allNames(topics) {
  return [...new Set(topics.map(givenName).filter(Boolean))].sort();
}

function listed(parts) {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;
}

// The numbers of the learned topics that a topic of the page is made of.
function memberNumbers(topic) {
  return topic.members.length ? topic.members.map((member) => member[0]).sort((a, b) => a - b) : [topic.id];
}

function topicNumbers(topic) {
  const numbers = memberNumbers(topic);
  return `Topic${numbers.length === 1 ? "" : "s"} ${listed(numbers)}`;
}

// What becomes of a topic of the page in the next report: one with others of its name, or parted.
function outlook(topic, topics) {
  const name = givenName(topic), alike = topics.filter((other) => other.members.length && name && givenName(other) === name);
  if (alike.length > 1) {
    const numbers = alike.flatMap(memberNumbers).sort((a, b) => a - b);
    return `Topics ${listed(numbers)} have this name: they will be one in the next report.`;
  }
  if (topic.members.length > 1 && !name) return `Without a name, topics ${listed(memberNumbers(topic))} will be apart in the next report.`;
  return "";
}

// The file that `stickbreaker name` reads: of each topic what lasts of it, and its name.
function namesFile(topics) {
  const rows = topics.flatMap((topic) => topic.members.map(([number, id, words]) => ({ id, number, words, name: topic.given || null })));
  const lines = rows.sort((a, b) => a.id - b.id).map((row) => `  ${JSON.stringify(row)}`);
  return `{"format": "stickbreaker names of topics", "version": 1, "topics": [\n${lines.join(",\n")}\n]}\n`;
}
