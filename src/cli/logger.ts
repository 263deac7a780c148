// Creates the log: pino on standard error or output, as JSON lines or in a readable format. Logs refused files of secrets.

import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { type RefusedChange, refusedChanges } from '../config/secret-file.ts';
import type { Settings } from '../daemon/settings.ts';
import type { LevelledLog, Log, LogLevel } from '../lib/log.ts';

/** `stream` receives whole lines. */
export const createLog = ({ level, format }: Settings['log'], stream: DestinationStream): LevelledLog => {
  let minimumRank = rankOf(level);
  const options = {
    // pino's children keep the level that they were created with, so all of them accept everything and this hook filters.
    level: 'trace',
    hooks: {
      logMethod(this: Logger, args: Parameters<LogFn>, write: LogFn, value: number) {
        if (value >= minimumRank) write.apply(this, args);
      },
    },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const destination =
    format === 'pretty'
      ? pretty({ destination: stream as never, colorize: false, singleLine: true, sync: true })
      : stream;
  const log = pino(options, destination) as unknown as Log;
  return Object.assign(log, {
    setLevel: (wanted: LogLevel) => {
      minimumRank = rankOf(wanted);
    },
  });
};

const rankOf = (level: LogLevel): number => pino.levels.values[level] ?? 0;

/** Logs each refused change of the file of a secret until the result is disposed of. The former secret stays in use. */
export const logSecretFiles = (log: Log): Disposable => {
  const write = (change: unknown): void => {
    const { file, mistake } = change as RefusedChange;
    log.warn(
      { file },
      `${file}: the changed file of a secret is not valid, so the former secret stays in use: ${mistake}`,
    );
  };
  refusedChanges.subscribe(write);
  return { [Symbol.dispose]: () => void refusedChanges.unsubscribe(write) };
};
