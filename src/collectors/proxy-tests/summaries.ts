// Reads summaries of an account's proxies, testers and targets from the store: last results, faults and uptime.

import { DAY, HOUR } from '../../lib/time.ts';
import type {
  Fault,
  ProxyObservation,
  TestCell,
  TesterPlace,
  TestSubject,
  Uptime,
} from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import type { ProxyTestOptions } from './options.ts';
import { readTestedProxies, type TestedProxy } from './sources/tested-proxies.ts';
import { configuredCellFilter, urlsOf } from './targets.ts';

/** An item of a list that is cheap to make; `read` reads the rest when the item is needed. */
export interface LazyItem<T> {
  readonly id: string;
  read(): Promise<T>;
}

/** Time spans (ms) that end with the current hour, which is not over yet. */
export const UPTIME_SPANS = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY } as const;
export type Uptimes = Readonly<Record<keyof typeof UPTIME_SPANS, Uptime>>;

/** The summary of a tester or a target. */
export interface SubjectSummary {
  /** The label of the subject in metrics. */
  readonly id: string;
  /** Since when the subject has been at fault (ms); null while it is not. */
  readonly faultSince: number | null;
  readonly uptime: Uptimes;
}

export interface TesterSummary extends SubjectSummary {
  /** Undefined if the provider gave none. */
  readonly place: TesterPlace | undefined;
}

type ProxyIdentity = Pick<TestedProxy, 'name' | 'productType' | 'protocol' | 'host' | 'port'>;

export interface ProxySummary extends SubjectSummary, ProxyIdentity {
  /** When the newest result of a configured url and tester was stored (ms). */
  readonly lastTestedAt: number | null;
  readonly failingRounds: number;
  /** What the newest result says about the proxy. */
  readonly observation: ProxyObservation | null;
  /** The last result of each configured url × tester. */
  readonly tests: readonly TestCell[];
}

type Context = ReadContext<ProxyTestOptions>;

export const listProxies = async (context: Context): Promise<LazyItem<ProxySummary>[]> => {
  const { name: account } = context.account;
  const { tests } = context.store;
  const rounds = new Map((await tests.proxies(account)).map((turn) => [turn.proxy, turn.failingRounds]));
  const faultSince = await faultSinceLookup(context, 'proxy');
  const isTested = configuredCellFilter(context.options);
  return (await readTestedProxies(context)).map(({ id, name, productType, protocol, host, port }) => ({
    id,
    read: async () => {
      const cells = (await tests.cells(account, [id])).filter(isTested);
      return {
        ...{ id, name, productType, protocol, host, port },
        observation: await tests.observation(account, id),
        lastTestedAt: cells.length === 0 ? null : Math.max(...cells.map(({ at }) => at)),
        failingRounds: rounds.get(id) ?? 0,
        faultSince: faultSince(id),
        tests: cells,
        uptime: await readUptimes(context, { proxy: id }),
      };
    },
  }));
};

/** Lists the configured testers or, if none is configured, all testers with results. */
export const listTesters = async (context: Context): Promise<LazyItem<TesterSummary>[]> => {
  const { account, options, store } = context;
  const results = [
    ...(await store.tests.responseTimes(account.name)),
    ...(await store.tests.errors(account.name)),
  ];
  const testersOfResults = results.map(({ tester }) => tester);
  const testers = new Set(options.tester_servers.length === 0 ? testersOfResults : options.tester_servers);
  const places = await store.tests.testerPlaces(account.name);
  const listed = await listSubjects(context, 'tester', [...testers], (tester) => ({ tester }));
  return listed.map(({ id, read }) => ({
    id,
    read: async () => ({ ...(await read()), place: places.get(id) }),
  }));
};

export const listTargets = (context: Context): Promise<LazyItem<SubjectSummary>[]> => {
  const urls = urlsOf(context.options).map(({ label }) => label);
  return listSubjects(context, 'target', urls, (url) => ({ url }));
};

const listSubjects = async (
  context: Context,
  kind: Fault['kind'],
  ids: readonly string[],
  subjectOf: (id: string) => TestSubject,
): Promise<LazyItem<SubjectSummary>[]> => {
  const faultSince = await faultSinceLookup(context, kind);
  const read = async (id: string): Promise<SubjectSummary> => ({
    id,
    faultSince: faultSince(id),
    uptime: await readUptimes(context, subjectOf(id)),
  });
  return ids.map((id) => ({ id, read: () => read(id) }));
};

const faultSinceLookup = async (
  { account, store }: Context,
  kind: Fault['kind'],
): Promise<(id: string) => number | null> => {
  const faults = (await store.tests.faults(account.name)).filter((fault) => fault.kind === kind);
  const since = new Map(faults.map((fault) => [fault.subject, fault.since]));
  return (id) => since.get(id) ?? null;
};

const readUptimes = async (context: Context, subject: TestSubject): Promise<Uptimes> => ({
  '24h': await readUptime(context, subject, UPTIME_SPANS['24h']),
  '7d': await readUptime(context, subject, UPTIME_SPANS['7d']),
  '30d': await readUptime(context, subject, UPTIME_SPANS['30d']),
});

/** Results are summed by hour. The current hour counts with the results that it has so far. */
const readUptime = (
  { account, store, clock }: Context,
  subject: TestSubject,
  span: number,
): Promise<Uptime> => {
  const end = (Math.floor(clock.now() / HOUR) + 1) * HOUR;
  return store.tests.uptime(account.name, subject, end - span, end);
};
