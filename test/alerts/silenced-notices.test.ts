// Tests that silences and maintenance windows keep notifications back until they end, over restarts and reloads.

import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { Silence } from '../../src/store/alert-store.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed, START } from './alert-rig.ts';
import { bodiesOf, hookOf, textOf } from './group-support.ts';

const started = async (section: Record<string, unknown> = {}) => {
  const receiver = await FakeReceiver.start();
  const low = alertNamed('Low');
  const rig = await AlertRig.start([low], { receivers: [hookOf(receiver)], ...section });
  return {
    ...{ receiver, rig },
    texts: () => bodiesOf(receiver).map(textOf),
    fire: async (...subjects: string[]) => {
      for (const subject of subjects) low.subjects.set(subject, 1);
      await rig.run();
    },
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
};

const silenceOf = (part: Partial<Silence> = {}): Silence => ({
  ...{ id: 's', account: 'main', alert: 'Low', subject: 'a', comment: 'Anna' },
  ...{ startsAt: START, endsAt: START + HOUR, untilResolved: false },
  ...part,
});

it('a silence keeps an alert back until it ends, also over a restart', async () => {
  await using test = await started();
  await test.rig.alerting.mutes.add(silenceOf());
  await test.fire('a', 'b');
  await test.rig.pass(30 * MINUTE);
  await test.rig.restart();
  await test.rig.pass(30 * MINUTE - 15 * SECOND);
  expect(test.texts()).toEqual(['1/1: +b']);
  await test.rig.pass(15 * SECOND);
  expect(test.texts().slice(1)).toEqual(['1/2: +a b']);
});

it('a silence of no graph hides the alert about the whole account, and none about a graph', async () => {
  await using test = await started();
  const { mutes } = test.rig.alerting;
  await mutes.add(silenceOf({ alert: 'TrafficStopped', subject: 'graph=' }));
  const isMuted = (labels: Record<string, string>): boolean =>
    mutes.muted({ account: 'main', alert: 'TrafficStopped', labels, since: START }, START) !== undefined;
  expect([isMuted({}), isMuted({ graph: 'shop' })]).toEqual([true, false]);
});

it('a silence that is removed, or added while an alert waits, takes effect at once', async () => {
  await using test = await started();
  await test.fire('a');
  await test.rig.pass(15 * SECOND);
  await test.rig.alerting.mutes.add(silenceOf({ subject: null, endsAt: START + DAY }));
  await test.rig.pass(HOUR);
  expect(test.texts()).toEqual([]);
  await test.rig.alerting.mutes.remove('s', test.rig.clock.now());
  await test.rig.pass(30 * SECOND);
  expect(test.texts()).toEqual(['1/1: +a']);
});

it('a maintenance window keeps alerts back until it ends, or until a reload removes it', async () => {
  // The test starts on a Monday at 14:00 in Paris.
  const maintenance = [{ name: 'w', days: ['mon'], hours: '13-15', time_zone: 'Europe/Paris' }];
  await using test = await started({ maintenance });
  await test.fire('a');
  await test.rig.pass(HOUR - 15 * SECOND);
  expect(test.texts()).toEqual([]);
  await test.rig.pass(15 * SECOND);
  expect(test.texts()).toEqual(['1/1: +a']);

  test.rig.section = { ...test.rig.section, maintenance: [{ name: 'always', hours: '00-24' }] };
  await test.rig.reload();
  await test.fire('b');
  await test.rig.pass(HOUR);
  expect(test.texts()).toHaveLength(1);
  test.rig.section = { ...test.rig.section, maintenance: [] };
  await test.rig.reload();
  await test.rig.pass(30 * SECOND);
  expect(test.texts().slice(1)).toEqual(['1/2: +b a']);
});
