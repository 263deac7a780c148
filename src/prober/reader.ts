// Defines how an answer is read from a connection.

/** An answer, and the bytes that follow it. */
export interface Complete<T> {
  readonly value: T;
  readonly rest: Buffer;
}

/** Reads one answer, chunk by chunk. Both methods throw a ProbeError if the answer is not of the protocol. */
export interface Reader<T> {
  /** Returns null while the answer goes on. */
  take(chunk: Buffer): Complete<T> | null;
  /** Called when the other side has closed. Returns null if the answer is not complete. */
  close(): Complete<T> | null;
}

export const NO_BYTES = Buffer.alloc(0);

/** Returns a complete answer with the bytes that follow it. */
export const complete = <T>(value: T, rest: Buffer = NO_BYTES): Complete<T> => ({ value, rest });
