// Passes bytes between a client and a target until one of them ends.

import type { Socket } from 'node:net';
import { faultOfKind } from './proxy-faults.ts';
import type { Visit } from './visit.ts';

/** `early` is what the client sent before the connection to the target was open. */
export const relay = (visit: Visit, upstream: Socket, early: Uint8Array): void => {
  const { client, raw } = visit;
  if (faultOfKind(visit.faults(), 'half_open')) {
    upstream.destroy();
    visit.swallow();
    return;
  }
  // A target that resets the connection resets that of the client too, also if it did so before.
  if (upstream.destroyed) raw.resetAndDestroy();
  upstream.on('error', () => raw.resetAndDestroy());
  client.on('error', () => upstream.destroy());
  if (early.length > 0) upstream.write(early);
  client.pipe(upstream);
  upstream.pipe(client);
};
