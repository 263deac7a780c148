// Declares what proxywatch uses of snappyjs, which has no types of its own.

declare module 'snappyjs' {
  /** Compresses to the block format. Returns the same type as the input has. */
  function compress(bytes: Buffer): Buffer;
}
