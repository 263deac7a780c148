// The log: pino on standard error or output, as JSON lines or readable.

import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from '../daemon/settings.ts';
import type { LevelledLog, Log, LogLevel } from '../lib/log.ts';

/** `stream` takes whole lines. */
export const createLog = ({ level, format }: Settings['log'], stream: DestinationStream): LevelledLog => {
  let least = rankOf(level);
  const options = {
    // pino's children keep the level that they were made with: so all of them take everything, and it is sifted here.
    level: 'trace',
    hooks: {
      logMethod(this: Logger, args: Parameters<LogFn>, write: LogFn, value: number) {
        if (value >= least) write.apply(this, args);
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
      least = rankOf(wanted);
    },
  });
};

const rankOf = (level: LogLevel): number => pino.levels.values[level] ?? 0;
