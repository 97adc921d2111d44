// Order of search results: how-to pages, tutorials and the glossary first, decisions last.
var Scorer = {
  score: ([docname, title, anchor, descr, score, filename]) => {
    if (/^(howto|tutorials)\/|\/glossary$/.test(docname)) return score + 6;
    if (docname.startsWith("decisions/")) return score - 100;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
