// Formats amounts with their units, times, and tables of text with aligned columns.

const GB = 1e9;
const MB = 1e6;
const NEGLIGIBLE_SHARE = 0.0001;

/** Formats bytes in decimal units, as providers bill and Grafana shows them: `12.3 MB`, `4.56 GB`. */
export const formatBytes = (bytes: number): string =>
  Math.abs(bytes) >= GB ? `${formatDecimal(bytes / GB, 2)} GB` : `${formatDecimal(bytes / MB, 1)} MB`;

/** Formats whole numbers with commas: `1,234,567`. */
export const formatCount = (count: number): string => Math.round(count).toLocaleString('en');

/** Never returns -0. */
export const formatDecimal = (value: number, decimals: number): string =>
  value
    .toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    .replace(/^-(?=[0.,]*$)/, '');

/** Formats a share with two significant places: `4.4%`, `12%`. Less than 0.01% is 0%. */
export const formatPercent = (share: number): string => {
  if (Math.abs(share) < NEGLIGIBLE_SHARE) return '0%';
  const percent = 100 * share;
  return `${Math.abs(percent) < 100 ? percent.toPrecision(2) : Math.round(percent)}%`;
};

/** Returns the count and the noun, in the plural unless the count is 1. */
export const countOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Leaves out the fraction of a second of a time in UTC. */
export const shownTime = (at: string): string => at.replace(/\.\d+Z$/, 'Z');

export interface Column {
  readonly header: string;
  readonly isNumeric?: boolean;
}

/** The columns of a table by their headers. */
export const text = (header: string): Column => ({ header });
export const number = (header: string): Column => ({ header, isNumeric: true });

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
