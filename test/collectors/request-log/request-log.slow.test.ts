// Tests the counted requests and errors against the simulator's log, with faults, restarts, and providers that do not count.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { classOf } from '../../../src/collectors/request-log/classes.ts';
import { groupOf } from '../../../src/collectors/request-log/count-codes.ts';
import type { Log } from '../../../src/lib/log.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { ScenarioInput } from '../../../src/simulator/scenario.ts';
import type { ErrorKey, ErrorSums } from '../../../src/store/request-log-store.ts';
import type { Harness } from '../../support/harness.ts';
import { buildWithOnly, expectUnchangedByFaults, recordingLog } from '../single-collector.ts';
import { lastRun } from '../stub-account.ts';

const SETTLE = 10 * MINUTE;
const STEP = 5 * MINUTE;

const ENDPOINT = 'log/search';
/** Answers 422 to requests with this parameter or value. */
const refuse = (query: string) => ({ kind: 'status', status: 422, endpoint: ENDPOINT, query });
const COUNTS_NOTHING = { kind: 'set_fields', fields: { total_count: -1 }, endpoint: ENDPOINT };

const build = (
  options: object = {},
  { faults = [], ...log }: ScenarioInput['log'] & { readonly faults?: readonly object[] } = {},
  scenario: ScenarioInput = {},
  logger?: Log,
): Promise<Harness> =>
  buildWithOnly(
    'request_log',
    { schedule: '*/5 * * * *', ...options },
    {
      ...{ faults, scenario: { start: '2026-07-06T00:00:00Z', log, ...scenario } },
      firstStepHold: '0s',
      ...(logger && { log: logger }),
    },
  );

const countedTo = async ({ app }: Harness): Promise<number> =>
  (await app.store.requestLog.state('main'))?.countedTo ?? Number.NaN;

/** The start of the window of the first run. */
const countedFrom = ({ clock }: Harness): number =>
  Math.floor((clock.now() - SETTLE) / MINUTE) * MINUTE - STEP;

/** The true numbers of requests and errors by series, between two times. */
const truth = ({ simulator }: Harness, from: number, to: number): Record<string, number> => {
  const counts: Record<string, number> = {};
  const add = (key: string, rows: number) => {
    counts[key] = (counts[key] ?? 0) + rows;
  };
  for (const { type, code, rows } of simulator.truth.logged(from, to)) {
    add(type, rows);
    const group = groupOf(code);
    if (code !== 200 && group !== undefined)
      add(`${type} ${classOf(group)} ${String(code).slice(0, 3)}`, rows);
  }
  return counts;
};

const counted = async (harness: Harness): Promise<Record<string, number>> => {
  const samples = await harness.samples();
  return Object.fromEntries([
    ...samples
      .all('proxywatch_log_requests_total')
      .map(({ labels, value }) => [labels.product_type, value] as const),
    ...samples
      .all('proxywatch_log_errors_total')
      .map(({ labels: { product_type, class: name, code }, value }) => [
        `${product_type} ${name} ${code}`,
        value,
      ]),
  ]);
};

const advance = async (harness: Harness, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += STEP) await harness.advance(STEP);
};

const requests = ({ simulator }: Harness): number => simulator.requests.count('log/search');

it('requests and errors are those of the log, over faults, restarts and downtime', async () => {
  await using harness = await build();
  const start = countedFrom(harness);
  expect(await countedTo(harness)).toBe(start + STEP);
  const expectTruth = async () => {
    const to = await countedTo(harness);
    expect(await counted(harness)).toEqual(truth(harness, start, to));
    return to;
  };
  await advance(harness, HOUR);
  expect(harness.clock.now() - (await expectTruth())).toBeLessThan(SETTLE + 2 * STEP);
  harness.simulator.faults.add({ kind: 'status', status: 500, endpoint: 'log/search', probability: 0.05 });
  await advance(harness, HOUR);
  await expectTruth();
  harness.simulator.faults.clear();
  await harness.restart();
  await advance(harness, HOUR);
  await harness.stop();
  harness.clock.advance(9 * HOUR);
  await harness.start();
  await advance(harness, HOUR);
  expect(harness.clock.now() - (await expectTruth())).toBeLessThan(SETTLE + 2 * STEP);
});

it.each([
  ['the operators of codes are refused', { faults: [refuse('min_log_status_code')] }],
  ['the operators of codes are ignored', { ignored: ['min_log_status_code', 'max_log_status_code'] }],
  ['only the upper bound is ignored', { ignored: ['max_log_status_code'] }],
  ['the product type is ignored', { ignored: ['log_network'] }],
  ['nothing is counted', { faults: [COUNTS_NOTHING] }],
])('a few rows are listed if %s', async (_, log) => {
  const traffic = {
    requests_per_minute: { datacenter: 9, isp: 7, residential: 11, mobile: 2 },
    error_ratio: 0.1,
  };
  await using harness = await build({}, log, { traffic });
  const start = countedFrom(harness);
  await advance(harness, HOUR);
  const to = await countedTo(harness);
  expect(to).toBeGreaterThan(start + HOUR / 2);
  expect(await counted(harness)).toEqual(truth(harness, start, to));
  expect((await harness.samples()).value('proxywatch_log_uncounted_seconds_total')).toBe(0);
});

it('downtime with more rows than may be listed at once is listed in parts', async () => {
  const traffic = { requests_per_minute: { datacenter: 60, isp: 20, residential: 20, mobile: 10 } };
  await using harness = await build({}, { faults: [COUNTS_NOTHING] }, { traffic });
  const start = countedFrom(harness);
  await harness.stop();
  harness.clock.advance(2 * HOUR);
  await harness.start();
  await advance(harness, HOUR);
  const to = await countedTo(harness);
  expect(harness.clock.now() - to).toBeLessThan(SETTLE + 2 * STEP);
  expect(await counted(harness)).toEqual(truth(harness, start, to));
  expect((await harness.samples()).value('proxywatch_log_uncounted_seconds_total')).toBe(0);
});

it.each([
  ['nothing is counted', { faults: [COUNTS_NOTHING] }],
  ['times are ignored', { ignored: ['min_log_request_datetime'] }],
])(
  'many rows are not listed: their time is not counted, and no error is said to be 0, if %s',
  async (_, log) => {
    const traffic = { requests_per_minute: { datacenter: 6_000 } };
    await using harness = await build({}, log, { traffic });
    const start = countedFrom(harness);
    await advance(harness, HOUR / 2);
    const samples = await harness.samples();
    const to = await countedTo(harness);
    expect(to).toBeGreaterThan(start);
    expect(samples.value('proxywatch_log_uncounted_seconds_total')).toBe((to - start) / 1_000);
    expect(await counted(harness)).toEqual({});
    expect(samples.all('proxywatch_log_recent_errors')).toEqual([]);
  },
);

it('rows that are later than settle are not counted, and no window is counted twice', async () => {
  await using harness = await build({}, { late: { ratio: 0.2, by_ms: 5 * MINUTE } });
  const start = countedFrom(harness);
  await advance(harness, HOUR);
  expect(await counted(harness)).toEqual(truth(harness, start, await countedTo(harness)));
});

it('time that the provider has removed is said to be lost', async () => {
  await using harness = await build();
  await advance(harness, HOUR);
  await harness.stop();
  harness.clock.advance(8 * 24 * HOUR);
  await harness.start();
  const lost = (await harness.samples()).value('proxywatch_log_uncounted_seconds_total');
  expect(lost).toBeGreaterThan(24 * 3_600);
  expect(lost).toBeLessThan(26 * 3_600);
});

it('an account makes no more requests than it may, and counts longer windows then', async () => {
  await using harness = await build({ max_requests_per_day: 2_000, samples: 0 });
  const start = countedFrom(harness);
  const before = requests(harness);
  await advance(harness, 24 * HOUR);
  expect(requests(harness) - before).toBeLessThanOrEqual(2_000);
  const to = await countedTo(harness);
  expect(harness.clock.now() - to).toBeLessThan(3 * HOUR);
  expect(await counted(harness)).toEqual(truth(harness, start, to));
});

it('restarts do not add requests to those of a day', async () => {
  await using harness = await build({ max_requests_per_day: 1_000, samples: 0 });
  const before = requests(harness);
  for (let hour = 0; hour < 24; hour += 1) {
    await advance(harness, HOUR);
    await harness.restart();
  }
  expect(requests(harness) - before).toBeLessThanOrEqual(1_000);
});

it('a run that is late because of the limit of requests says so', async () => {
  await using harness = await build({ max_requests_per_day: 1_000 });
  await harness.stop();
  harness.clock.advance(12 * HOUR);
  await harness.start();
  await harness.advance(STEP);
  expect(await lastRun(harness)).toMatchObject({ result: 'partial' });
  const [run] = await harness.app.store.runs.states('main');
  expect(run?.errorMessage).toMatch(/^max_requests_per_day: .* an hour late/);
  const { recent = [], countedTo: newest } = (await harness.app.store.requestLog.state('main')) ?? {};
  expect(recent.at(-1)?.to).toBe(newest);
});

it('the newest hour has data if minutes settle late', async () => {
  await using harness = await build({ settle: '5h' });
  expect((await harness.samples()).all('proxywatch_log_recent_requests').length).toBeGreaterThan(0);
});

it('an account without the endpoint fails alone, and says what to turn off', async () => {
  await using harness = await build();
  for (const status of [403, 404, 422]) {
    harness.simulator.faults.replace([{ kind: 'status', status, endpoint: 'log/search' }]);
    await harness.advance(STEP);
    expect(await lastRun(harness)).toMatchObject({ result: 'failed' });
    const [run] = await harness.app.store.runs.states('main');
    expect(run?.errorMessage).toContain('turn off request_log');
  }
});

it('a failed run and a restart change nothing', async () => {
  await using harness = await build({ schedule: '0 * * * *' });
  await harness.advance(HOUR);
  await expectUnchangedByFaults(harness, [
    { kind: 'status', status: 401 },
    { kind: 'status', status: 403 },
    { kind: 'malformed_json' },
    { kind: 'set_fields', fields: { data: 'none' } },
  ]);
});

const sumsOf = ({ app }: Harness, by: ErrorKey): Promise<ErrorSums> =>
  app.store.requestLog.sums('main', { from: 0, to: Number.MAX_SAFE_INTEGER, by, limit: 100 });

it('samples say which users and host names fail, exactly if all errors were read', async () => {
  await using harness = await build({ samples: 10_000 });
  const start = countedFrom(harness);
  await advance(harness, HOUR);
  const errors = Object.entries(truth(harness, start, await countedTo(harness)))
    .filter(([key]) => key.includes(' '))
    .reduce((sum, [, rows]) => sum + rows, 0);
  for (const by of ['user', 'hostname', 'class', 'code', 'product_type'] as const) {
    const sums = await sumsOf(harness, by);
    expect(sums.sums.reduce((sum, each) => sum + each.errors, 0)).toBeCloseTo(errors);
    expect(sums).toMatchObject({ errors, sampledErrors: errors });
    expect(sums.sums.every(({ errorsVariance }) => errorsVariance === 0)).toBe(true);
  }
});

it('of many errors, the sample is random', async () => {
  await using harness = await build({ samples: 200 }, {}, { traffic: { error_ratio: 0.4 } });
  await advance(harness, HOUR);
  const { sums, errors, sampledErrors } = await sumsOf(harness, 'user');
  // A run that counts two windows has no more samples for the second one.
  expect(sampledErrors).toBeGreaterThan(errors / 2);
  expect(sampledErrors).toBeLessThan(errors + 1);
  expect(sums.some(({ errorsVariance }) => (errorsVariance ?? 0) > 0)).toBe(true);
  expect(sums.some(({ errorsVariance }) => errorsVariance === null)).toBe(false);
});

it.each([
  ['failed requests are refused', { faults: [refuse('not_log_status_code')] }],
  ['random ones are refused', { faults: [refuse('random')] }],
  ['the random order is ignored', { ignored: ['random'] }],
])('there is no sample if %s', async (_, log) => {
  await using harness = await build({ samples: 200 }, log, { traffic: { error_ratio: 0.4 } });
  await advance(harness, HOUR / 2);
  expect(await sumsOf(harness, 'user')).toMatchObject({ sums: [], sampledErrors: 0, bytes: null });
});

it('20 million rows are counted within the requests of a day', async () => {
  const each = 20_000_000 / 4 / 1_440;
  const traffic = { requests_per_minute: { datacenter: each, isp: each, residential: each, mobile: each } };
  await using harness = await build({ schedule: '0 * * * *' }, {}, { traffic });
  const start = countedFrom(harness);
  const before = requests(harness);
  for (let hour = 0; hour < 24; hour += 1) await harness.advance(HOUR);
  const counts = await counted(harness);
  expect(counts).toEqual(truth(harness, start, await countedTo(harness)));
  expect(
    ['datacenter', 'isp', 'residential', 'mobile'].reduce((sum, type) => sum + (counts[type] ?? 0), 0),
  ).toBeGreaterThan(18_000_000);
  expect(requests(harness) - before).toBeLessThan(5_000);
});

it('no address of a client is in the metrics, the store or the log', async () => {
  const log = recordingLog();
  await using harness = await build({}, {}, {}, log);
  await advance(harness, HOUR);
  expect((await sumsOf(harness, 'user')).sums.length).toBeGreaterThan(0);
  const written = [await harness.metricsText(), JSON.stringify(log.lines)];
  await harness.stop();
  for (const file of await readdir(harness.folder))
    written.push(await readFile(join(harness.folder, file), 'latin1'));
  for (const text of written) expect(text).not.toContain('198.51.100');
});

it('a code that is not documented is an error of the class other', async () => {
  await using harness = await build({}, { codes: { '404': 1 } });
  await advance(harness, HOUR / 2);
  const classes = (await harness.samples())
    .all('proxywatch_log_errors_total')
    .map(({ labels }) => labels.class);
  expect(new Set(classes)).toEqual(new Set(['other']));
});
