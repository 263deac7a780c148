// Formats tables of text with aligned columns.

export interface Column {
  readonly header: string;
  readonly isNumeric?: boolean;
}

/** Returns the lines of the table, the headers first. Numbers are aligned to the right. */
export const tableLines = (columns: readonly Column[], rows: readonly (readonly string[])[]): string[] => {
  const widths = columns.map(({ header }, index) =>
    Math.max(header.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const lineOf = (cells: readonly string[]): string =>
    columns
      .map(({ isNumeric = false }, index) => {
        const [cell, width = 0] = [cells[index] ?? '', widths[index]];
        return isNumeric ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [columns.map(({ header }) => header), ...rows].map(lineOf);
};
