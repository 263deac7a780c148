// Formats amounts of bytes: by themselves, and together with a limit of the configuration.

type Unit = readonly [name: string, bytes: number];

const BYTES: Unit = ['bytes', 1];
const DECIMAL: readonly Unit[] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
];
const UNITS: readonly Unit[] = [
  ...([
    ['GB', 1e9],
    ['GiB', 2 ** 30],
    ['MB', 1e6],
    ['MiB', 2 ** 20],
    ['kB', 1e3],
    ['KiB', 2 ** 10],
  ] as const),
];

export const sizeText = (bytes: number): string =>
  inUnit(bytes, DECIMAL.find(([, size]) => bytes >= size) ?? BYTES);

/** Formats `bytes` in the unit in which an operator writes `limit`, so that both can be compared. */
export const sizeTextLike = (limit: number, bytes: number): string =>
  inUnit(bytes, UNITS.find(([, size]) => limit >= size && limit % size === 0) ?? BYTES);

const inUnit = (bytes: number, [name, size]: Unit): string =>
  `${(bytes / size).toLocaleString('en', { maximumFractionDigits: 1 })} ${name}`;
