// Tests the use by user and host name against the truth of the simulator, and how rows are read, refused and kept.

import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { UseKey } from '../../src/store/log-summary-store.ts';
import type { Harness, HarnessOptions } from '../support/harness.ts';
import { buildWithOnly, expectUnchangedByFaults } from './single-collector.ts';
import { lastRun, poll, START } from './stub-account.ts';

const TRAFFIC = { late: { ratio: 0.05 } };
const SCENARIO = { start: '2026-07-05T00:00:00Z', users: 4, deleted_user_ratio: 0 };
const MERGED_AFTER = 12 * HOUR;

const build = (
  options: object = {},
  { scenario, ...harness }: Partial<HarnessOptions> & { scenario?: object } = {},
): Promise<Harness> =>
  buildWithOnly('usage', { ...options }, {
    scenario: { ...SCENARIO, ...scenario },
    firstStepHold: '0s',
    ...harness,
  } as Partial<HarnessOptions>);

type Use = ReturnType<Harness['simulator']['truth']['uses']>[number];
const chargedOf = ({ bytes, smartpathBytes }: Use): number => bytes - smartpathBytes;
const sumOf = (uses: readonly Use[], value = chargedOf): number =>
  uses.reduce((sum, use) => sum + value(use), 0);

/** The true use of each day, as it was when the daemon last read the day. */
const knownUses = async ({ app, simulator }: Harness): Promise<Use[]> =>
  (await app.store.logSummaries.days('main')).flatMap(({ day, readAt }) =>
    simulator.truth.uses(day, Math.floor(readAt / MINUTE) * MINUTE),
  );

const storedSums = async (
  { app }: Harness,
  by: UseKey,
  filter: object = {},
): Promise<Record<string, number>> => {
  const { sums } = await app.store.logSummaries.sums('main', {
    ...{ from: 0, to: Date.parse('2026-08-01'), by, limit: 1_000 },
    ...filter,
  });
  return Object.fromEntries(sums.map(({ key, values }) => [key, values[2] ?? Number.NaN]));
};

const trueSums = (uses: readonly Use[], by: UseKey): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(uses, (use) => use[by])].map(([key, group]) => [key, sumOf(group)]));

it.each([
  ['late and corrected rows', { traffic: { ...TRAFFIC, revised: { ratio: 0.05 } } }],
  [
    'host names that are summarised at noon, and late rows',
    { traffic: { ...TRAFFIC, revised: { ratio: 0 } }, hostnames_merged_after_ms: MERGED_AFTER },
  ],
])(
  'charged bytes are true to the byte over three days with faults, a restart and %s',
  async (_, scenario) => {
    await using harness = await build({}, { now: START, scenario });
    const atStart = await knownUses(harness);
    for (const day of [1, 2, 3]) {
      harness.simulator.faults.add({ kind: 'status', status: 500, endpoint: 'log_summary' });
      await harness.advance(DAY / 2 - 3 * HOUR);
      harness.simulator.faults.clear();
      if (day === 2) await harness.restart();
      await harness.advance(DAY / 2 + 3 * HOUR);
      const known = await knownUses(harness);
      expect(await storedSums(harness, 'day')).toEqual(trueSums(known, 'day'));
      expect(await storedSums(harness, 'user')).toEqual(trueSums(known, 'user'));
      expect(await storedSums(harness, 'network')).toEqual(trueSums(known, 'network'));
      const samples = await harness.samples();
      const [counted, withheld] = ['proxywatch_charged_bytes_total', 'proxywatch_charged_withheld_bytes'].map(
        (family) => samples.by('product_type', family),
      );
      for (const [network, bytes] of Object.entries(trueSums(known, 'network')))
        expect((counted?.[network] ?? 0) - (withheld?.[network] ?? 0)).toBe(
          bytes - (trueSums(atStart, 'network')[network] ?? 0),
        );
      for (const label of ['hostname', 'proxy_user_id'] as const) {
        const family = `proxywatch_${label === 'hostname' ? label : 'user'}_charged_bytes_total`;
        const all = samples.all(family).reduce((sum, { value }) => sum + value, 0);
        const total = Object.values(counted ?? {}).reduce((sum, value) => sum + value, 0);
        expect(all).toBeGreaterThanOrEqual(total);
      }
    }
  },
);

it('names that are summarised keep what they had, and only what was never listed under them is of the wider name', async () => {
  await using harness = await build(
    {},
    { now: START, scenario: { traffic: { revised: { ratio: 0 } }, hostnames_merged_after_ms: MERGED_AFTER } },
  );
  for (let hours = 0; hours < 48; hours += 1) await harness.advance(HOUR);
  const { truth } = harness.simulator;
  const day = Date.parse('2026-07-07');
  const [read, merge, now] = ['2026-07-07T11:01Z', '2026-07-07T12:00Z', '2026-07-08T12:01Z'].map((text) =>
    Date.parse(text),
  );
  const [before, merged, final] = [read, merge, now].map((at) => truth.uses(day, at));
  const stored = await storedSums(harness, 'hostname', { from: day, to: day });
  let wide = 0;
  for (const hostname of ['www.example.com', 'api.example.com']) {
    const [known = 0, moved = 0, all = 0] = [before, merged, final].map((uses = []) =>
      sumOf(uses.filter((use) => use.hostname === hostname)),
    );
    expect([hostname, stored[hostname]]).toEqual([hostname, known + all - moved]);
    wide += moved - known;
  }
  expect(stored['*.example.com']).toBe(wide);
});

it('no counter falls when the top changes, and the counters of all names add up to that of the network', async () => {
  await using harness = await build({ top_hostnames: 1, top_users: 3 }, { now: START });
  const highest = new Map<string, number>();
  const tops = new Set<string>();
  for (let hours = 0; hours < 60; hours += 4) {
    await harness.advance(4 * HOUR);
    if (hours === 24) await harness.restart();
    const samples = await harness.samples();
    for (const family of ['hostname', 'user'].map((kind) => `proxywatch_${kind}_charged_bytes_total`)) {
      const all = samples.all(family);
      for (const { labels, value } of all) {
        const key = JSON.stringify([family, labels]);
        expect(value).toBeGreaterThanOrEqual(highest.get(key) ?? 0);
        highest.set(key, value);
        tops.add(labels.hostname ?? labels.proxy_user_id ?? '');
      }
      const names = new Set(all.map(({ labels }) => labels.hostname ?? labels.proxy_user_id));
      expect(names.size).toBeLessThanOrEqual(family.includes('user') ? 4 : 2);
    }
  }
  expect(tops).toContain('other');
});

it('a run reads no more pages than it may, and the next one goes on', async () => {
  await using harness = await build({ max_pages: 5 }, { now: START, scenario: { users: 60 } });
  const requests = () => harness.simulator.requests.count('log_summary/search');
  for (let run = 1; run <= 8; run += 1) {
    const before = requests();
    await poll(harness);
    expect(requests() - before).toBeLessThanOrEqual(5);
  }
  const days = await harness.app.store.logSummaries.days('main');
  // A day has 8 pages, so each takes two runs.
  expect(days.filter(({ readAt }) => readAt > 0).length).toBeGreaterThanOrEqual(2);
});

it('an account without the endpoint fails alone, and says what to turn off', async () => {
  await using harness = await build();
  for (const status of [403, 404, 422]) {
    harness.simulator.faults.replace([{ kind: 'status', status, endpoint: 'log_summary' }]);
    await poll(harness);
    expect(await lastRun(harness)).toMatchObject({ result: 'failed' });
    const [run] = await harness.app.store.runs.states('main');
    expect(run?.errorMessage).toContain('turn off usage');
  }
});

it('a failed run and a restart change nothing', async () => {
  await using harness = await build();
  await poll(harness);
  await expectUnchangedByFaults(harness, [
    { kind: 'status', status: 401 },
    { kind: 'status', status: 403 },
    { kind: 'malformed_json' },
    { kind: 'set_fields', fields: { data: 'none' } },
  ]);
});
