// The log of alerts that begin and end, to be read at night.

import type { Log } from '../lib/log.ts';
import { bySeverity, type Changed, type Teller } from './notice.ts';

/** Lines for one evaluation: of 500 proxies that fail at once nobody reads more. */
const MAX_LINES = 20;

export const logChanged = (log: Log, { fired, resolved }: Changed, teller: Teller): void => {
  const lines = [
    ...bySeverity(fired).map((alert) => ({ alert, write: alert.severity === 'info' ? log.info : log.warn })),
    ...bySeverity(resolved).map((alert) => ({ alert, write: log.info })),
  ];
  for (const { alert, write } of lines.slice(0, MAX_LINES)) {
    const { alert: name, severity, labels, summary, endsAt } = teller(alert);
    write.call(
      log,
      { alert: name, severity, ...labels },
      `${endsAt === null ? 'alert' : 'alert over'}: ${summary}`,
    );
  }
  if (lines.length > MAX_LINES)
    log.warn({ firing: fired.length, resolved: resolved.length }, `${lines.length - MAX_LINES} more alerts`);
};
