// Defines what tested proxies, testers and targets are searched, filtered and sorted by.

import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { ListedProxy } from '../../../collectors/proxy-tests/listed-proxies.ts';
import type {
  LazyItem,
  ProxySummary,
  SubjectSummary,
  TesterSummary,
} from '../../../collectors/proxy-tests/summaries.ts';
import type { DaemonView } from '../../daemon-view.ts';
import type { SortKey } from '../lists/find-page.ts';
import { indexedList, onePage } from '../lists/indexed-list.ts';
import type { ColumnsOf } from '../lists/list-index.ts';
import * as parameters from '../parameters.ts';
import type { ApiRoute } from '../route.ts';
import { attributedUptimeJson } from './uptimes.ts';

interface TestedList<I extends z.ZodType, V, T extends LazyItem<V>> {
  readonly path: string;
  readonly summary: string;
  readonly item: I;
  readonly columns: ColumnsOf<T>;
  readonly searched: readonly string[];
  readonly sorts: readonly ['state', ...string[]];
  sortKeyOf?(sort: string): SortKey<T>;
  list(view: DaemonView, account: string): Promise<readonly T[]>;
  toJson(account: string, item: V): z.output<I>;
}

const FILTERS = {
  fault: parameters.optionalFlag.describe(
    'With `true`, only what is at fault. With `false`, only what is not',
  ),
};
/** The kinds of faults that name a proxy. */
export const PROXY_FAULTS = ['proxy', 'access'] as const;

export const proxyFaultOf = ({
  faultSince,
  accessFaultSince,
}: Pick<ProxySummary, 'faultSince' | 'accessFaultSince'>): (typeof PROXY_FAULTS)[number] | null => {
  if (faultSince !== null) return 'proxy';
  return accessFaultSince === null ? null : 'access';
};

const PROXY_FILTERS = {
  ...FILTERS,
  fault_kind: parameters
    .someOf(PROXY_FAULTS)
    .describe('Only proxies with a fault of this kind. You can repeat the parameter'),
  product_type: parameters.texts.describe('Only proxies of this type. You can repeat the parameter'),
};

const testedList = <I extends z.ZodType, V, T extends LazyItem<V>>({
  list,
  toJson,
  ...rest
}: TestedList<I, V, T>): ApiRoute =>
  indexedList({
    ...rest,
    collector: 'proxy_tests',
    revision: (view: DaemonView) => view.tests.revision(),
    indexRevision: (view, account) => view.tests.revision(account),
    query: 'product_type' in rest.columns.words ? PROXY_FILTERS : FILTERS,
    keepsItems: true,
    defaultSort: 'state',
    sortText:
      '`state`: first what is at fault, then proxies with failing tests of their own, then what has no results, then proxies that fail only because of others. Items without a known value come last',
    pages: (view, account) => onePage(() => list(view, account)),
    read: async ({ account, item }) => item && toJson(account, await item.read()),
  }).route;

/** Null without results. */
const faultOf = (faultSince: number | null, hasResults: boolean): 'true' | 'false' | null =>
  faultSince !== null ? 'true' : hasResults ? 'false' : null;

const UPTIMES = { uptime_24h: 'ratio', own_uptime_24h: 'own_ratio' } as const;

const readRatios = async ({ readUptime }: ListedProxy) => {
  const { ratio, own_ratio } = attributedUptimeJson(await readUptime());
  return { ratio, own_ratio };
};

/** Lists proxies. Their uptimes are read when somebody needs their order. */
export const proxyList = <I extends z.ZodType>(
  rest: Pick<TestedList<I, ProxySummary, ListedProxy>, 'path' | 'summary' | 'item' | 'list' | 'toJson'>,
) =>
  testedList<I, ProxySummary, ListedProxy>({
    ...rest,
    columns: {
      words: {
        name: ({ name }) => name || null,
        host: ({ host }) => host,
        product_type: ({ productType }) => productType || null,
        fault: ({ faultSince, hasResults }) => faultOf(faultSince, hasResults),
        fault_kind: proxyFaultOf,
      },
      numbers: {
        state: proxyState,
        last_tested_at: ({ lastTestedAt }) => lastTestedAt,
        failing_rounds: ({ lastTestedAt, failingRounds }) => (lastTestedAt === null ? null : failingRounds),
      },
    },
    searched: ['name', 'host'],
    sorts: [
      ...(['state', 'name', 'product_type', 'host', 'uptime_24h', 'own_uptime_24h'] as const),
      ...(['last_tested_at', 'failing_rounds'] as const),
    ],
    sortKeyOf: (sort) =>
      sort in UPTIMES
        ? (index) => index.lateNumbers(readRatios, UPTIMES[sort as keyof typeof UPTIMES])
        : sort,
  });

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

/** A tester, or a target, which has no place. */
type Subject = SubjectSummary & Partial<Pick<TesterSummary, 'place'>>;

type ReadSubject<V extends Subject> = LazyItem<V> & { readonly subject: V };

/** Reads testers or targets, which are few. */
const readSubjects = async <V extends Subject>(items: readonly LazyItem<V>[]): Promise<ReadSubject<V>[]> => {
  const found: ReadSubject<V>[] = [];
  for (const { id, read } of items) {
    const subject = await read();
    found.push({ id, subject, read: async () => subject });
    await setImmediate();
  }
  return found;
};

const subjectFault = ({ subject: { faultSince, uptime } }: ReadSubject<Subject>) =>
  faultOf(faultSince, uptime['30d'].results > 0);

const STATES = { true: 0, unknown: 2, false: 3 } as const;

/** Lists testers or targets. */
export const subjectList = <I extends z.ZodType, V extends Subject>({
  list,
  ...rest
}: Pick<TestedList<I, V, LazyItem<V>>, 'path' | 'summary' | 'item' | 'searched' | 'list' | 'toJson'>) =>
  testedList<I, V, ReadSubject<V>>({
    ...rest,
    columns: {
      words: {
        cityName: ({ subject }) => subject.place?.cityName ?? null,
        countryId: ({ subject }) => subject.place?.countryId ?? null,
        fault: subjectFault,
      },
      numbers: {
        state: (each) => STATES[subjectFault(each) ?? 'unknown'],
        uptime_24h: ({ subject: { uptime } }) => attributedUptimeJson(uptime['24h']).ratio,
        own_uptime_24h: ({ subject: { uptime } }) => attributedUptimeJson(uptime['24h']).own_ratio,
      },
    },
    sorts: ['state', 'uptime_24h', 'own_uptime_24h'],
    list: async (view, account) => readSubjects(await list(view, account)),
  });
