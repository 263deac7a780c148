// The part of a pino logger that the house uses; anything with these methods will do.

type Write = (fields: Record<string, unknown>, message: string) => void;

export interface Log {
  trace: Write;
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  child(fields: Record<string, unknown>): Log;
}

export const silentLog: Log = {
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};
