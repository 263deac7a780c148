// Tests that a correction does not change the samples that were exported or sent before it.

import { expect, it } from 'vitest';
import type { ReadContext } from '../../src/collectors/context.ts';
import { exportedHistory } from '../../src/collectors/exported-history.ts';
import type { HistorySource } from '../../src/collectors/history-source.ts';
import type { HistorySample } from '../../src/collectors/published-history.ts';
import { trafficHistory } from '../../src/collectors/traffic/history.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { publishedSubject } from '../../src/store/traffic-store.ts';
import { bucketAt, makeFolder, openStore, START } from '../store/support.ts';

const IDENTITY = {
  ...{ account: 'main', name: '', slice: '{}' },
  ...{ requestFormat: 'UTC', zone: 'UTC', bucketMs: MINUTE },
};

it('money with many decimals is the same sample before and after its first correction', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const source = trafficHistory[0] as HistorySource | undefined;
  if (!source) throw new Error('traffic has no history');
  const context: ReadContext<unknown> = {
    account: { name: 'main', time_zone: 'UTC' } as ReadContext<unknown>['account'],
    ...{ options: { reread: 2 * HOUR }, store, clock: { ...systemClock, now: () => START } },
  };
  const graph = await store.traffic.openGraph(IDENTITY, START - HOUR, START);
  const save = (smartpathMoneySaved: number): Promise<void> =>
    store.traffic.saveWindow(graph.id, {
      buckets: [bucketAt(START - HOUR, { smartpathMoneySaved })],
      now: START,
    });
  const money = source.families.findIndex(({ family }) => family.name.includes('money'));
  const samples = async (): Promise<HistorySample[]> => {
    const found: HistorySample[] = [];
    const range = { from: START - HOUR, to: START };
    for await (const sample of exportedHistory(source, money, context, range)) found.push(sample);
    return found;
  };
  await save(0.123_456_78);
  const subject = publishedSubject(IDENTITY);
  await store.publications.publish({ account: 'main', source: 'traffic', subject }, START);
  const [first, ...none] = await samples();
  await save(0.2);
  const [same, correction] = await samples();
  expect([none, same]).toEqual([[], first]);
  expect((same?.value ?? 0) + (correction?.value ?? 0)).toBeCloseTo(0.2, 6);
});
