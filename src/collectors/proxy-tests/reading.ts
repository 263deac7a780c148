// The tests of one account as they are read one by one: proxies, testers and targets with their uptime.

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
import { type TestedProxy, testedProxies } from './sources/tested-proxies.ts';
import { isTestedBy, urlsOf } from './targets.ts';

/** Something that is listed cheaply, and read in full when its turn comes. */
export interface Listed<T> {
  readonly id: string;
  read(): Promise<T>;
}

/** Spans (ms) that end with the present hour, which is not over yet. */
export const UPTIME_SPANS = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY } as const;
export type Uptimes = Readonly<Record<keyof typeof UPTIME_SPANS, Uptime>>;

/** A tester or a target. */
export interface SubjectReading {
  /** Its label. */
  readonly id: string;
  /** Since when it is at fault (ms); null while it is not. */
  readonly faultSince: number | null;
  readonly uptime: Uptimes;
}

export interface TesterReading extends SubjectReading {
  /** Undefined where none was given. */
  readonly place: TesterPlace | undefined;
}

type Shown = Pick<TestedProxy, 'name' | 'productType' | 'protocol' | 'host' | 'port'>;

export interface ProxyReading extends SubjectReading, Shown {
  /** When its newest result was stored (ms). */
  readonly lastTestedAt: number | null;
  readonly failingRounds: number;
  /** What the newest result said of the proxy. */
  readonly sighting: ProxyObservation | null;
  /** The last result of each url × tester that is tested still. */
  readonly tests: readonly TestCell[];
}

type Context = ReadContext<ProxyTestOptions>;

export const listProxies = async (context: Context): Promise<Listed<ProxyReading>[]> => {
  const { name: account } = context.account;
  const { tests } = context.store;
  const rounds = new Map((await tests.proxies(account)).map((turn) => [turn.proxy, turn.failingRounds]));
  const faultSince = await faultsOf(context, 'proxy');
  const isTested = isTestedBy(context.options);
  return (await testedProxies(context)).map(({ id, name, productType, protocol, host, port }) => ({
    id,
    read: async () => {
      const cells = (await tests.cells(account, [id])).filter(isTested);
      return {
        ...{ id, name, productType, protocol, host, port },
        sighting: await tests.sighting(account, id),
        lastTestedAt: cells.length === 0 ? null : Math.max(...cells.map(({ at }) => at)),
        failingRounds: rounds.get(id) ?? 0,
        faultSince: faultSince(id),
        tests: cells,
        uptime: await uptimesOf(context, { proxy: id }),
      };
    },
  }));
};

/** The testers of the configuration; where it names none, all that results ever came from. */
export const listTesters = async (context: Context): Promise<Listed<TesterReading>[]> => {
  const { account, options, store } = context;
  const results = [
    ...(await store.tests.responseTimes(account.name)),
    ...(await store.tests.errors(account.name)),
  ];
  const seen = results.map(({ tester }) => tester);
  const testers = new Set(options.tester_servers.length === 0 ? seen : options.tester_servers);
  const places = await store.tests.testerPlaces(account.name);
  const listed = await listSubjects(context, 'tester', [...testers], (tester) => ({ tester }));
  return listed.map(({ id, read }) => ({
    id,
    read: async () => ({ ...(await read()), place: places.get(id) }),
  }));
};

export const listTargets = (context: Context): Promise<Listed<SubjectReading>[]> => {
  const urls = urlsOf(context.options).map(({ label }) => label);
  return listSubjects(context, 'target', urls, (url) => ({ url }));
};

const listSubjects = async (
  context: Context,
  kind: Fault['kind'],
  ids: readonly string[],
  subjectOf: (id: string) => TestSubject,
): Promise<Listed<SubjectReading>[]> => {
  const faultSince = await faultsOf(context, kind);
  const read = async (id: string): Promise<SubjectReading> => ({
    id,
    faultSince: faultSince(id),
    uptime: await uptimesOf(context, subjectOf(id)),
  });
  return ids.map((id) => ({ id, read: () => read(id) }));
};

const faultsOf = async (
  { account, store }: Context,
  kind: Fault['kind'],
): Promise<(id: string) => number | null> => {
  const faults = (await store.tests.faults(account.name)).filter((fault) => fault.kind === kind);
  const since = new Map(faults.map((fault) => [fault.subject, fault.since]));
  return (id) => since.get(id) ?? null;
};

const uptimesOf = async (context: Context, subject: TestSubject): Promise<Uptimes> => ({
  '24h': await uptimeOf(context, subject, UPTIME_SPANS['24h']),
  '7d': await uptimeOf(context, subject, UPTIME_SPANS['7d']),
  '30d': await uptimeOf(context, subject, UPTIME_SPANS['30d']),
});

/** Results are summed by hour: the present one counts as far as it has come. */
const uptimeOf = (
  { account, store, clock }: Context,
  subject: TestSubject,
  span: number,
): Promise<Uptime> => {
  const end = (Math.floor(clock.now() / HOUR) + 1) * HOUR;
  return store.tests.uptime(account.name, subject, end - span, end);
};
