// Tests backfill: the store's history as OpenMetrics with timestamps.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backfill } from '../../src/cli/export.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { Store } from '../../src/store/store.ts';
import { createFolder } from '../config/support.ts';
import { bucketAt, observationOf, openStore } from '../store/support.ts';
import { runToEnd } from './program.ts';
import { type CommandResult, configText, runCommand } from './run-command.ts';

const PROVIDER = { baseUrl: 'http://127.0.0.1:9/1.0', publicKey: 'public', privateKey: 'private' };
const LEDGER_ROW = {
  ...{ reason: 'usage', serviceId: null },
  ...{ adjustmentId: null, createdAt: null, updatedAt: null },
};
/** Midnight in the account's zone. */
const START = Date.parse('2026-07-05T18:30:00Z');
const ZONE = 'Asia/Kolkata';
const SHOP = { name: 'shop', hostname: 'shop.example' };

const folderWith = (account = {}): string =>
  createFolder({
    'config.yaml': configText(
      PROVIDER,
      { time_zone: ZONE, traffic: { graphs: [SHOP] }, ...account },
      { store: { path: 'store.db' } },
    ),
  });

const runBackfill = (
  folder: string,
  from: number,
  to: number,
  file = 'out.om',
  signal?: AbortSignal,
): Promise<CommandResult> => {
  const output = file === '-' ? file : join(folder, file);
  return runCommand(
    backfill,
    { config: join(folder, 'config.yaml'), from: () => from, to: () => to, output },
    signal,
  );
};

const backfillText = async (folder: string, from: number, to: number): Promise<string> => {
  const { code, stdout, stderr } = await runBackfill(folder, from, to, '-');
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^([\d,]+|no) samples?/) });
  return stdout;
};

const samplesIn = (text: string): string[] => text.split('\n').filter((line) => /^[^#]/.test(line));

const openGraph = async ({ traffic }: Store, name: string, slice: object): Promise<number> => {
  const identity = { account: 'main', name, slice: JSON.stringify({ ...slice, interval: 'minute' }) };
  const graph = await traffic.openGraph(
    { ...identity, requestFormat: '', zone: ZONE, bucketMs: MINUTE },
    0,
    START,
  );
  return graph.id;
};

const window = (...buckets: ReturnType<typeof bucketAt>[]) => ({
  buckets,
  watermark: START,
  now: START,
  baselinedAt: START,
});

const saveUsage = async ({ users }: Store, at: number, residential: number): Promise<void> => {
  const quotas = {
    residential: { limitBytes: null, usedBytes: residential },
    mobile: { limitBytes: null, usedBytes: 0 },
  };
  await users.savePage('main', [observationOf('a', quotas)], at, at);
  await users.completeListing('main', new Set('a'), at, at);
};

test('families follow one another, each with its series of all accounts in order of time', async () => {
  const folder = folderWith();
  {
    using store = openStore(join(folder, 'store.db'));
    const all = await openGraph(store, '', {});
    const shop = await openGraph(store, 'shop', { hostname: 'shop.example' });
    const large = Number.MAX_SAFE_INTEGER;
    await store.traffic.saveWindow(
      all,
      window(
        bucketAt(START, { bytes: large, requests: 3, concurrencyAverage: 1.25 }),
        bucketAt(START + MINUTE, { bytes: 0, smartpathMoneySaved: 0.1 }),
        bucketAt(START + 2 * MINUTE, { bytes: 7 }),
      ),
    );
    await store.traffic.saveWindow(shop, window(bucketAt(START, { failed: 2 })));
    const row = { ...LEDGER_ROW, bytes: 0, addedBytes: 0, periodEnd: 0 };
    await store.ledgers.residential.savePage(
      'main',
      [
        { ...row, id: '1', periodDate: '2026-07-06', usedBytes: 5, requests: 1 },
        { ...row, id: '2', periodDate: '2026-07-06', usedBytes: 6, requests: 2, serviceId: 'one' },
        {
          ...row,
          id: '3',
          periodDate: '2026-07-06',
          reason: 'top "up"',
          addedBytes: 9,
          usedBytes: 0,
          requests: null,
        },
        { ...row, id: '4', periodDate: '2026-07-07', usedBytes: 8, requests: 4 },
      ],
      START,
    );
    await saveUsage(store, START - MINUTE, 10);
    await saveUsage(store, START, 30);
    await saveUsage(store, START + 1.5 * MINUTE, 60);
  }
  const account = 'account="main"';
  const slice = `${account},graph="shop",product_type="",proxy_user_id="",service_id="",hostname="shop.example"`;
  const at = (offset: number) => (START + offset) / SECOND;
  const text = await backfillText(folder, START, START + 2 * MINUTE);
  expect(samplesIn(text)).toEqual([
    `proxywatch_history_traffic_bytes{${account}} 9007199254740991 ${at(0)}`,
    `proxywatch_history_traffic_bytes{${account}} 0 ${at(MINUTE)}`,
    `proxywatch_history_traffic_requests{${account}} 3 ${at(0)}`,
    `proxywatch_history_smartpath_money_saved{${account}} 0.1 ${at(MINUTE)}`,
    `proxywatch_history_traffic_concurrency_average{${account}} 1.25 ${at(0)}`,
    `proxywatch_history_graph_failed_requests{${slice}} 2 ${at(0)}`,
    `proxywatch_history_residential_ledger_added_bytes{${account},reason="top \\"up\\""} 9 ${at(0)}`,
    `proxywatch_history_residential_ledger_added_bytes{${account},reason="usage"} 0 ${at(0)}`,
    `proxywatch_history_residential_ledger_used_bytes{${account},reason="top \\"up\\""} 0 ${at(0)}`,
    `proxywatch_history_residential_ledger_used_bytes{${account},reason="usage"} 11 ${at(0)}`,
    `proxywatch_history_residential_ledger_requests{${account},reason="usage"} 3 ${at(0)}`,
    `proxywatch_history_proxy_users_usage_bytes{${account},product_type="residential"} 30 ${at(0)}`,
    `proxywatch_history_proxy_users_usage_bytes{${account},product_type="mobile"} 0 ${at(0)}`,
  ]);
  expect(text).toMatch(/^# HELP proxywatch_history_traffic_bytes \S.*\n# TYPE \S+ gauge\n/);
  expect(text).toMatch(/\n# EOF\n$/);

  // Adjacent ranges contain every sample once.
  const halves = [
    await backfillText(folder, 0, START + MINUTE),
    await backfillText(folder, START + MINUTE, START + 2 * DAY),
  ];
  const whole = await backfillText(folder, 0, START + 2 * DAY);
  expect(halves.flatMap(samplesIn).toSorted()).toEqual(samplesIn(whole).toSorted());
  expect(samplesIn(whole)).toHaveLength(19);
});

test('each family contains all accounts', async () => {
  const config = JSON.parse(configText(PROVIDER, { proxy_users: false }, { store: { path: 'store.db' } }));
  const [main] = config.accounts;
  const folder = createFolder({
    'config.yaml': JSON.stringify({ ...config, accounts: [main, { ...main, name: 'second' }] }),
  });
  {
    using store = openStore(join(folder, 'store.db'));
    for (const account of ['main', 'second', 'third']) {
      const identity = { account, name: '', slice: '', requestFormat: '', zone: 'UTC', bucketMs: MINUTE };
      const { id } = await store.traffic.openGraph(identity, 0, START);
      await store.traffic.saveWindow(id, window(bucketAt(START, { bytes: 1, requests: 2 })));
    }
  }
  expect(samplesIn(await backfillText(folder, START, START + 1))).toEqual(
    [
      'bytes{account="main"} 1',
      'bytes{account="second"} 1',
      'requests{account="main"} 2',
      'requests{account="second"} 2',
    ].map((sample) => `proxywatch_history_traffic_${sample} ${START / SECOND}`),
  );
});

test('a day of 25 hours counts as one day of the ledger', async () => {
  const folder = folderWith({ time_zone: 'Europe/Berlin' });
  {
    using store = openStore(join(folder, 'store.db'));
    const row = { ...LEDGER_ROW, bytes: 0, addedBytes: 0, periodEnd: 0, requests: 0 };
    const dates = ['2026-10-24', '2026-10-25', '2026-10-26'];
    const rows = dates.map((periodDate, index) => ({
      ...row,
      id: periodDate,
      periodDate,
      usedBytes: 1 + index,
    }));
    await store.ledgers.residential.savePage('main', rows, START);
  }
  const used = async (from: string, to: string): Promise<string[]> => {
    const samples = samplesIn(await backfillText(folder, Date.parse(from), Date.parse(to)));
    return samples
      .filter((sample) => sample.includes('used_bytes'))
      .map((sample) => sample.replace(/.*} /, ''));
  };
  const second = Date.parse('2026-10-24T22:00:00Z') / SECOND;
  expect(await used('2026-10-24T22:00:00Z', '2026-10-24T22:30:00Z')).toEqual([`2 ${second}`]);
  expect(await used('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z')).toEqual([`2 ${second}`]);
  expect(await used('2026-10-24T00:00:00Z', '2026-10-25T23:00:01Z')).toEqual([
    `2 ${second}`,
    `3 ${second + (25 * HOUR) / SECOND}`,
  ]);
});

test('listings within one second have separate samples, and use after a gap belongs to the day of its listing', async () => {
  const folder = folderWith();
  {
    using store = openStore(join(folder, 'store.db'));
    await saveUsage(store, START, 1);
    await saveUsage(store, START + 300, 3);
    await saveUsage(store, START + 600, 7);
    await saveUsage(store, START + 20 * DAY, 15);
  }
  const usage = async (from: number, to: number): Promise<string[]> =>
    samplesIn(await backfillText(folder, from, to))
      .filter((sample) => sample.includes('"residential"'))
      .map((sample) => sample.replace(/.*} /, ''));
  const at = START / SECOND;
  expect(await usage(START, START + HOUR)).toEqual([`2 ${at}`, `4 ${at + 1}`]);
  expect(await usage(START + HOUR, START + 30 * DAY)).toEqual([`8 ${at + (19 * DAY) / SECOND}`]);
});

test('days that are written one by one contain every sample once, whatever is rolled up between them', async () => {
  const folder = folderWith();
  const days = 8;
  {
    using store = openStore(join(folder, 'store.db'));
    const graph = await openGraph(store, '', {});
    const minutes = Array.from({ length: (days * DAY) / (7 * MINUTE) }, (_, n) => START + n * 7 * MINUTE);
    await store.traffic.saveWindow(graph, window(...minutes.map((at, n) => bucketAt(at, { bytes: n }))));
    for (const [n, at] of minutes.entries()) if (n % 5 === 0) await saveUsage(store, at + 90 * SECOND, n * n);
  }
  const sumsIn = (text: string): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const [, name = '', value] of text.matchAll(/^(\w+){.* (\d+) \d+$/gm)) {
      sums[name] = (sums[name] ?? 0) + Number(value);
    }
    return sums;
  };
  const whole = sumsIn(await backfillText(folder, START - DAY, START + (days + 1) * DAY));
  let pieces = '';
  for (let day = -1; day <= days; day += 1) {
    pieces += await backfillText(folder, START + day * DAY, START + (day + 1) * DAY);
    // Half of the days are read before they are rolled up, the others after.
    if (day % 2 !== 0) continue;
    using store = openStore(join(folder, 'store.db'));
    const retention = { rawMs: DAY, hourlyMs: 3 * DAY, dailyMs: 400 * DAY };
    const accounts = [{ name: 'main', zone: ZONE, graphs: [''], areUsersPolled: true }];
    const now = START + (day + 5.1) * DAY;
    await store.maintain({ now, retention, accounts, signal: new AbortController().signal });
  }
  expect(sumsIn(pieces)).toEqual(whole);
  expect(Object.keys(whole)).toHaveLength(2);
});

test('a file replaces the former one when it is complete', async () => {
  const folder = folderWith();
  openStore(join(folder, 'store.db'))[Symbol.dispose]();
  writeFileSync(join(folder, 'out.om'), 'before');
  const nothing = `${join(folder, 'out.om')}: no samples, because the store has no history between --from and --to\n`;
  expect(await runBackfill(folder, 0, START)).toEqual({ code: 0, stdout: nothing, stderr: '' });
  expect(readFileSync(join(folder, 'out.om'), 'utf8')).toMatch(/^# HELP .*# EOF\n$/s);
});

test('an aborted backfill leaves no partial file, and the former file as it was', async () => {
  const folder = folderWith();
  {
    using store = openStore(join(folder, 'store.db'));
    const minutes = Array.from({ length: 5_000 }, (_, n) => bucketAt(START + n * MINUTE, { bytes: n }));
    await store.traffic.saveWindow(await openGraph(store, '', {}), window(...minutes));
  }
  writeFileSync(join(folder, 'out.om'), 'before');
  const stop = new AbortController();
  const ended = runBackfill(folder, 0, START + 5 * DAY, 'out.om', stop.signal);
  while (!existsSync(join(folder, 'out.om.partial'))) await new Promise(setImmediate);
  stop.abort();
  expect(await ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: a signal stopped the command before its end\n',
  });
  expect(readFileSync(join(folder, 'out.om'), 'utf8')).toBe('before');
  expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
});

test('mistakes are reported, and nothing is written', async () => {
  const folder = folderWith();
  expect(await runBackfill(folder, START, START)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: --from (2026-07-05T18:30:00Z) is not before --to (2026-07-05T18:30:00Z). Give an earlier --from or a later --to.\n',
  });
  const noStore = await runBackfill(folder, 0, START);
  expect(noStore).toMatchObject({ code: 1, stderr: expect.stringContaining(join(folder, 'store.db')) });
  {
    using store = openStore(join(folder, 'store.db'));
    await openGraph(store, 'shop', { hostname: 'other.example' });
  }
  const conflict = await runBackfill(folder, 0, START);
  expect(conflict.stderr).toMatch(/the store has a graph "shop" with another filter/);
  expect(existsSync(join(folder, 'out.om'))).toBe(false);
  const nowhere = await runBackfill(folderWith({ traffic: false }), 0, START, 'nowhere/out.om');
  expect(nowhere.code).toBe(1);
});

test.each([
  ['2026-07-05T18:30:00Z', '2026-07-05T18:31:00+00:00'],
  ['2026-07-06', '2026-07-07'],
  ['10000d', '0s'],
])('times may be instants, dates and durations before now: %s to %s', async (from, to) => {
  const folder = folderWith();
  {
    using store = openStore(join(folder, 'store.db'));
    await store.traffic.saveWindow(await openGraph(store, '', {}), window(bucketAt(START, { bytes: 1 })));
  }
  const output = join(folder, 'out.om');
  const times = ['--from', from, '--to', to, '--output', output];
  expect(await runToEnd('backfill', '--config', join(folder, 'config.yaml'), ...times)).toEqual({
    code: 0,
    signal: null,
    stdout: `${output}: 1 sample from 2026-07-05T18:30:00Z to 2026-07-05T18:30:00Z\n`,
    stderr: '',
  });
});

test.each(['2026-02-30', '2026-07-05T18:30:00', 'yesterday', '1783276200', ''])(
  'an invalid time: %j',
  async (from) => {
    const { code, stderr } = await runToEnd(
      'backfill',
      '--config',
      'c',
      '--from',
      from,
      '--to',
      '0s',
      '--output',
      '-',
    );
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: option '--from <time>' argument '${from}' is invalid. Expected a date (2026-07-01), an instant (2026-07-01T12:00:00+02:00), or a duration before now (30d). A date means midnight in the time_zone of the account.\n(Add --help to see the options.)\n`,
    );
  },
);
