// Counters of the provider's data: what must never fall, whatever happens to the daemon.

/** Series that fell or went from one scrape to the next. */
export const fallenCounters = (
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): string[] =>
  [...before]
    .filter(([series, value]) => isProviderCounter(series) && (after.get(series) ?? -1) < value)
    .map(([series]) => series);

/** The daemon's own counters start with it. */
const isProviderCounter = (series: string): boolean =>
  /^proxywatch_\w+_total\{/.test(series) && !/^proxywatch_(api|collector|store|items)_/.test(series);
