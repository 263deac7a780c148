// Keeps TLS sessions of targets, so that later probes through the same static proxy need a shorter handshake.

import type { Clock } from '../../lib/clock.ts';
import { HOUR } from '../../lib/time.ts';
import type { TlsSessions } from '../../prober/probe.ts';

/** A session takes some kB of memory. */
const MAX_SESSIONS = 2_000;
/** A new handshake shows the target's certificate at least this often. */
const MAX_AGE_MS = HOUR;

interface Kept {
  readonly session: Buffer;
  readonly expiresAt: number;
}

/**
 * A full cache keeps what it has, and takes no session of another key. Rounds probe in the same order again and again,
 * so a cache that replaces its oldest session would replace each one just before it is needed.
 */
export const createSessions = (clock: Pick<Clock, 'monotonic'>): TlsSessions => {
  const sessions = new Map<string, Kept>();
  return {
    get: (key) => {
      const found = sessions.get(key);
      if (!found) return undefined;
      if (found.expiresAt > clock.monotonic()) return found.session;
      sessions.delete(key);
      return undefined;
    },
    set: (key, session) => {
      const now = clock.monotonic();
      deleteExpired(sessions, now);
      const known = sessions.get(key);
      if (!known && sessions.size >= MAX_SESSIONS) return;
      // A resumed session brings a new ticket, which must not make the handshake older than it is.
      sessions.set(key, { session, expiresAt: known?.expiresAt ?? now + MAX_AGE_MS });
    },
  };
};

/** A map keeps its keys in the order in which they were added, so those that expire first are at its beginning. */
const deleteExpired = (sessions: Map<string, Kept>, now: number): void => {
  for (const [key, { expiresAt }] of sessions) {
    if (expiresAt > now) return;
    sessions.delete(key);
  }
};
