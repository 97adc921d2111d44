
// Rows of cells, sorted, searched and turned by page.

function cellOf(at, column, value) {
  const [, kind = "text", digits = 0, of = ""] = column, meter = column[5];
  if (value === null || value === undefined) return ["–"];
  if (kind === "item") return value < 0 ? [] : [itemNode(at, of, value)];
  if (kind === "text") return said(at, value);
  return [kind === "share" ? percent(value) : digits ? value.toFixed(digits).replace("-", "−") : grouped(value)];
}

function sortedRows(at, columns, rows, sort) {
  if (!sort) return rows;
  const [place, down] = sort, [, kind = "text", , of] = columns[place];
  const key = (row) => {
    const value = row[place];
    if (kind === "item") return at.choices[of].labels[value] || "";
    return kind === "text" ? plainText(value, at.choices).toLowerCase() : value === null ? -Infinity : value;
  };
  const compare = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
  return [...rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
}

function columnHead(at, column, place, sort) {
  const [title, kind = "text"] = column, sorts = column[4], numeric = kind === "number" || kind === "share", here = sort && sort[0] === place;
  const turn = () => { at.own.sort = [place, here ? !sort[1] : numeric]; at.own.page = 0; at.redraw("rows"); };
  const wide = column[6] ? { style: `width:${column[6]}%` } : {};
  if (!sorts) return node("th", { scope: "col", class: numeric ? "number" : undefined, ...wide }, node("bdi", {}, title));
  return node("th", { scope: "col", "aria-sort": here ? (sort[1] ? "descending" : "ascending") : "none", class: numeric ? "number" : undefined, ...wide },
    node("button", { type: "button", class: "plain", "data-key": `sort ${place}`, onclick: turn }, title, node("span", { class: "turn", "aria-hidden": "true" }, here ? (sort[1] ? " ↓" : " ↑") : " ↕")));
}

view("Table", (value, at) => {
  const { columns, rows, sort = null, page: size = 0, find = "", missing = "No such row here.", only = -1, stacks, title = "" } = value, { own } = at;
  const texts = find ? rows.map((row) => row.map((cell, i) => ((columns[i][1] || "text") === "text" ? plainText(cell, at.choices) : columns[i][1] === "item" ? at.choices[columns[i][3]].labels[cell] || "" : "")).join(" ").toLowerCase()) : [];
  const most = columns.map((column, i) => (column[5] ? Math.max(...rows.map((row) => row[i] || 0), 1e-9) : 0));
  const cell = (row) => (column, i) => {
    const numeric = ["number", "share"].includes(column[1]), shown = cellOf(at, column, row[i]);
    const meter = column[5] && row[i] !== null ? [meterBar(column[1] === "share" && most[i] > 0.3 ? row[i] : row[i] / most[i])] : [];
    return node(i ? "td" : "th", { scope: i ? undefined : "row", class: numeric ? "number" : undefined, "data-unit": column[7] }, shown, meter);
  };
  const draw = () => {
    const order = own.sort || sort, picked = own.only ? at.chosen(columns[only][3]) : -1;
    const found = rows.filter((row, i) => (!own.query || hasTerms(texts[i], own.query)) && (picked < 0 || row[only] === picked));
    const { shown, pages, range } = pageOf(at, sortedRows(at, columns, found, order), size);
    const table = shown.length ? node("div", { class: size ? "scroll whole" : "scroll", tabindex: 0, role: "region", "aria-label": title || plainText(columns[0][0], at.choices) }, node("table", { class: stacks ? "stacks" : undefined },
      node("thead", {}, node("tr", {}, columns.map((column, i) => columnHead(at, column, i, order)))), node("tbody", {}, shown.map((row) => node("tr", {}, columns.map(cell(row)))))))
      : node("p", { class: "note" }, missing);
    return [find && (size || own.query) ? node("p", { class: "count", role: "status" }, size ? range : `${grouped(found.length)} of ${grouped(rows.length)}`) : null, table, ...pager(at, pages, "rows")];
  };
  const controls = find || only >= 0 ? node("div", { class: "controls" }, find ? findField(at, find, "rows") : null, only >= 0 ? onlyButton(at, columns[only][3], "rows") : null) : null;
  return [controls, at.part("rows", draw)];
});
