// Formats amounts for people, with their units.

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
