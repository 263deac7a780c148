// Stores when each proxy was last tested, in how many rounds in a row it failed, and what its newest result showed.

import type { ProxyObservation, TestedProxy, TesterPlace, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import type { ResolvedBatch, Subjects } from './subjects.ts';

export const createTestedProxies = (db: Database, subjects: Subjects) => {
  const { sql } = db;
  const putTested = sql.prepare(
    `INSERT INTO tested_proxy (account_id, proxy, last_tested_at, failing_rounds) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET last_tested_at = excluded.last_tested_at,
       failing_rounds = iif(excluded.failing_rounds = 0, 0, failing_rounds + 1)`,
  );
  const putWithoutResult = sql.prepare(
    `INSERT INTO tested_proxy (account_id, proxy, last_tested_at, failing_rounds) VALUES (?, ?, ?, 0)
     ON CONFLICT DO UPDATE SET last_tested_at = excluded.last_tested_at`,
  );
  const proxyOf = sql.prepare<[number, number], Omit<TestedProxy, 'proxy'>>(
    `SELECT last_tested_at AS lastTestedAt, failing_rounds AS failingRounds
     FROM tested_proxy WHERE account_id = ? AND proxy = ?`,
  );
  const putObservation = sql.prepare(
    'UPDATE tested_proxy SET observation = ? WHERE account_id = ? AND proxy = ?',
  );
  const putPlace = sql.prepare(
    `INSERT INTO tester_place VALUES (@accountId, @tester, @cityId, @cityName, @countryId)
     ON CONFLICT DO UPDATE SET city_id = excluded.city_id, city_name = excluded.city_name,
       country_id = excluded.country_id
     WHERE (city_id, city_name, country_id) IS NOT (excluded.city_id, excluded.city_name, excluded.country_id)`,
  );
  const observationOf = db.rowOf(
    `SELECT observation FROM tested_proxy
     WHERE account_id = ? AND proxy = (SELECT id FROM subject WHERE text = ?)`,
    ({ observation }: { observation: string | null }) => (observation === null ? null : unpack(observation)),
  );
  const placesOf = db.rowsOf(
    `SELECT text AS tester, city_id AS cityId, city_name AS cityName, country_id AS countryId
     FROM tester_place JOIN subject ON id = tester WHERE account_id = ?`,
    ({ tester, ...place }: TesterPlace & { readonly tester: string }) => [tester, place] as const,
  );

  return {
    /** Must run inside a transaction. */
    add: ({ accountId, results, proxies, observations, places, now }: ResolvedBatch): void => {
      const answered = new Set<number>();
      const failed = new Set<number>();
      for (const { proxy, isSuccessful } of results) {
        answered.add(proxy);
        if (!isSuccessful) failed.add(proxy);
      }
      for (const proxy of answered) putTested.run(accountId, proxy, now, Number(failed.has(proxy)));
      for (const proxy of proxies) if (!answered.has(proxy)) putWithoutResult.run(accountId, proxy, now);
      for (const [proxy, observation] of observations)
        putObservation.run(pack(observation), accountId, proxy);
      for (const [tester, place] of places) putPlace.run({ accountId, tester, ...place });
    },
    queries: {
      proxies: db.rowsOf(
        `SELECT subject.text AS proxy, last_tested_at AS lastTestedAt, failing_rounds AS failingRounds
         FROM tested_proxy JOIN subject ON subject.id = proxy WHERE account_id = ? ORDER BY subject.text`,
      ),
      testedProxy: db.readOf((accountId, proxy) => {
        const found = proxyOf.get(accountId, subjects.idOf(proxy));
        return found && { proxy, ...found };
      }),
      observation: async (account, proxy) => (await observationOf(account, proxy)) ?? null,
      testerPlaces: async (account) => new Map(await placesOf(account)),
    } satisfies Pick<TestStore, 'proxies' | 'testedProxy' | 'observation' | 'testerPlaces'>,
  };
};

/** An observation is packed as a list of values in this order: the names would need more space than the values. */
const FIELDS = [
  ...(['resultId', 'testerProxyId', 'createdAt', 'updatedAt', 'address'] as const),
  ...(['countryId', 'cityId', 'cityName', 'asnId', 'asnName'] as const),
] satisfies readonly (keyof ProxyObservation)[];

const pack = (observation: ProxyObservation): string =>
  JSON.stringify(FIELDS.map((field) => observation[field]));

const unpack = (packed: string): ProxyObservation => {
  const values: unknown[] = JSON.parse(packed);
  return Object.fromEntries(
    FIELDS.map((field, index) => [field, values[index]]),
  ) as unknown as ProxyObservation;
};
