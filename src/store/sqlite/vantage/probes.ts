// Implements the store of what probes show beyond their results.

import { BYTE_DIRECTIONS, type ByteDirection, type ProbeBatch, type ProbeStore } from '../../probe-store.ts';
import { createListings } from '../accounts/listings.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { createControls } from './controls.ts';
import { createExits } from './exits.ts';
import { createProbeFailures } from './failures.ts';
import { createPhases } from './phases.ts';
import { createSpending } from './spending.ts';

export const createProbeStore = (db: Database): ProbeStore => {
  // Holds are compared with the time of the results, which are proxy tests: see future-holds.ts.
  const listings = createListings(db, 'proxy_tests');
  const counters = createCounters(db);
  const phases = createPhases(db);
  const failures = createProbeFailures(db);
  const exits = createExits(db);

  const countBytes = (accountId: number, bytes: ProbeBatch['bytes'], heldUntil: number): void => {
    const growth: Record<string, number> = {};
    const grow = (name: string, by: number): void => {
      growth[name] = (growth[name] ?? 0) + by;
    };
    for (const each of bytes)
      for (const direction of BYTE_DIRECTIONS) grow(byteName(each.url, direction), each[direction]);
    counters.grow(bytesOwner(accountId), growth, heldUntil);
  };

  return {
    ...createControls(db),
    ...phases.queries,
    ...failures.queries,
    ...exits.queries,
    ...createSpending(db),
    open: async (account, urls, refusalClasses, now) => {
      const accountId = db.accountId(account);
      const heldUntil = db.read(() => listings.heldUntil(accountId, now));
      const names = urls.flatMap((url) => BYTE_DIRECTIONS.map((direction) => byteName(url, direction)));
      db.write(() => {
        counters.create(bytesOwner(accountId), names, heldUntil);
        counters.create(refusalsOwner(accountId), refusalClasses, heldUntil);
      });
    },
    saveBatch: async (account, batch) => {
      const accountId = db.accountId(account);
      db.write(() => {
        const { now } = batch;
        const heldUntil = listings.heldUntil(accountId, now);
        phases.add(accountId, batch.phases, now, heldUntil);
        countBytes(accountId, batch.bytes, heldUntil);
        counters.grow(refusalsOwner(accountId), Object.fromEntries(batch.refusals), heldUntil);
        failures.add(accountId, batch.failures, now);
        exits.add(accountId, batch.exits, now);
      });
    },
    bytes: async (account, urls) =>
      db.read(() => {
        const owner = bytesOwner(db.knownAccountId(account));
        return new Map(urls.map((url) => [url, bytesOfUrl(counters, owner, url)]));
      }),
    refusals: async (account, classes) =>
      db.read(() => counters.of(refusalsOwner(db.knownAccountId(account)), classes)),
  };
};

const bytesOwner = (accountId: number): string => `proxy_tests/${accountId}/probe_bytes`;
const refusalsOwner = (accountId: number): string => `proxy_tests/${accountId}/probe_refusals`;
const byteName = (url: string, direction: ByteDirection): string => `${direction} ${url}`;

const bytesOfUrl = (counters: ReturnType<typeof createCounters>, owner: string, url: string) => {
  const found = counters.of(
    owner,
    BYTE_DIRECTIONS.map((direction) => byteName(url, direction)),
  );
  const { [byteName(url, 'sent')]: sent, [byteName(url, 'received')]: received } = found;
  return { sent: sent ?? NO_COUNTER, received: received ?? NO_COUNTER };
};

const NO_COUNTER = { net: 0, served: 0, heldUntil: Number.POSITIVE_INFINITY };
