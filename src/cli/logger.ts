// The log: pino on standard error or output, as JSON lines or readable.

import { type DestinationStream, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '../lib/log.ts';
import type { Settings } from '../settings.ts';

/** `stream` takes whole lines. */
export const createLog = ({ level, format }: Settings['log'], stream: DestinationStream): Log => {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const destination =
    format === 'pretty'
      ? pretty({ destination: stream as never, colorize: false, singleLine: true, sync: true })
      : stream;
  return pino(options, destination) as Log;
};
