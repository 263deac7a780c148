// Passes the bytes of a raw socket on to TLS through this process, so that each read can be compared with a limit.

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * By itself, TLS reads from the system up to 1.3 MB in one turn of the event loop, and runs no code of the probe
 * meanwhile. Errors are left to the listeners of the raw socket.
 */
export const passOn = (raw: Socket, onRead: () => void): Duplex => {
  const stream = new Duplex({
    read: () => void raw.resume(),
    write: (bytes: Buffer, _encoding, done) => void raw.write(bytes, () => done()),
    final: (done) => void raw.end(() => done()),
    destroy: (_error, done) => {
      raw.destroy();
      done(null);
    },
  });
  raw.on('data', (bytes) => {
    onRead();
    if (!stream.destroyed && !stream.push(bytes)) raw.pause();
  });
  raw.on('end', () => stream.push(null));
  return stream;
};
