// Serves made-up series to a Prometheus, and queries it as a panel of a dashboard does.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '../cli/program.ts';
import {
  type Dashboard,
  type Query,
  queriesOf,
  readDashboards,
  type Values,
} from '../grafana/dashboard-files.ts';
import { runQuery, selectAll } from './grafana-queries.ts';
import { type Prometheus, type QuerySeries, startPrometheus } from './prometheus-server.ts';

/** Two users, a proxy with one series for all its tests, and counters that grow with the first scrapes. */
const expositionAt = (scrape: number): string => `
proxywatch_collector_last_attempt_timestamp_seconds{account="main",collector="traffic"} 1
proxywatch_proxy_user_info{account="main",proxy_user_id="a.1"} 1
proxywatch_proxy_user_info{account="main",proxy_user_id="ab1"} 1
proxywatch_proxy_user_limit_bytes{account="main",proxy_user_id="a.1",product_type="mobile"} 10
proxywatch_proxy_info{account="main",proxy_id="192.0.2.1:80"} 1
proxywatch_proxy_test_success{account="main",proxy_id="192.0.2.1:80",url="",tester_server="",protocol="http"} 1
proxywatch_fault{account="main",kind="proxy",proxy_id="192.0.2.1:80",url="",tester_server=""} 0
proxywatch_fault{account="main",kind="proxy",proxy_id="untested",url="",tester_server=""} 0
proxywatch_fault{account="main",kind="target",proxy_id="",url="shop",tester_server=""} 1
proxywatch_alert_firing{account="main",alert="ProxyTargetBlocked",severity="warning",url="shop"} 1
proxywatch_alert_firing{account="main",alert="ProxyFailing",severity="warning",proxy_id="192.0.2.1:80"} 1
proxywatch_inventory_changes_total{account="main",change="address"} ${Math.min(scrape, 3)}
proxywatch_residential_ledger_added_bytes_total{account="main",reason="top_up"} ${Math.min(scrape, 3) * 1e9}
`;

/** Until then, the growth of the first scrapes has left the window of `increase()`. */
const SCRAPES = 9;

export const dashboardOf = (uid: string): Dashboard => {
  const found = readDashboards().find((dashboard) => dashboard.uid === uid);
  if (found === undefined) throw new Error(`there is no dashboard ${uid}`);
  return found;
};

export class MadeUpSeries implements AsyncDisposable {
  readonly prometheus: Prometheus;
  readonly #stack: AsyncDisposableStack;
  readonly #startedAt: number;

  private constructor(prometheus: Prometheus, stack: AsyncDisposableStack, startedAt: number) {
    this.prometheus = prometheus;
    this.#stack = stack;
    this.#startedAt = startedAt;
  }

  static async start(): Promise<MadeUpSeries> {
    const startedAt = Date.now();
    await using stack = new AsyncDisposableStack();
    let scrapes = 0;
    const server = createServer((_request, response) => {
      scrapes += 1;
      response.setHeader('content-type', 'text/plain');
      response.end(expositionAt(scrapes).trimStart());
    });
    stack.defer(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const prometheus = stack.use(await startPrometheus({ targets: [`127.0.0.1:${port}`] }));
    await waitUntil(() => Promise.resolve(scrapes > SCRAPES));
    return new MadeUpSeries(prometheus, stack.move(), startedAt);
  }

  /** Returns what the chosen queries of a dashboard return, with these values of variables. */
  async seriesOf(
    uid: string,
    isChosen: (query: Query) => boolean,
    chosen: Values = {},
  ): Promise<QuerySeries[]> {
    const dashboard = dashboardOf(uid);
    const values = { ...(await selectAll(this.prometheus, dashboard)), ...chosen };
    const found = queriesOf(dashboard)
      .filter(isChosen)
      .map((query) => runQuery(this.prometheus, query, values, this.#startedAt));
    return (await Promise.all(found)).flat();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
