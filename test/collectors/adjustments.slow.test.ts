// Tests adjustments against the truth of the simulator: each status counts once, over restarts, faults and missing filters.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import type { Harness, HarnessOptions } from '../support/harness.ts';
import { buildWithOnly, expectUnchangedByFaults } from './single-collector.ts';
import { lastRun, poll, START } from './stub-account.ts';

const ENDPOINT = 'service_adjustment/search';
const FAMILY = 'proxywatch_service_adjustments_total';
const SCENARIO = {
  start: '2026-06-20T00:00:00Z',
  changes: [
    {
      ...{ kind: 'proxy', subject: 3, set: { proxy_ip_address: '192.0.2.3' } },
      flap: { period_minutes: 1_440, bad_minutes: 360 },
    },
  ],
};

const build = (scenario: object = {}): Promise<Harness> =>
  buildWithOnly('adjustments', {}, {
    ...{ now: START, firstStepHold: '0s' },
    scenario: { ...SCENARIO, ...scenario },
  } as Partial<HarnessOptions>);

type True = ReturnType<Harness['simulator']['truth']['adjustments']>[number];

/** The provider writes its rows once a minute. */
const truthAt = ({ simulator, clock }: Harness): readonly True[] =>
  simulator.truth.adjustments(Math.floor(clock.now() / MINUTE) * MINUTE);

/** Counts the statuses that adjustments have at the polls `later` and did not have at the poll before. */
class ExpectedCounts {
  readonly #seen = new Set<string>();
  readonly counts: Record<string, number> = {};

  constructor(harness: Harness) {
    this.#add(harness, false);
  }

  polled(harness: Harness): void {
    this.#add(harness, true);
  }

  #add(harness: Harness, isCounted: boolean): void {
    for (const { id, type, by, status } of truthAt(harness)) {
      const name = `${type} ${status} ${by}`;
      const isNew = !this.#seen.has(`${id} ${status}`);
      this.#seen.add(`${id} ${status}`);
      this.counts[name] = (this.counts[name] ?? 0) + Number(isCounted && isNew);
    }
  }
}

const counted = async (harness: Harness): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await harness.samples())
      .all(FAMILY)
      .map(({ labels: { type, status, by }, value }) => [`${type} ${status} ${by}`, value]),
  );

const requests = ({ simulator }: Harness): number => simulator.requests.count(ENDPOINT);

it('the history is stored and not counted', async () => {
  await using harness = await build();
  const counts = await counted(harness);
  expect(counts).toMatchObject({
    'top_up complete customer': 0,
    'proxy_replacement complete administrator': 0,
  });
  expect(new Set(Object.values(counts))).toEqual(new Set([0]));
  const stored = await harness.app.store.adjustments.newest('main', 1_000);
  expect(stored.map(({ id }) => id)).toEqual(truthAt(harness).map(({ id }) => String(id)));
  expect(JSON.stringify(stored)).not.toContain('personal');
  const update = stored.find(({ type }) => type === 'update');
  expect(update?.changes).toMatchObject({
    quantityBefore: 10,
    quantityAfter: 12,
    totalBefore: 1_000,
    expiryAfter: null,
  });
  const replaced = stored.find(({ type }) => type === 'proxy_replacement');
  expect(replaced?.replacements).toMatchObject([{ newAddress: expect.any(String) }]);
});

it('each status counts once over three days with faults and restarts', async () => {
  await using harness = await build();
  const expected = new ExpectedCounts(harness);
  for (let hour = 1; hour <= 72; hour += 1) {
    const isFaulty = hour % 7 === 3;
    if (isFaulty)
      harness.simulator.faults.add({ kind: 'status', status: 500, endpoint: 'service_adjustment' });
    await poll(harness);
    harness.simulator.faults.clear();
    if (!isFaulty) expected.polled(harness);
    if (hour % 11 === 0) await harness.restart();
    if (hour % 6 === 0) expect(await counted(harness)).toEqual(expected.counts);
  }
  expect(Object.keys(expected.counts)).toEqual(
    expect.arrayContaining([
      'extension pending automatic',
      'extension complete automatic',
      'cancel failed customer',
      'proxy_replacement complete administrator',
    ]),
  );
});

it('a run reads what changed, and all once a day', async () => {
  await using harness = await build({ start: '2026-01-01T00:00:00Z' });
  const all = requests(harness);
  expect(all).toBeGreaterThan(3);
  await poll(harness);
  expect(requests(harness)).toBe(all + 1);
  for (let hour = 2; hour <= 24; hour += 1) await poll(harness);
  expect(requests(harness) - all).toBe(23 + all);
});

it.each([400, 422])('all adjustments are read if the provider refuses the filter with %s', async (status) => {
  await using harness = await build();
  const expected = new ExpectedCounts(harness);
  harness.simulator.faults.add({ kind: 'status', status, endpoint: ENDPOINT, query: 'min_' });
  await poll(harness);
  expect(await lastRun(harness)).toMatchObject({ result: 'ok' });
  expected.polled(harness);
  expect(await counted(harness)).toEqual(expected.counts);
});

/** Returns how many requests each of some polls makes. */
const requestsOfPolls = async (harness: Harness, polls: number): Promise<number[]> => {
  const made: number[] = [];
  for (let index = 0; index < polls; index += 1) {
    const before = requests(harness);
    await poll(harness);
    made.push(requests(harness) - before);
  }
  return made;
};

it('only a filter that does not work makes each run of a day read all', async () => {
  await using harness = await build();
  const all = requests(harness);
  const { faults } = harness.simulator;
  faults.replace([{ kind: 'status', status: 403, endpoint: ENDPOINT }]);
  expect(await requestsOfPolls(harness, 1)).toEqual([2]);
  faults.clear();
  expect(await requestsOfPolls(harness, 1)).toEqual([1]);
  faults.replace([
    {
      kind: 'set_fields',
      fields: { data: [], item_count: 0, total_count: 0 },
      endpoint: ENDPOINT,
      query: 'min_',
    },
  ]);
  expect(await requestsOfPolls(harness, 3)).toEqual([1 + all, all, all]);
});

it('an adjustment that the provider removed makes one run read all', async () => {
  await using harness = await build();
  const all = requests(harness);
  const now = harness.clock.now();
  const [stored] = await harness.app.store.adjustments.newest('main', 1);
  if (!stored) throw new Error('no adjustment');
  await harness.app.store.adjustments.savePage('main', {
    adjustments: [{ ...stored, id: '1', updatedAt: now }],
    ...{ startedAt: now, now, labelsOf: () => ({ type: 'a', status: 'b', by: 'c' }) },
  });
  expect(await requestsOfPolls(harness, 3)).toEqual([1 + all, 1, 1]);
});

it('an account without the endpoint fails alone, and says what to turn off', async () => {
  await using harness = await build();
  for (const status of [403, 404, 422]) {
    harness.simulator.faults.replace([{ kind: 'status', status, endpoint: 'service_adjustment' }]);
    await poll(harness);
    expect(await lastRun(harness)).toMatchObject({ result: 'failed' });
    const [run] = await harness.app.store.runs.states('main');
    expect(run?.errorMessage).toContain('turn off adjustments');
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
