// Logs the alerts that began to fire or ended.

import type { Log } from '../lib/log.ts';
import { type AlertDescriber, type AlertTransitions, mostSevere } from './notification.ts';

/** The most lines for one evaluation, so that 500 proxies that fail together do not flood the log. */
const MAX_LINES = 20;

export const logTransitions = (
  log: Log,
  { fired, resolved }: AlertTransitions,
  describe: AlertDescriber,
): void => {
  const first = [...mostSevere(fired, MAX_LINES), ...mostSevere(resolved, MAX_LINES)].slice(0, MAX_LINES);
  for (const alert of first) {
    const { alert: name, severity, labels, summary, endsAt } = describe(alert);
    const isInformational = endsAt !== null || severity === 'info';
    const write = isInformational ? log.info : log.warn;
    write.call(
      log,
      { alert: name, severity, ...labels },
      `alert ${endsAt === null ? 'firing' : 'resolved'}: ${summary}`,
    );
  }
  const more = fired.length + resolved.length - first.length;
  if (more > 0)
    log.warn({ firing: fired.length, resolved: resolved.length }, `${more} more alerts fire or are resolved`);
};
