
// The page of a grammar.

start(grammarCharts);
