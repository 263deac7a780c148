// Reads summaries of an account's proxies, testers and targets from the store: last results, faults and uptime.

import { DAY, HOUR, type Range } from '../../lib/time.ts';
import { type SourceProxy, type StoredSourceProxy, TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import type { TestSubject, Uptime } from '../../store/test-history-store.ts';
import type { Fault, ProxyObservation, TestCell, TesterPlace } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { readTestedProxies } from '../proxy-sources/tested-proxies.ts';
import { readCurrentFaults } from './current-findings.ts';
import { type FailingTests, failingTestsLookup } from './failing-tests.ts';
import { configuredCellFilter, type MatrixOptions, urlsOf } from './targets.ts';

/** An item of a list that is cheap to make; `read` reads the rest when the item is needed. */
export interface LazyItem<T> {
  readonly id: string;
  read(): Promise<T>;
}

export type UptimeSpan = '24h' | '7d' | '30d' | '90d';
export type Uptimes = Readonly<Record<UptimeSpan, Uptime>>;

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
  /** Whether the tester is this machine, whose tests are the probes. */
  readonly isVantage?: boolean;
}

type ProxyIdentity = Omit<ReturnType<typeof identityOf>, 'id'>;

export interface ProxySummary extends SubjectSummary, ProxyIdentity {
  /** When the newest result of a configured url and tester was stored (ms). */
  readonly lastTestedAt: number | null;
  readonly failingRounds: number;
  /** Since when the access to the proxy has been at fault (ms); null while it is not. */
  readonly accessFaultSince: number | null;
  /** What the newest result says about the proxy. */
  readonly observation: ProxyObservation | null;
  /** The last result of each configured url × tester. */
  readonly tests: readonly TestCell[];
  readonly failing: FailingTests;
}

type Context = ReadContext<MatrixOptions>;

/** A tested proxy with the values that the list of all proxies has anyway. */
export type IdentifiedProxy = LazyItem<ProxySummary> &
  Pick<ProxySummary, keyof ProxyIdentity | 'faultSince' | 'accessFaultSince' | 'failingRounds'> & {
    failingOf(cells: readonly TestCell[]): FailingTests;
  };

export const listProxies = async (context: Context): Promise<IdentifiedProxy[]> => {
  const { name: account } = context.account;
  const { tests } = context.store;
  const rounds = new Map((await tests.proxies(account)).map((turn) => [turn.proxy, turn.failingRounds]));
  const proxies = await readTestedProxies(context);
  const faults = await readCurrentFaults(context, proxies);
  const [faultSince, accessFaultSince] = [
    faultSinceLookup(faults, 'proxy'),
    faultSinceLookup(faults, 'access'),
  ];
  const failingOf = failingTestsLookup(faults);
  return proxies.map((proxy) => {
    const { id } = proxy;
    const identified = {
      ...identityOf(proxy),
      ...{ failingRounds: rounds.get(id) ?? 0 },
      ...{ faultSince: faultSince(id), accessFaultSince: accessFaultSince(id) },
      failingOf: (cells: readonly TestCell[]) => failingOf(proxy, cells),
    };
    return { ...identified, read: () => readProxy(context, identified) };
  });
};

const identityOf = ({ id, name, productType, protocol, host, port }: SourceProxy) => ({
  ...{ id, name, productType, protocol, host, port },
});

const readProxy = async (
  context: Context,
  { failingOf, ...proxy }: Omit<IdentifiedProxy, 'read'>,
): Promise<ProxySummary> => {
  const { tests } = context.store;
  const isTested = configuredCellFilter(context.options);
  const cells = (await tests.cells(context.account.name, [proxy.id])).filter(isTested);
  return {
    ...proxy,
    observation: await tests.observation(context.account.name, proxy.id),
    lastTestedAt: cells.length === 0 ? null : Math.max(...cells.map(({ at }) => at)),
    tests: cells,
    failing: failingOf(cells),
    uptime: await readUptimes(context, { proxy: proxy.id }),
  };
};

/** Reads one proxy without listing all of them. Undefined if it is not tested. */
export const findProxy = async (
  context: Context,
  id: string,
): Promise<(ProxySummary & StoredSourceProxy) | undefined> => {
  const { tests, sourceProxies } = context.store;
  const { name: account } = context.account;
  const found = await sourceProxies.find(account, TESTED_PROXIES, id);
  if (!found) return undefined;
  const { failingRounds = 0 } = (await tests.testedProxy(account, id)) ?? {};
  const faults = await readCurrentFaults(context, [{ id }]);
  const summary = await readProxy(context, {
    ...identityOf(found),
    failingRounds,
    faultSince: faultSinceLookup(faults, 'proxy')(id),
    accessFaultSince: faultSinceLookup(faults, 'access')(id),
    failingOf: (cells) => failingTestsLookup(faults)(found, cells),
  });
  return { ...found, ...summary };
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
  const faultSince = faultSinceLookup(await readCurrentFaults(context, []), kind);
  const read = async (id: string): Promise<SubjectSummary> => ({
    id,
    faultSince: faultSince(id),
    uptime: await readUptimes(context, subjectOf(id)),
  });
  return ids.map((id) => ({ id, read: () => read(id) }));
};

const faultSinceLookup = (faults: readonly Fault[], kind: Fault['kind']): ((id: string) => number | null) => {
  const since = new Map(
    faults.filter((fault) => fault.kind === kind).map((fault) => [fault.subject, fault.since]),
  );
  return (id) => since.get(id) ?? null;
};

const readUptimes = async ({ account, store, clock }: Context, subject: TestSubject): Promise<Uptimes> => {
  const periods = uptimePeriods(clock.now());
  const [day, week, month, quarter] = await store.tests.uptimes(account.name, subject, periods);
  return { '24h': day, '7d': week, '30d': month, '90d': quarter } as Record<UptimeSpan, Uptime>;
};

export const endOfHour = (now: number): number => (Math.floor(now / HOUR) + 1) * HOUR;

/**
 * Results are summed by hour, so the periods end with the current hour, which is not over yet. Sums by hour are deleted
 * after a month. So the longest period begins with a day (UTC), and has 90 days with the current one.
 */
const uptimePeriods = (now: number): Range[] => {
  const to = endOfHour(now);
  const today = Math.floor(now / DAY) * DAY;
  return [
    ...[1, 7, 30].map((days) => ({ from: to - days * DAY, to })),
    { from: today - 89 * DAY, to: today + DAY },
  ];
};

/** Reads the uptime over the last `spanMs`. The current hour counts with the results that it has so far. */
export const readUptimeOf = (
  { account, store, clock }: Context,
  subject: TestSubject,
  spanMs: number,
): Promise<Uptime> => {
  const end = endOfHour(clock.now());
  return store.tests.uptime(account.name, subject, end - spanMs, end);
};
