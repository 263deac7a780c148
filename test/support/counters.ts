// Checks that counters of the provider's data never decrease, whatever happens to the daemon.

/** Returns the series that decreased or disappeared between two scrapes. */
export const decreasedCounters = (
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): string[] =>
  [...before]
    .filter(([series, value]) => isProviderCounter(series) && (after.get(series) ?? -1) < value)
    .map(([series]) => series);

/** The daemon's own counters restart from 0 with the daemon, so they are excluded. */
const isProviderCounter = (series: string): boolean =>
  /^proxywatch_\w+_total\{/.test(series) && !/^proxywatch_(api|collector|store|items)_/.test(series);
