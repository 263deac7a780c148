// A fake provider whose traffic a test sets minute by minute, and a daemon that polls it every five minutes.

import { MINUTE } from '../../src/lib/time.ts';
import { type FakeProvider, type Reply, startFakeProvider } from '../support/fake-provider.ts';
import { Harness, type HarnessOptions } from '../support/harness.ts';

/** The traffic of one minute; undefined if it has none. */
type Minute = { readonly requests: number; readonly failed?: number } | undefined;
type Query = Readonly<Record<string, string>>;
/** A reply instead of the usual one, or a connection that hangs or is dropped. */
type Fault = Reply | 'hang' | 'drop' | undefined;

export class StubTraffic implements AsyncDisposable {
  /** Returns the traffic of the minute that starts at `at` (ms). The hostname identifies the graph; undefined is the whole account. */
  minute: (at: number, hostname: string | undefined) => Minute = () => ({ requests: 10 });
  /** Whether the answers have buckets of zeros for minutes without traffic. */
  sendsEmptyBuckets = false;
  isFailing = false;
  /** Windows that start at this time (ms) or later get an answer that cannot be decoded. */
  garbledFrom = Number.POSITIVE_INFINITY;
  /** Returns the fault of a request for a graph. */
  fault: (query: Query) => Fault = () => undefined;
  /** Builds the answer from its buckets, which are ordered by time. */
  dataOf: (intervals: Record<string, unknown>[], query: Query) => object = (intervals) => ({ intervals });
  /** The queries of all requests for graphs, oldest first. */
  readonly queries: Query[] = [];
  #provider: FakeProvider | undefined;

  static async start(): Promise<StubTraffic> {
    const stub = new StubTraffic();
    stub.#provider = await startFakeProvider(({ path, query }, response) => {
      if (!path.includes('analytics')) return { body: { data: [], total_count: 0 } };
      stub.queries.push(query);
      const fault = stub.#faultOf(query);
      if (fault === 'drop') response.destroy();
      if (fault === 'drop' || fault === 'hang') return undefined;
      return fault ?? { body: { data: stub.dataOf(stub.#intervals(query), query) } };
    });
    return stub;
  }

  #faultOf(query: Query): Fault {
    if (this.isFailing) return { status: 503, body: {} };
    if (instantOf(query.period_start) >= this.garbledFrom) return { body: 'garbled' };
    return this.fault(query);
  }

  async watch(
    traffic: Record<string, unknown> = {},
    { account, ...harness }: Partial<HarnessOptions> = {},
  ): Promise<Harness> {
    return Harness.build({
      now: '2026-07-06T12:01:30Z',
      ...harness,
      account: {
        base_url: this.#provider?.baseUrl,
        traffic: { schedule: '*/5 * * * *', catch_up: '26h', graphs: [], ...traffic },
        residential_ledger: false,
        proxy_users: false,
        reconciliation: false,
        ...account,
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider?.[Symbol.asyncDispose]();
  }

  #intervals(query: Query): Record<string, unknown>[] {
    const [from, to] = [instantOf(query.period_start), instantOf(query.period_end)];
    const minutes = Array.from({ length: (to - from) / MINUTE }, (_, index) => from + index * MINUTE);
    return minutes.flatMap((at) => {
      const minute =
        this.minute(at, query.hostname) ?? (this.sendsEmptyBuckets ? { requests: 0 } : undefined);
      if (!minute) return [];
      const { requests, failed = 0 } = minute;
      const interval = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
      return [{ interval, bytes: requests, requests, successful: requests - failed, error: failed }];
    });
  }
}

export const live = async (harness: Harness, ms: number): Promise<void> => {
  for (const end = harness.clock.now() + ms; harness.clock.now() < end; ) await harness.advance(5 * MINUTE);
};

export const instantOf = (datetime = ''): number => Date.parse(`${datetime.replace(' ', 'T')}Z`);
