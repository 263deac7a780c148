// Tests that vmalert and VictoriaMetrics take the rules and the queries for Prometheus, as the how-to starts them.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rulesOf } from '../../src/alerts/rules.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { createFolder } from '../config/support.ts';
import { codeBlocksIn } from '../docs/documents.ts';
import { type Query, queriesOf, readDashboards, type Values } from '../grafana/dashboard-files.ts';
import { freeAddress } from '../support/free-port.ts';
import { engines } from './engines.ts';
import { runQuery, selectAll } from './grafana-queries.ts';
import { apiAt, type Prometheus, type PrometheusApi, startPrometheus } from './prometheus-server.ts';
import { serveTrouble } from './trouble.ts';
import { describeWith, missingOf } from './with-programs.ts';

/** vmalert 1.79 does not know `keep_firing_for`, and has no tool. */
const TOOL =
  engines('vmalert-tool').find(({ path }) => missingOf([path]).length === 0)?.path ?? 'vmalert-tool';
const PATIENCE = { timeout: 60_000, interval: 500 };

describeWith([TOOL], 'vmalert-tool', () => {
  test.each(readdirSync('prometheus/tests'))('%s passes', async (name) => {
    const path = join(createFolder({}), 'tests.yml');
    const tests = readFileSync(join('prometheus/tests', name), 'utf8')
      .replaceAll('promql_expr_test:', 'metricsql_expr_test:')
      .replaceAll('../', `${resolve('prometheus')}/`);
    writeFileSync(path, tests);
    const { stdout } = await promisify(execFile)(TOOL, [
      'unittest',
      '--disableAlertgroupLabel',
      '--files',
      path,
    ]);
    expect(stdout).toContain('SUCCESS');
  });
});

const SECTION = codeBlocksIn('docs/how-to/get-paged.md');
const [SCRAPE = ''] = SECTION.filter(({ text }) => text.startsWith('# prometheus.yml\nrule_files')).map(
  ({ text }) => text,
);
const [COMMANDS = ''] = SECTION.filter(({ text }) => text.startsWith('victoria-metrics ')).map(
  ({ text }) => text,
);

type Labels = Readonly<Record<string, string>>;

/** Takes alerts as Alertmanager does. */
const startReceiver = async () => {
  const received = new Set<string>();
  const server = createServer(async (request, response) => {
    for (const { labels } of (await json(request)) as { labels: Labels }[]) received.add(keyOf(labels));
    response.end();
  });
  const address = await freeAddress();
  const [host = '', port] = address.split(':');
  await once(server.listen(Number(port), host), 'listening');
  return { address, received, [Symbol.dispose]: () => void server.close() };
};

const keyOf = (labels: Labels): string => JSON.stringify(Object.entries(labels).toSorted());

/** Queries find the samples of the last 30 seconds, also on a busy machine that misses scrapes. */
const SOON_VISIBLE = '-search.latencyOffset=0s -search.minStalenessInterval=15s';
const EACH_SECOND = '-evaluationInterval=1s -rule.evalDelay=0s';

/** Starts the programs of the how-to at free addresses, each with a second between two scrapes or evaluations. */
const startPrograms = async (folder: string, target: string, receiver: string) => {
  const addresses = { '127.0.0.1:9876': target, '127.0.0.1:9093': receiver } as Record<string, string>;
  for (const port of ['8428', '8429', '8880']) addresses[`127.0.0.1:${port}`] = await freeAddress();
  const placed = (text: string): string =>
    text.replaceAll(/127\.0\.0\.1:\d+/g, (address) => addresses[address] ?? address);
  writeFileSync(join(folder, 'prometheus.yml'), placed(SCRAPE).replace('1m', '1s'));
  const commands = placed(COMMANDS)
    .replaceAll('\\\n', '')
    .replace(/^victoria-metrics/, `$& ${SOON_VISIBLE}`)
    .replace('vmalert', `$& ${EACH_SECOND}`)
    .trim()
    .split('\n');
  const PATH = `${resolve(TOOL, '..')}:${process.env.PATH}`;
  const children = commands.map((command) => {
    const options = { cwd: folder, stdio: 'ignore', env: { PATH } } as const;
    const child = spawn('sh', ['-c', `exec ${command.replace(/ &$/, '')}`], options);
    return { child, ended: once(child, 'close') };
  });
  return {
    metrics: apiAt(addresses['127.0.0.1:8428'] ?? ''),
    alerting: apiAt(addresses['127.0.0.1:8880'] ?? ''),
    [Symbol.asyncDispose]: async () => {
      for (const { child, ended } of children) {
        child.kill('SIGKILL');
        await ended;
      }
    },
  };
};

describeWith([TOOL, 'prometheus'], 'vmagent, vmalert and VictoriaMetrics', () => {
  const stack = new AsyncDisposableStack();
  const startedAt = Date.now();
  let received: ReadonlySet<string>;
  let prometheus: Prometheus;
  let metrics: PrometheusApi;
  let alerting: PrometheusApi;
  beforeAll(async () => {
    const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'proxywatch-vmalert-'))).path;
    const rules = join(folder, 'proxywatch.yml');
    writeFileSync(rules, rulesOf(ALERTS, { holdScale: 0 }));
    const target = stack.use(await serveTrouble()).address;
    const receiver = stack.use(await startReceiver());
    received = receiver.received;
    ({ metrics, alerting } = stack.use(await startPrograms(folder, target, receiver.address)));
    prometheus = stack.use(await startPrometheus({ targets: [target], rules }));
  });
  afterAll(() => stack.disposeAsync());

  const firing = async (engine: PrometheusApi): Promise<string[]> => {
    const alerts = await engine.alerts().catch(() => []);
    return alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => keyOf(labels))
      .toSorted();
  };

  test('fire the same alerts as Prometheus, and send them with the same labels', async () => {
    const enough = async () => (await firing(prometheus)).length > 5;
    await expect.poll(enough, PATIENCE).toBe(true);
    const expected = await firing(prometheus);
    await expect.poll(() => firing(alerting), PATIENCE).toEqual(expected);
    // At the start, before the first scrape, also ProxywatchDown.
    await expect.poll(() => [...received], PATIENCE).toEqual(expect.arrayContaining(expected));
    const rules = await alerting.rules();
    expect(rules).toHaveLength(ALERTS.length);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });

  test('answer each query of the dashboards with the same series as Prometheus', async () => {
    const seriesOf = async (engine: PrometheusApi, query: Query, values: Values) =>
      (await runQuery(engine, query, values, startedAt))
        // VictoriaMetrics leaves out series without a number, such as quantiles of nothing.
        .filter(({ points }) => points.some(([, value]) => Number.isFinite(value)))
        .map(({ labels }) => keyOf(labels))
        .toSorted();
    const differing = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const dashboard of readDashboards()) {
        const values = { ...(await selectAll(prometheus, dashboard)), limit: '10' };
        for (const query of queriesOf(dashboard)) {
          const [own, others] = [
            await seriesOf(metrics, query, values),
            await seriesOf(prometheus, query, values),
          ];
          if (JSON.stringify(own) !== JSON.stringify(others)) found.push(query.location);
        }
      }
      return found;
    };
    await expect.poll(differing, PATIENCE).toEqual([]);
  });
});
