
// Numbers by the length of context.

// Each chart by length: its name, what it means, and how it is drawn at a width and a height.
function lengthCharts({ lengths, discounts, concentrations, stopping, colours }) {
  const drawn = (file, name, said, chart, spreads, options) => ({
    file, name, said, draw: (width, height) => chart(lengths, spreads, { name, width, height, ...options }),
  });
  const found = [
    drawn("discounts", "Discounts", "what each table takes off the count of its word", spreadChart, discounts, { colour: colours.discounts, most: 1 }),
    drawn("concentrations", "Concentrations", "added to the count of every context", spreadChart, concentrations, { colour: colours.concentrations })];
  if (stopping.length) {
    found.push(drawn("context-lengths", "Words that stop at each length", "words of the text, the mean over the samples", stopChart, stopping, { colour: colours.stopping }));
  }
  return lengths.length ? found : [];
}

section({ charts: (data) => ({ "#length-charts": lengthCharts(data) }) });
