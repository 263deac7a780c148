// Defines what tested proxies, testers and targets are searched, filtered and sorted by.

import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { ListedProxy } from '../../../collectors/proxy-tests/listed-proxies.ts';
import type { LazyItem, SubjectSummary, TesterSummary } from '../../../collectors/proxy-tests/summaries.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { indexedList } from '../lists/indexed-list.ts';
import type { ColumnsOf, ListIndex } from '../lists/list-index.ts';
import { hasWord } from '../lists/row-tests.ts';
import type { RowTest } from '../lists/scan.ts';
import { byNumbers, byWords, type SortKey } from '../lists/sort.ts';
import * as parameters from '../parameters.ts';
import type { ApiRoute } from '../route.ts';
import { attributedUptimeJson } from './uptime-json.ts';

interface TestedList<I extends z.ZodType, V, T extends LazyItem<V>, S extends string> {
  readonly path: string;
  readonly summary: string;
  readonly item: I;
  readonly columns: ColumnsOf<T>;
  readonly searched: readonly string[];
  readonly sorts: Readonly<Record<S, () => SortKey<T>>>;
  /** Whether the list has the filter `product_type`. */
  readonly hasTypes?: boolean;
  list(view: DaemonView, account: string): Promise<readonly T[]>;
  toJson(account: string, item: V): z.output<I>;
}

const FILTERS = {
  fault: parameters.optionalFlag.describe(
    'With `true`, only what is at fault. With `false`, only what is not',
  ),
};
const TYPED_FILTERS = {
  ...FILTERS,
  product_type: parameters.texts.describe('Only proxies of this type. You can repeat the parameter'),
};

export const testedList = <I extends z.ZodType, V, T extends LazyItem<V>, S extends string>({
  hasTypes = false,
  list,
  toJson,
  sorts,
  ...rest
}: TestedList<I, V, T, S>): ApiRoute =>
  indexedList({
    ...rest,
    collector: 'proxy_tests',
    revision: (view: DaemonView) => view.tests.revision(),
    query: (hasTypes ? TYPED_FILTERS : FILTERS) as typeof TYPED_FILTERS,
    keepsItems: true,
    sorts: sorts as Record<string, () => SortKey<T>>,
    defaultSort: 'state',
    sortText:
      '`state`: first what is at fault, then proxies with failing tests of their own, then what has no results, then proxies that fail only because of others. Items without a known value come last',
    source: async (view, account) => ({
      revision: await view.tests.revision(account),
      pages: async function* () {
        yield await list(view, account);
      },
    }),
    filter: (index, { fault, product_type: types = [] }) => [
      ...faultTests(index, fault),
      ...(hasTypes ? hasWord(index, ['productType'], types) : []),
    ],
    read: async ({ account, item }) => item && toJson(account, await item.read()),
  }).route;

const faultTests = (index: ListIndex, fault: boolean | undefined): RowTest[] => {
  if (fault === undefined) return [];
  const faults = index.numbers('fault');
  return [(row) => faults[row] === Number(fault)];
};

/** 1 at fault, 0 if not; null without results. */
const faultOf = (faultSince: number | null, hasResults: boolean): number | null =>
  faultSince !== null ? 1 : hasResults ? 0 : null;

const readRatios = async ({ readUptime }: ListedProxy) => {
  const { ratio, own_ratio } = attributedUptimeJson(await readUptime());
  return { ratio, own_ratio };
};

/** Sorts by the uptimes of proxies, which are read when somebody needs this order. */
const byUptime = (column: 'ratio' | 'own_ratio') => (): SortKey<ListedProxy> => ({
  number: async (index) => {
    const ratios = await index.lateNumbers(readRatios, column);
    return (row) => ratios[row] ?? Number.NaN;
  },
});

export const proxyList = {
  columns: {
    words: {
      name: ({ name }) => name || null,
      host: ({ host }) => host,
      productType: ({ productType }) => productType || null,
    },
    numbers: {
      state: (proxy) => proxyState(proxy),
      fault: ({ faultSince, hasResults }) => faultOf(faultSince, hasResults),
      lastTestedAt: ({ lastTestedAt }) => lastTestedAt,
      failingRounds: ({ lastTestedAt, failingRounds }) => (lastTestedAt === null ? null : failingRounds),
    },
  } satisfies ColumnsOf<ListedProxy> as ColumnsOf<ListedProxy>,
  searched: ['name', 'host'],
  hasTypes: true,
  sorts: {
    state: byNumbers('state'),
    name: byWords('name'),
    product_type: byWords('productType'),
    host: byWords('host'),
    uptime_24h: byUptime('ratio'),
    own_uptime_24h: byUptime('own_ratio'),
    last_tested_at: byNumbers('lastTestedAt'),
    failing_rounds: byNumbers('failingRounds'),
  },
} as const;

/**
 * Of the proxies with failing tests of their own, those with the most come first, and of these the ones with the most
 * failing rounds. A proxy that fails only because of others is almost as good as one that passes.
 */
const proxyState = ({ faultSince, lastTestedAt, failingRounds, failing }: ListedProxy): number => {
  if (faultSince !== null) return 0;
  if (lastTestedAt === null) return 2;
  const { own, explainedBy } = failing;
  if (own > 0) return 1 + 1 / (1 + own + failingRounds / (1 + failingRounds));
  return explainedBy.length > 0 ? 3 : 4;
};

/** A tester or target that was read already. */
type ReadSubject<V extends SubjectSummary> = LazyItem<V> & { readonly subject: V };

/** Reads testers or targets, which are few. */
export const readSubjects = async <V extends SubjectSummary>(
  items: readonly LazyItem<V>[],
): Promise<ReadSubject<V>[]> => {
  const found: ReadSubject<V>[] = [];
  for (const { id, read } of items) {
    const subject = await read();
    found.push({ id, subject, read: async () => subject });
    await setImmediate();
  }
  return found;
};

type AnySubject = ReadSubject<SubjectSummary & Partial<Pick<TesterSummary, 'place'>>>;

const subjectFault = ({ subject: { faultSince, uptime } }: AnySubject): number | null =>
  faultOf(faultSince, uptime['30d'].results > 0);

export const subjectList = {
  columns: {
    words: {
      cityName: ({ subject }) => subject.place?.cityName ?? null,
      countryId: ({ subject }) => subject.place?.countryId ?? null,
    },
    numbers: {
      fault: subjectFault,
      state: (each) => [3, 0][subjectFault(each) ?? -1] ?? 2,
      uptime: ({ subject: { uptime } }) => attributedUptimeJson(uptime['24h']).ratio,
      ownUptime: ({ subject: { uptime } }) => attributedUptimeJson(uptime['24h']).own_ratio,
    },
  } satisfies ColumnsOf<AnySubject> as ColumnsOf<AnySubject>,
  searched: [],
  sorts: {
    state: byNumbers('state'),
    uptime_24h: byNumbers('uptime'),
    own_uptime_24h: byNumbers('ownUptime'),
  },
} as const;
