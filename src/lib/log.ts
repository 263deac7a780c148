// Defines the part of a pino logger that proxywatch uses. Any object with these methods will do.

type Write = (fields: Record<string, unknown>, message: string) => void;

export interface Log {
  trace: Write;
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  child(fields: Record<string, unknown>): Log;
}

/** A log whose level can be changed. The change also applies to its children. */
export interface LevelledLog extends Log {
  setLevel(level: LogLevel): void;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export const silentLog: Log = {
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};
