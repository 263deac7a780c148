// Provides a log that keeps its lines for a test.

import type { Log } from '../../src/lib/log.ts';

export interface LogLine {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns a log that adds its lines, and those of its children, to `lines`. */
export const recordingLog = (lines: LogLine[], more: LogLine['fields'] = {}): Log => {
  const write =
    (level: LogLine['level']) =>
    (fields: LogLine['fields'], message: string): void =>
      void lines.push({ level, message, fields: { ...more, ...fields } });
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => recordingLog(lines, { ...more, ...fields }),
  };
};
