
// The topics of a lexicon.

section({ start: ({ data }) => fill("#topic-list-cards", topicCards(data)) });
