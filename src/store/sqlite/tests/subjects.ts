// Stores the names of proxies, URLs and testers once each, and resolves those of a batch of results to their ids.

import type { ProxyTestResult } from '../../test-history-store.ts';
import type { AttributedResult, ProxyObservation, TestBatch, TesterPlace } from '../../test-store.ts';
import type { Database } from '../file/database.ts';

/** The ids of URLs and testers that are not pruned. */
export interface KnownSubjects {
  readonly urls: ReadonlySet<number>;
  readonly testers: ReadonlySet<number>;
}

/** The id that stands for all subjects in rows that hold sums. Ids of subjects begin at 1. */
export const ALL_SUBJECTS = 0;
/** The id that stands for pruned URLs and testers in cells whose counts are still needed. It has no name. */
export const PRUNED_SUBJECT = 0;
const UNKNOWN_ID = -1;

export const createSubjects = (db: Database) => {
  const selectId = db.prepareValue<[string], number>('SELECT id FROM subject WHERE text = ?');
  const selectName = db.prepareValue<[number], string>('SELECT text FROM subject WHERE id = ?');
  const urlsAndTesters = db.prepareValue<[], number>(
    'SELECT url FROM url_tester UNION SELECT tester FROM url_tester',
  );
  // The newest subject is never deleted. Its id would be reused, and older rows would then refer to the new name.
  const deleteUnlessTested = db.sql.prepare<[number]>(
    `DELETE FROM subject WHERE id = ? AND id < (SELECT max(id) FROM subject) AND NOT EXISTS (
       SELECT 1 FROM account JOIN tested_proxy ON account_id = account.id AND proxy = subject.id)`,
  );
  const ids = new Map<string, number>();
  const names = new Map<number, string>();

  const idOf = (name: string): number => {
    const id = ids.get(name) ?? selectId.get(name) ?? UNKNOWN_ID;
    if (id !== UNKNOWN_ID) ids.set(name, id);
    return id;
  };

  return {
    // The ids have a transaction of their own. If a batch rolled them back, a cached id could later get another name.
    /** Gives ids to new names in a transaction of its own, and returns `idOf`. Must run outside of transactions. */
    assignIds: (names: Iterable<string>): ((name: string) => number) => {
      const unknown = [...new Set(names)].filter((name) => !ids.has(name));
      if (unknown.length > 0) {
        db.write(() => {
          for (const name of unknown)
            db.sql.run('INSERT INTO subject (text) VALUES (?) ON CONFLICT DO NOTHING', name);
        });
      }
      return idOf;
    },
    /** Returns the id of a name for queries, or an id that no row has if the name is unknown. */
    idOf,
    /** Returns the name of an id that rows refer to. */
    nameOf: (id: number): string => {
      const name = names.get(id) ?? selectName.get(id) ?? '';
      names.set(id, name);
      return name;
    },
    /** Deletes those of these subjects that no account uses. Must run inside a transaction. */
    deleteUnused: (candidates: readonly number[]): void => {
      if (candidates.length === 0) return;
      const inUse = new Set(urlsAndTesters.all());
      for (const id of candidates) if (!inUse.has(id)) deleteUnlessTested.run(id);
      // The next use reads the ids again, whether the transaction commits or not.
      ids.clear();
      names.clear();
    },
  };
};

export type Subjects = ReturnType<typeof createSubjects>;

/** The limit of testers of an account. The provider names them, and each costs a cell of every proxy and URL. */
const MAX_TESTERS = 200;
/** The shared name of everything beyond a limit. */
export const OVERFLOW_NAME = 'other';

/** A result whose proxy, URL and tester are subject ids. */
export type ResolvedResult = Omit<AttributedResult, 'proxy' | 'url' | 'tester'> &
  Readonly<Record<'proxy' | 'url' | 'tester', number>>;

export interface ResolvedBatch {
  readonly accountId: number;
  readonly results: readonly ResolvedResult[];
  readonly proxies: readonly number[];
  /** Observations by proxy, and places by tester. Testers beyond the limit have no place. */
  readonly observations: ReadonlyMap<number, ProxyObservation>;
  readonly places: ReadonlyMap<number, TesterPlace>;
  readonly now: number;
  /** Counters that the batch creates show 0 until then (ms). */
  readonly heldUntil: number;
  /** The subjects known before the batch, and those of the batch. */
  readonly known: KnownSubjects;
}

/** Resolves the names of a batch to ids; `known` are the subjects before it. Must run outside of transactions. */
export const resolveBatch = (
  { results, proxies, observations = new Map(), places = new Map() }: TestBatch,
  known: KnownSubjects,
  subjects: Subjects,
): Pick<ResolvedBatch, 'results' | 'proxies' | 'observations' | 'places' | 'known'> => {
  const testers = limitTesters(results, known, subjects);
  const [urls, names] = [new Set<string>(), new Set(proxies)];
  for (const { proxy, url } of results) {
    names.add(proxy);
    urls.add(url);
  }
  const idOf = subjects.assignIds([...names, ...urls, ...testers.values()]);
  return {
    results: results.map((result) => ({
      ...result,
      proxy: idOf(result.proxy),
      url: idOf(result.url),
      tester: idOf(testers.get(result.tester) ?? OVERFLOW_NAME),
    })),
    proxies: proxies.map(idOf),
    observations: new Map([...observations].map(([proxy, observation]) => [idOf(proxy), observation])),
    places: new Map(
      [...places].flatMap(([tester, place]) =>
        testers.get(tester) === tester ? [[idOf(tester), place] as const] : [],
      ),
    ),
    known: {
      urls: new Set([...known.urls, ...[...urls].map(idOf)]),
      testers: new Set([...known.testers, ...[...testers.values()].map(idOf)]),
    },
  };
};

/** Returns the name under which each tester of the results is stored. Testers beyond the limit share a name. */
const limitTesters = (
  results: readonly ProxyTestResult[],
  known: KnownSubjects,
  subjects: Subjects,
): Map<string, string> => {
  const names = new Map<string, string>();
  let count = known.testers.size;
  for (const { tester } of results) {
    if (names.has(tester)) continue;
    const isKnown = known.testers.has(subjects.idOf(tester));
    names.set(tester, isKnown || count < MAX_TESTERS ? tester : OVERFLOW_NAME);
    if (!isKnown) count += 1;
  }
  return names;
};

/** Groups items by key. Groups are in the order of their first item, and none is empty. */
export const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string | number): [T, ...T[]][] =>
  [...Map.groupBy(items, keyOf).values()] as [T, ...T[]][];
