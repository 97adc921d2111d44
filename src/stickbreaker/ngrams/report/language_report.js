
// The page of a language model.

start(languageCharts);
