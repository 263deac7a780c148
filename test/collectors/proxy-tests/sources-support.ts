// Provides a stub of the provider with proxies that a test sets, a daemon that tests them, and a log that records its lines.

import type { Log } from '../../../src/lib/log.ts';
import {
  type FakeProvider,
  type ReceivedRequest,
  type Reply,
  startFakeProvider,
} from '../../support/fake-provider.ts';
import { Harness, type HarnessOptions } from '../../support/harness.ts';

type Row = Readonly<Record<string, unknown>>;

/** A time after the slot of a ten-minute schedule, including its offset. */
export const START = '2026-07-06T12:01:30Z';
const PER_PAGE = 100;

/** A log that records its lines. */
export const recordedLog = (): { log: Log; lines: string[] } => {
  const lines: string[] = [];
  const write =
    (level: string) =>
    (fields: Record<string, unknown>, message: string): void => {
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    };
  const log: Log = {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  };
  return { log, lines };
};

/** Builds a daemon that only tests these proxies. */
export const buildHarnessFor = (
  proxies: readonly Row[],
  { account, discoverEvery = '1h', ...options }: Partial<HarnessOptions> & { discoverEvery?: string } = {},
) =>
  Harness.build({
    now: START,
    firstStepHold: '0s',
    ...options,
    account: {
      traffic: false,
      residential_ledger: false,
      proxy_users: false,
      reconciliation: false,
      proxy_tests: { urls: ['https://example.com/'], proxies, discover_every: discoverEvery },
      ...account,
    },
  });

/** Ids of the proxies that have a series. */
export const shownProxyIds = async (harness: Harness): Promise<string[]> =>
  (await harness.samples()).all('proxywatch_proxy_info').map(({ labels }) => labels.proxy_id ?? '');

/** A proxy of the account as the provider answers it. Ids sort like the numbers. */
export const row = (number: number, more: Row = {}): Row => ({
  proxy_id: `p${String(number).padStart(4, '0')}`,
  proxy_type: 'isp',
  proxy_status: 'in_use',
  proxy_ip_address: `192.0.2.${number % 250}`,
  proxy_http_port: 8_000 + Math.floor(number / 250),
  proxy_socks5_port: 9_000 + Math.floor(number / 250),
  default_proxy_user_username: 'alice',
  default_proxy_user_password: 'hunter2',
  customer_id: 4711,
  service_id: 'API-1',
  country_id: 'fr',
  ...more,
});

export const rows = (from: number, to: number): Row[] =>
  Array.from({ length: to - from }, (_, index) => row(from + index));

/** A stub of the provider. It answers searches, the service API-1 and tests with its current rows; every test succeeds. */
export class StubFleet implements AsyncDisposable {
  rows: Row[] = [];
  service: Row = { service_id: 'API-1', service_status: 'active', service_quantity: 2 };
  /** Returns a reply that replaces the normal one, or undefined. */
  override: (request: ReceivedRequest) => Reply | undefined = () => undefined;
  /** The number of test runs in the answer to a call. */
  runsPerCall = 1;
  /** The proxy lines of the last call. */
  testedLines: string[] = [];
  #provider: FakeProvider | undefined;

  static async start(): Promise<StubFleet> {
    const fleet = new StubFleet();
    fleet.#provider = await startFakeProvider((request) => fleet.override(request) ?? fleet.#answer(request));
    return fleet;
  }

  buildHarness(proxies: readonly Row[], options: Partial<HarnessOptions> = {}): Promise<Harness> {
    const { account, ...others } = options;
    const tests = { urls: ['https://example.com/'], proxies, discover_every: '1m' };
    const proxy_tests = { ...tests, ...(account?.proxy_tests as Row) };
    return buildHarnessFor(proxies, {
      ...others,
      account: { base_url: this.#provider?.baseUrl, proxy_tests },
    });
  }

  #answer({ path, query, body }: ReceivedRequest): Reply {
    if (path.includes('service/retrieve')) return { body: { data: { ...this.service, proxies: this.rows } } };
    if (path.includes('proxy_test_run')) return { body: this.#test(JSON.parse(body)) };
    const page = Number(query.page);
    const data = this.rows.slice((page - 1) * PER_PAGE, page * PER_PAGE);
    return { body: { data, total_count: this.rows.length } };
  }

  #test({ proxies, urls }: { proxies: { proxy_string: string }[]; urls: string[] }): Row {
    this.testedLines = proxies.map(({ proxy_string }) => proxy_string);
    const results = this.testedLines.flatMap((line) =>
      urls.map((url) => {
        const [host = '', port, user] = line.split(':');
        return {
          ...{ proxy_host: host, proxy_port: Number(port), proxy_username: user },
          ...{
            proxy_test_result_url: url,
            proxy_test_server_id: 't1',
            proxy_test_result_is_successful: true,
          },
        };
      }),
    );
    const created = Array.from({ length: this.runsPerCall }, (_, index) => `run-${index}`);
    return { created, data: { tested: { results } } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider?.[Symbol.asyncDispose]();
  }
}
