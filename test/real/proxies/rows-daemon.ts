// Runs a daemon with an account for each row of the table of probes, so that rows never decide about each other.

import { setImmediate } from 'node:timers/promises';
import { type App, createApp } from '../../../src/daemon/app.ts';
import { settingsSchema } from '../../../src/daemon/settings.ts';
import { MINUTE, SECOND } from '../../../src/lib/time.ts';
import type { Expectation, ProbeProxy } from '../../../src/prober/probe.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type LogLine, recordingLog } from '../../support/recording-log.ts';
import { Samples } from '../../support/samples.ts';
import { PROXY_CA, TARGET_CA } from './certificates.ts';
import type { Lab } from './lab.ts';
import { createFolder } from './program.ts';
import { proxyOf, type Row } from './row.ts';

/** The name of the target in each account, which is the label `url`. */
export const URL_NAME = 'target';
/** The name of the proxy in each account, which is the label `proxy_id`. */
export const PROXY_NAME = 'proxy';
const START = '2026-07-06T12:01:30Z';
const NOTHING_BUT_PROBES = {
  ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
};

/** Only a few runs begin in each second, so the seconds for which the others wait pass at once. */
class RunningClock extends FakeClock {
  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms > SECOND) return super.sleep(ms, signal);
    await setImmediate();
    signal?.throwIfAborted();
    this.advance(ms);
  }
}

export const accountOf = (index: number): string => `row-${index}`;

export interface Rounds {
  readonly samples: Samples;
  /** Warnings and errors of an account. */
  readonly log: readonly LogLine[];
}

/** Runs two rounds, after which a failure is a fault. The result is by the number of the row. */
export const runRounds = async (rows: readonly Row[], lab: Lab): Promise<Rounds[]> => {
  const folder = createFolder({ 'target-ca.pem': TARGET_CA, 'proxy-ca.pem': PROXY_CA });
  const lines: LogLine[] = [];
  const clock = new RunningClock(START);
  try {
    await using app = await createApp({
      settings: settingsSchema.parse({
        store: { path: `${folder.path}/proxywatch.db` },
        metrics: { first_step_hold: '0s' },
        accounts: rows.map((row, index) => accountFor(row, lab, folder.path, index)),
      }),
      ...{ clock, log: recordingLog(lines), version: '0.0.0-test', nodeVersion: '24.0.0', isDurable: false },
    });
    await runTwice(app, clock);
    return await resultsOf(app, lines, rows.length);
  } finally {
    folder[Symbol.dispose]();
  }
};

const runTwice = async (app: App, clock: RunningClock): Promise<void> => {
  for (const { jobs } of app.accounts) for (const job of jobs) await app.runner.add(job);
  await app.runner.idle();
  clock.advance(5 * MINUTE);
  app.runner.tick();
  await setImmediate();
  await app.runner.idle();
};

const resultsOf = async (app: App, lines: readonly LogLine[], count: number): Promise<Rounds[]> => {
  const { body } = await app.exposition.scrape({ format: 'text', encoding: 'identity' });
  const exposition = (await body.toArray()).join('').split('\n');
  const samplesBy = Map.groupBy(exposition, (line) => /[{,]account="([^"]*)"/.exec(line)?.[1] ?? '');
  const linesBy = Map.groupBy(lines, ({ fields }) => String(fields.account));
  return Array.from({ length: count }, (_, index) => ({
    samples: new Samples((samplesBy.get(accountOf(index)) ?? []).join('\n')),
    log: (linesBy.get(accountOf(index)) ?? []).filter(({ level }) => level === 'warn' || level === 'error'),
  }));
};

const accountFor = (row: Row, lab: Lab, folder: string, index: number) => ({
  ...{ name: accountOf(index), base_url: 'http://127.0.0.1:1/', public_key: 'p', private_key: 'k' },
  ...NOTHING_BUT_PROBES,
  probes: {
    urls: [targetOf(row, lab, folder)],
    proxies: [proxyEntryOf(row, lab, folder)],
    timeout: '60s',
    timeouts: {
      ...{ resolve: '30s', connect: '30s', tunnel: '30s', tls: '30s', response: '30s' },
      ...Object.fromEntries(Object.entries(row.limits ?? {}).map(([phase, ms]) => [phase, `${ms}ms`])),
    },
    // A row without a proxy is about the control. The proxy of its account is one that works.
    ...(row.proxy !== null && { control: false }),
  },
});

const targetOf = (row: Row, { targets }: Lab, folder: string) => ({
  ...{ name: URL_NAME, url: row.url(targets), depth: row.depth },
  ...(row.expect && { expect: expectOf(row.expect) }),
  ...(row.trust !== 'usual for the target' && { ca_file: `${folder}/target-ca.pem` }),
});

/** Writes the expectation as an operator does in the configuration. */
const expectOf = ({ status, headers, body }: Expectation) => ({
  ...(status && { status }),
  ...(headers && {
    headers: Object.fromEntries(Object.entries(headers).map(([name, pattern]) => [name, pattern.source])),
  }),
  ...(body && { body: body.source }),
});

const proxyEntryOf = (row: Row, lab: Lab, folder: string) => {
  const proxy = proxyOf(row, lab) ?? lab.proxies['squid without a password'];
  return {
    ...{ name: PROXY_NAME, product_type: 'isp', proxy: lineOf(proxy) },
    ...(proxy.ca && { ca_file: `${folder}/${proxy.ca === TARGET_CA ? 'target' : 'proxy'}-ca.pem` }),
  };
};

const lineOf = ({ protocol, host, port, credentials }: ProbeProxy): string => {
  const login = credentials
    ? `${credentials.username}:${encodeURIComponent(credentials.password.reveal())}@`
    : '';
  return `${protocol}://${login}${host.includes(':') ? `[${host}]` : host}:${port}`;
};
