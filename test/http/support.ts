// Provides tests of the HTTP server with a view that they control, and a server that serves it.

import { Readable } from 'node:stream';
import { ActiveAlerts } from '../../src/alerts/active.ts';
import { type Annotate, annotator } from '../../src/alerts/annotations.ts';
import type { MutedAlert } from '../../src/alerts/muting/alert-mutes.ts';
import { type AlertDescriber, alertDescriber } from '../../src/alerts/notification.ts';
import { createAlertView } from '../../src/daemon/alert-view.ts';
import type { AlertView } from '../../src/http/alert-view.ts';
import type { DaemonView, ScrapeRequest, TestView } from '../../src/http/daemon-view.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../src/http/server.ts';
import type { CollectorStatus } from '../../src/http/status-view.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { HOUR } from '../../src/lib/time.ts';
import { addStatusPage } from '../../src/status-page/routes.ts';
import type { StoredAlert } from '../../src/store/alert-store.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** The daemon is the only shard. */
const ALONE_STATUS = { index: 0, count: 1, urls: [], owners: [] };

export const NOW = Date.parse('2026-03-01T12:00:00Z');
/** No maintenance is running. */
export const NO_MAINTENANCE = { nextAt: NOW + HOUR, runningSince: null, progress: null };
export const BODY = 'proxywatch_example_bytes 1\n';

export const noReload: HttpServerOptions['reload'] = async () => ({ result: 'no_file' });

export interface LogLine extends Record<string, unknown> {
  readonly level: string;
  readonly message: string;
}

export interface TestServer extends HttpServer {
  readonly url: string;
  readonly clock: FakeClock;
  readonly scrapes: ScrapeRequest[];
  readonly lines: LogLine[];
}

export const startServer = async (
  overrides: Partial<DaemonView> = {},
  reload: HttpServerOptions['reload'] = noReload,
  webConfigFile?: string,
  serverLimits?: HttpServerOptions['serverLimits'],
  readers: readonly string[] = [],
  allowedHosts: readonly string[] = [],
): Promise<TestServer> => {
  const clock = new FakeClock(NOW);
  const lines: LogLine[] = [];
  const scrapes: ScrapeRequest[] = [];
  const view: DaemonView = {
    accounts: () => ['main', 'shop'],
    shards: () => ALONE_STATUS,
    collectors: () => ['traffic', 'proxy_users'],
    alertNames: () => ['StoreFailing', 'ReloadFailed'],
    scrape: async (request) => {
      scrapes.push(request);
      return {
        contentType: 'text/plain',
        contentLength: BODY.length,
        body: Readable.from([Buffer.from(BODY)]),
      };
    },
    status: async () => ({
      version: '1.2.3',
      startedAt: NOW,
      maintenance: NO_MAINTENANCE,
      accounts: [],
      remoteWrite: [],
    }),
    notReadyReasons: async () => [],
    version: '1.2.3',
    account: () => undefined,
    configurationRevision: () => 'first',
    revision: () => 'first',
    storeStatus: () => ({ bytes: 4_096, walBytes: 0, epochBeganAt: null }),
    tests: testView(),
    alerts: alertView([], { isOn: false }),
    alertHistory: { page: async () => [] },
    silences: {
      list: () => [],
      windows: () => [],
      add: async () => ({ refusal: 'no silences' }),
      remove: async () => false,
    },
    notices: { find: () => ({ refusal: 'no notices' }), noticesOf: async () => [] },
    testsNow: {
      plan: async () => [],
      start: async () => undefined,
      last: () => undefined,
      nextRoundAt: () => null,
    },
    probes: { probe: async () => ({ mistake: 'no probes' }) },
    providerReport: () => ({
      about: '',
      version: '1.2.3',
      accounts: [],
    }),
    ...overrides,
  };
  const listen = { host: '127.0.0.1', port: 0 };
  const log = logTo(lines);
  const server = await startHttpServer({
    ...{ listen, webConfigFile, view, reload, serverLimits, clock, log },
    readers: () => readers,
    hosts: () => ({ allowedHosts }),
    addPage: addStatusPage,
  });
  const url = `${server.scheme}://127.0.0.1:${server.address.port}`;
  const close = () => server[Symbol.asyncDispose]();
  return { ...server, url, clock, scrapes, lines, [Symbol.asyncDispose]: close };
};

/** Returns a view of active alerts. By default their summaries are their names. */
export const alertView = (
  stored: readonly StoredAlert[],
  {
    isOn = true,
    describe = defaultDescriber,
    annotate = annotator([], () => ({})),
    evaluatedAt = NOW,
    mutedNow = () => undefined,
  }: {
    readonly isOn?: boolean;
    readonly describe?: AlertDescriber;
    readonly annotate?: Annotate;
    readonly evaluatedAt?: number | null;
    readonly mutedNow?: (alert: StoredAlert) => MutedAlert | undefined;
  } = {},
): AlertView =>
  createAlertView({
    isOn,
    describe,
    annotate,
    evaluatedAt: isOn ? evaluatedAt : null,
    active: new ActiveAlerts(stored),
    mutedNow,
  });

export const defaultDescriber: AlertDescriber = alertDescriber([]);

/** Returns a view of an account without tests. */
export const testView = (overrides: Partial<TestView> = {}): TestView => ({
  revision: async () => 'first',
  proxies: async () => [],
  testers: async () => [],
  targets: async () => [],
  uptimeHistories: async () => [],
  proxyHours: async () => ({ from: 0, hours: new Map() }),
  faults: async () => [],
  proxy: async () => undefined,
  target: async () => undefined,
  tester: async () => undefined,
  history: async () => undefined,
  failureSources: (account) => [account],
  failures: async () => [],
  countFailures: async () => 0,
  ...overrides,
});

export const collectorStatus = (overrides: Partial<CollectorStatus> = {}): CollectorStatus => ({
  name: 'traffic',
  dataState: 'current',
  dataAsOf: NOW - 30_000,
  result: 'ok',
  lastAttemptAt: NOW - 30_000,
  lastDurationMs: 1_500,
  lastSuccessAt: NOW - 30_000,
  error: null,
  failuresInARow: 0,
  intervalMs: 60_000,
  nextRunAt: NOW + 30_000,
  runningSince: null,
  progress: null,
  waitsUntil: null,
  ...overrides,
});

const logTo = (lines: LogLine[]): Log => ({
  ...silentLog,
  trace: (fields, message) => void lines.push({ level: 'trace', message, ...fields }),
  info: (fields, message) => void lines.push({ level: 'info', message, ...fields }),
  warn: (fields, message) => void lines.push({ level: 'warn', message, ...fields }),
  error: (fields, message) => void lines.push({ level: 'error', message, ...fields }),
});
