// Counts requests and errors by product type, and the seconds that were not counted.

import { SECOND } from '../../../lib/time.ts';
import type { RequestCounter, WindowResult } from '../../request-log-store.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';

interface StoredCounter {
  readonly owner: string;
  readonly name: string;
  readonly net: number;
  readonly served: number;
  readonly heldUntil: number;
}

const REQUESTS = 'requests';
const UNCOUNTED = 'uncounted_seconds';
/** A product type with more codes counts further ones as `other`. */
const MAX_CODES = 100;
const OTHER_CODES = 'other';

export const createRequestCounters = (db: Database) => {
  const counters = createCounters(db);
  const stored = db.sql.prepare<[string, string], StoredCounter>(
    `SELECT owner, name, net, served, held_until AS heldUntil FROM counter WHERE owner >= ? AND owner < ?
     ORDER BY owner, name`,
  );
  const names = db.prepareValue<[string], string>('SELECT name FROM counter WHERE owner = ?');

  /** Returns the names of counters with what they grow by. */
  const growthOf = (owner: string, { requests, errors }: Count): Record<string, number> => {
    const growth: Record<string, number> = { [REQUESTS]: requests };
    const known = new Set(names.all(owner));
    for (const { class: refusal, code, errors: rows } of errors) {
      const own = `${refusal} ${code}`;
      const name = known.has(own) || known.size < MAX_CODES ? own : `${refusal} ${OTHER_CODES}`;
      known.add(name);
      growth[name] = (growth[name] ?? 0) + rows;
    }
    return growth;
  };

  return {
    open: (accountId: number, heldUntil: number): void =>
      counters.create(ownerOf(accountId, ''), [UNCOUNTED], heldUntil),
    /** Inside a transaction. */
    grow: (accountId: number, { from, to, counts }: WindowResult, heldUntil: number): void => {
      if (counts === null)
        counters.grow(ownerOf(accountId, ''), { [UNCOUNTED]: (to - from) / SECOND }, heldUntil);
      for (const count of counts ?? []) {
        const owner = ownerOf(accountId, count.productType);
        counters.grow(owner, growthOf(owner, count), heldUntil);
      }
    },
    all: (accountId: number): RequestCounter[] => {
      const prefix = ownerOf(accountId, '');
      return stored.all(prefix, `${prefix}~`).map(({ owner, name, ...counter }) => {
        const [, refusal = '', code = ''] = /^(.+) (.+)$/.exec(name) ?? [];
        return { productType: owner.slice(prefix.length), class: refusal, code, counter };
      });
    },
  };
};

type Count = NonNullable<WindowResult['counts']>[number];

const ownerOf = (accountId: number, productType: string): string => `request_log/${accountId}/${productType}`;
