// Counts requests and errors by product type, and adds up errors: counted by class and code, estimated by user and host.

import { SECOND } from '../../../lib/time.ts';
import type {
  ErrorKey,
  ErrorQuery,
  ErrorSum,
  ErrorSums,
  RequestCounter,
  WindowResult,
} from '../../request-log-store.ts';
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

const IN_RANGE = 'account_id = @accountId AND hour >= @from AND hour < @to';
const OF_CLASS = "(class = @class OR (@class IS NULL AND class <> ''))";

// sum() leaves out nulls, but a sum with an unknown part is unknown.
const whole = (column: string): string => `iif(count(${column}) = count(*), sum(${column}), NULL)`;
const SAMPLED = `sum(errors) AS errors, ${whole('errors_variance')} AS errorsVariance, ${whole('bytes')} AS bytes
  FROM request_log_sample WHERE ${IN_RANGE} AND ${OF_CLASS}`;
const COUNTED = `sum(amount) AS errors, 0 AS errorsVariance, NULL AS bytes
  FROM request_log_count WHERE ${IN_RANGE} AND`;

const QUERIES: Readonly<Record<ErrorKey, string>> = {
  class: `SELECT class AS name, class, ${COUNTED} ${OF_CLASS} GROUP BY class`,
  code: `SELECT code AS name, class, ${COUNTED} ${OF_CLASS} GROUP BY class, code`,
  product_type: `SELECT product_type AS name, NULL AS class, ${COUNTED} ${OF_CLASS} GROUP BY product_type`,
  user: `SELECT iif(is_other, NULL, name) AS name, NULL AS class, ${SAMPLED} AND kind = 'user' GROUP BY is_other, name`,
  hostname: `SELECT iif(is_other, NULL, name) AS name, NULL AS class, ${SAMPLED} AND kind = 'hostname' GROUP BY is_other, name`,
};

interface Parameters {
  readonly accountId: number;
  readonly from: number;
  readonly to: number;
  readonly class: string | null;
}
type Totals = Pick<ErrorSums, 'requests' | 'errors' | 'countedMs'>;

export const createErrorSums = ({ sql, readOf }: Database) => {
  const prepare = (query: string) => sql.prepare<Parameters, ErrorSum>(query);
  const queries = Object.fromEntries(
    Object.entries(QUERIES).map(([by, query]) => [by, prepare(query)]),
  ) as Record<ErrorKey, ReturnType<typeof prepare>>;
  const byClass = prepare(`SELECT NULL AS name, class, ${SAMPLED} AND kind = 'class' GROUP BY class`);
  const totals = sql.prepare<Parameters, Totals>(
    `SELECT coalesce(sum(amount) FILTER (WHERE product_type = ''), 0) AS countedMs,
       coalesce(sum(amount) FILTER (WHERE product_type <> '' AND class = ''), 0) AS requests,
       coalesce(sum(amount) FILTER (WHERE ${OF_CLASS}), 0) AS errors
     FROM request_log_count WHERE ${IN_RANGE}`,
  );

  return readOf((accountId, { by, limit, ...query }: ErrorQuery): ErrorSums => {
    const range = { accountId, from: query.from, to: query.to, class: query.class ?? null };
    const sampled = byClass.all(range);
    const counts = totals.get(range) as Totals;
    const sampledErrors = totalOf(sampled, 'errors') ?? 0;
    // Samples of a class alone only estimate its errors.
    const all = { ...range, class: null };
    const isWhole = (totalOf(byClass.all(all), 'errors') ?? 0) > (totals.get(all) as Totals).errors - 0.5;
    const found = queries[by].all(range).sort((a, b) => b.errors - a.errors);
    const sums = found.map((sum) => withBytes(sum, by, isWhole ? sampled : []));
    return {
      ...{ sums: sums.slice(0, limit), others: Math.max(0, sums.length - limit) },
      ...counts,
      sampledErrors,
      bytes: isWhole ? totalOf(sampled, 'bytes') : null,
    };
  });
};

/** Without `sampled`, the samples do not stand for all errors: bytes of a class, and how exact other sums are, is not known. */
const withBytes = (sum: ErrorSum, by: ErrorKey, sampled: readonly ErrorSum[]): ErrorSum => {
  if (by === 'class')
    return { ...sum, bytes: sampled.find((each) => each.class === sum.class)?.bytes ?? null };
  const isEstimated = by === 'user' || by === 'hostname';
  return isEstimated && sampled.length === 0 ? { ...sum, errorsVariance: null } : sum;
};

/** Null without samples, or if a part is not known. */
const totalOf = (sampled: readonly ErrorSum[], field: 'errors' | 'bytes'): number | null => {
  if (sampled.length === 0 || sampled.some((each) => each[field] === null)) return null;
  return sampled.reduce((sum, each) => sum + (each[field] ?? 0), 0);
};
