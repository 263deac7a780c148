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
    log[endsAt === null ? levelOf(severity) : 'info'](
      { alert: name, severity, ...labels },
      `alert ${endsAt === null ? 'firing' : 'resolved'}: ${summary}`,
    );
  }
  const more = fired.length + resolved.length - first.length;
  // The list begins with the most severe ones, so what it leaves out is no more severe than its last firing alert.
  const level = fired.length > MAX_LINES ? levelOf(first.at(-1)?.severity ?? '') : 'info';
  if (more > 0)
    log[level](
      { firing: fired.length, resolved: resolved.length },
      `${more} more alerts fire or are resolved`,
    );
};

/** A severity of another version counts as a warning. */
const levelOf = (severity: string): 'error' | 'warn' | 'info' =>
  severity === 'critical' ? 'error' : severity === 'info' ? 'info' : 'warn';
