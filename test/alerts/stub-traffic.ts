// A provider whose traffic a test says minute by minute, and a daemon that polls it every five minutes.

import { MINUTE } from '../../src/lib/time.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { House } from '../support/house.ts';

/** Of a minute that starts at an instant (ms); nothing where it has no traffic. */
type Minute = { readonly requests: number; readonly failed?: number } | undefined;

export class StubTraffic implements AsyncDisposable {
  /** Traffic of a graph, which is told by its hostname; that of the whole account has none. */
  minute: (at: number, hostname: string | undefined) => Minute = () => ({ requests: 10 });
  /** Whether minutes without traffic are sent as zeros. */
  sendsEmpty = false;
  isFailing = false;
  /** Windows from here on (ms) get no sensible answer. */
  isGarbledFrom = Number.POSITIVE_INFINITY;
  #provider: FakeProvider | undefined;

  static async start(): Promise<StubTraffic> {
    const stub = new StubTraffic();
    stub.#provider = await startFakeProvider(({ path, query }) => {
      if (stub.isFailing) return { status: 503, body: {} };
      if (instantOf(query.period_start) >= stub.isGarbledFrom) return { body: 'garbled' };
      return path.includes('analytics')
        ? { body: { data: { intervals: stub.#intervals(query) } } }
        : { body: { data: [], total_count: 0 } };
    });
    return stub;
  }

  async watch(traffic: Record<string, unknown> = {}, now = '2026-07-06T12:01:30Z'): Promise<House> {
    return House.build({
      now,
      account: {
        base_url: this.#provider?.baseUrl,
        traffic: { schedule: '*/5 * * * *', catch_up: '26h', graphs: [], ...traffic },
        residential_ledger: false,
        proxy_users: false,
        reconciliation: false,
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider?.[Symbol.asyncDispose]();
  }

  #intervals(query: Readonly<Record<string, string>>): unknown[] {
    const [from, to] = [instantOf(query.period_start), instantOf(query.period_end)];
    const minutes = Array.from({ length: (to - from) / MINUTE }, (_, index) => from + index * MINUTE);
    return minutes.flatMap((at) => {
      const minute = this.minute(at, query.hostname) ?? (this.sendsEmpty ? { requests: 0 } : undefined);
      if (!minute) return [];
      const { requests, failed = 0 } = minute;
      const interval = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
      return [{ interval, bytes: requests, requests, successful: requests - failed, error: failed }];
    });
  }
}

export const live = async (house: House, ms: number): Promise<void> => {
  for (const end = house.clock.now() + ms; house.clock.now() < end; ) await house.advance(5 * MINUTE);
};

const instantOf = (datetime = ''): number => Date.parse(`${datetime.replace(' ', 'T')}Z`);
