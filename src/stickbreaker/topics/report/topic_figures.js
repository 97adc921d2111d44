
// The figures of topics.

// Words of several topics, as one grid.
function wordGrid(topics, ks, across) {
  const wide = 300, tall = 210;
  const cells = ks.map((k, i) => node("g", { transform: `translate(${(i % across) * wide} ${Math.floor(i / across) * tall})` },
    node("circle", { cx: 6, cy: 10, r: 5, fill: topics[k].colour }),
    node("text", { class: "subheading", x: 17, y: 14 }, shortened(`${topics[k].id}  ${topics[k].label}`, 13, wide - 40)),
    moved(0, 20, wordBars(topics[k].words.slice(0, 8), topics[k].colour, wide - 20))));
  return node("svg", { class: "bars", ...frame(across * wide, Math.ceil(ks.length / across) * tall) }, cells);
}

function relationFigures({ topics, relations }) {
  if (!relations) return {};
  const side = Math.max(480, 8 * topics.length), { least, most } = matrixCells(relations);
  return {
    tree: figureOf("Topics whose words are alike meet early", topicTree(topics, relations, 640)),
    similarity: figureOf("How alike the topics are, in the order of the tree", matrixChart(topics, relations, side),
      `white: ${percent(least)}, the least alike; darkest: ${percent(most)}, the most`),
  };
}

function growthFigures({ growth, search, topics, curves }) {
  if (!growth) return {};
  const found = growth.learned ? { "number-of-topics": figureOf("Number of topics", growthChart(growth, curves[0], 720, 340)) } : {};
  (search ? searchCurves(search) : []).forEach((curve, i) => {
    found[`search-${i + 1}`] = figureOf("How many topics", searchChart(search, curve, curves[i], 720, 340));
  });
  if (!growth.lines.length) return found;
  const chart = genealogyChart(growth, topics, 900, false), { width, height } = chart.attributes;
  const whole = node("svg", { class: "genealogy", ...frame(width, height + 24) },
    moved(0, 0, genealogyAxis(growth, width)), moved(0, 24, chart));
  const below = "ring: new from a split; arrow: merged into another; №: the number in the run of a topic that is gone";
  return { ...found, genealogy: figureOf("Splits and merges", whole, below) };
}

function figuresOf(data) {
  const { topics, times } = data;
  const largest = descending(topics.map((_, k) => k), (k) => topics[k].share);
  const order = data.relations ? data.relations.order : largest;
  const found = {};
  if (data.positions.length > 1) found.map = figureOf("Topics, near ones alike", topicMap(topics, data.positions, 860, 640).tree);
  if (data.documentPlaces) found["document-map"] = figureOf("Documents, near ones of like mixes of topics", documentMap(data, 860, 640).tree);
  if (topics.length) found.words = figureOf("Words of the topics, the largest first", wordGrid(topics, largest, Math.min(4, topics.length)));
  if (times) {
    found.times = figureOf(`Topics by ${times.field}`, streamChart(topics, times, order, null, 960, 420));
  }
  if (times) {
    const lines = firstLines(topics, times, order);
    found["time-lines"] = figureOf(`The topics that change most, by ${times.field}`, timeLines(topics, times, lines, null, 960, 420));
  }
  return { ...found, ...relationFigures(data), ...growthFigures(data) };
}

section({ figures: figuresOf });
