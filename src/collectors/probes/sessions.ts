// Keeps TLS sessions of targets, so that later probes through the same static proxy need a shorter handshake.

import type { Clock } from '../../lib/clock.ts';
import { HOUR } from '../../lib/time.ts';
import type { TlsSessions } from '../../prober/probe.ts';

/** A session takes some kB of memory. */
const MAX_SESSIONS = 2_000;
/** A new handshake shows the target's certificate at least this often. */
const MAX_AGE_MS = HOUR;

export const createSessions = (clock: Pick<Clock, 'monotonic'>): TlsSessions => {
  const sessions = new Map<string, { readonly session: Buffer; readonly expiresAt: number }>();
  return {
    get: (key) => {
      const found = sessions.get(key);
      if (!found) return undefined;
      if (found.expiresAt > clock.monotonic()) return found.session;
      sessions.delete(key);
      return undefined;
    },
    set: (key, session) => {
      // A resumed session brings a new ticket, which must not make the handshake older than it is.
      const expiresAt = sessions.get(key)?.expiresAt ?? clock.monotonic() + MAX_AGE_MS;
      if (!sessions.has(key) && sessions.size >= MAX_SESSIONS) deleteOldest(sessions);
      sessions.set(key, { session, expiresAt });
    },
  };
};

/** A map keeps its keys in the order in which they were added, which is that of the first handshakes. */
const deleteOldest = (sessions: Map<string, unknown>): void => {
  for (const oldest of sessions.keys()) {
    sessions.delete(oldest);
    return;
  }
};
