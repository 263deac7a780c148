// Parses CSV as RFC 4180 defines it, and removes the apostrophe that protects texts from spreadsheets.

/** Returns the rows with their cells. */
export const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [];
  let row: string[] = [];
  const cells = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy;
  for (let found = cells.exec(text); found; found = cells.exec(text)) {
    const [, cell = '', end] = found;
    const value = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
    row.push(value.startsWith("'") ? value.slice(1) : value);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  if (rows.map((each) => each.length).some((length) => length !== rows[0]?.length))
    throw new Error(`not CSV: ${text}`);
  return rows;
};
