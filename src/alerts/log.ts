// The log of alerts that begin and end, to be read at night.

import type { Log } from '../lib/log.ts';
import { type Changed, mostSevere, type Teller } from './notice.ts';

/** Lines for one evaluation: of 500 proxies that fail at once nobody reads more. */
const MAX_LINES = 20;

export const logChanged = (log: Log, { fired, resolved }: Changed, teller: Teller): void => {
  const first = [...mostSevere(fired, MAX_LINES), ...mostSevere(resolved, MAX_LINES)].slice(0, MAX_LINES);
  for (const alert of first) {
    const { alert: name, severity, labels, summary, endsAt } = teller(alert);
    const isCalm = endsAt !== null || severity === 'info';
    const write = isCalm ? log.info : log.warn;
    write.call(
      log,
      { alert: name, severity, ...labels },
      `${endsAt === null ? 'alert' : 'alert over'}: ${summary}`,
    );
  }
  const more = fired.length + resolved.length - first.length;
  if (more > 0) log.warn({ firing: fired.length, resolved: resolved.length }, `${more} more alerts`);
};
