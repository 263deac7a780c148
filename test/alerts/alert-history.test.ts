// Tests the history of alerts: episodes with their times, values and notified receivers, over restarts and failures.

import { expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { Episode } from '../../src/store/alert-history-store.ts';
import { StoreError } from '../../src/store/errors.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed, START } from './alert-rig.ts';
import { hookOf } from './group-support.ts';

const started = async (more: Record<string, unknown> = {}) => {
  const receiver = await FakeReceiver.start();
  const [low, slow] = [alertNamed('Low'), alertNamed('Slow', { holdMs: 5 * MINUTE })];
  let hasOwnFinding = false;
  const own = {
    ...{ ...alertNamed('Own'), scope: 'daemon' as const, labels: [] },
    find: () => (hasOwnFinding ? [{ labels: {}, value: 7 }] : []),
  };
  const rig = await AlertRig.start([low, slow, own], { receivers: [hookOf(receiver, more)] });
  return {
    ...{ receiver, rig, low, slow },
    /** Sets the value of a subject of the alert, or ends it with undefined. */
    set: async (subject: string, value: number | undefined, alert = low) => {
      if (value === undefined) alert.subjects.delete(subject);
      else alert.subjects.set(subject, value);
      await rig.run();
    },
    setOwn: (isLow: boolean) => {
      hasOwnFinding = isLow;
    },
    history: () => historyOf(rig),
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
};

/** Returns all episodes, the newest first, with times in seconds since the start. */
const historyOf = async ({ store }: AlertRig): Promise<string[]> =>
  (await store.alertHistory.page({}, 100)).map(textOf);

const at = (time: number | null): string => (time === null ? '-' : `${(time - START) / SECOND}`);

/** Describes an episode, such as `Low a 0..60 3>2 hook:30..90`: times, values, and the notified receivers. */
const textOf = ({ alert, labels, firingSince, endedAt, value, lastValue, notified }: Episode): string =>
  [
    [alert, ...Object.values(labels)].join(' '),
    `${at(firingSince)}..${at(endedAt)}`,
    lastValue === null ? value : `${value}>${lastValue}`,
    ...notified.map(({ receiver, firingAt, resolvedAt }) => `${receiver}:${at(firingAt)}..${at(resolvedAt)}`),
  ].join(' ');

it('an episode has its times, its first and last value, and when its receiver was notified', async () => {
  await using test = await started();
  await test.set('a', 3);
  expect(await test.history()).toEqual(['Low a 0..- 3']);
  await test.rig.pass(MINUTE);
  await test.set('a', 2);
  await test.rig.pass(9 * MINUTE);
  await test.set('a', undefined);
  expect(await test.history()).toEqual(['Low a 0..600 3>2 hook:30..600']);
  const [episode] = await test.rig.store.alertHistory.page({}, 1);
  expect(episode).toMatchObject({ account: 'main', labels: { subject: 'a' }, severity: 'warning' });
});

it('a pending alert is no episode until it fires, and the episode has both times', async () => {
  await using test = await started();
  await test.set('never', 1, test.slow);
  await test.set('a', 1, test.slow);
  await test.rig.pass(4 * MINUTE);
  await test.set('never', undefined, test.slow);
  expect(await test.history()).toEqual([]);
  await test.rig.pass(MINUTE);
  expect(await test.history()).toEqual(['Slow a 300..- 1']);
  expect(await test.rig.store.alertHistory.page({}, 9)).toMatchObject([{ since: START }]);
});

it('an alert that fires again is a new episode, whose receiver is aware of it if it was not notified of the end', async () => {
  await using test = await started();
  await test.set('a', 1);
  await test.rig.pass(MINUTE);
  await test.set('a', undefined);
  await test.set('a', 4);
  await test.rig.pass(10 * MINUTE);
  await test.set('a', undefined);
  await test.rig.pass(10 * MINUTE);
  await test.set('a', 5);
  await test.rig.pass(MINUTE);
  expect(await test.history()).toEqual([
    'Low a 1260..- 5 hook:1290..-',
    'Low a 60..660 4>4 hook:-..660',
    'Low a 0..60 1>1 hook:30..-',
  ]);
});

it('an alert with another severity is another episode', async () => {
  await using test = await started();
  await test.set('a', 1);
  await test.rig.pass(10 * MINUTE);
  test.rig.section = { ...test.rig.section, Low: { severity: 'critical' } };
  await test.rig.reload();
  await test.rig.pass(MINUTE);
  expect(await test.history()).toEqual(['Low a 600..- 1 hook:600..-', 'Low a 0..600 1>1 hook:30..600']);
  const found = await test.rig.store.alertHistory.page({ severity: 'critical' }, 9);
  expect(found.map(({ endedAt }) => endedAt)).toEqual([null]);
});

it('an alert that is no longer configured ends', async () => {
  await using test = await started();
  await test.set('a', 1);
  await test.rig.pass(MINUTE);
  test.rig.names = ['other'];
  await test.rig.reload();
  expect(await test.history()).toEqual(['Low a 0..60 1>1 hook:30..-']);
});

it('a restart at any time changes no episode', async () => {
  const live = async (isRestarted: boolean): Promise<string[]> => {
    await using test = await started();
    const pass = async (ms: number): Promise<void> => {
      await test.rig.pass(ms);
      if (isRestarted) await test.rig.restart();
      await test.rig.run();
    };
    for (const isLow of [true, false, true]) {
      await test.set('a', isLow ? 1 : undefined);
      await pass(15 * SECOND);
      await test.set('b', isLow ? undefined : 1);
      await pass(6 * MINUTE);
    }
    return await test.history();
  };
  const history = await live(false);
  expect(history).toHaveLength(3);
  expect(await live(true)).toEqual(history);
});

it('a muted alert has no receivers until the mute ends', async () => {
  await using test = await started();
  await test.rig.silence('a', START + HOUR);
  await test.set('a', 1);
  await test.rig.pass(HOUR - MINUTE);
  expect(await test.history()).toEqual(['Low a 0..- 1']);
  await test.rig.pass(2 * MINUTE);
  expect(await test.history()).toEqual(['Low a 0..- 1 hook:3600..-']);
});

it('a receiver is not listed as notified of an end that it does not want to know, or before it is configured', async () => {
  await using test = await started({ send_resolved: false });
  await test.set('a', 1);
  await test.rig.pass(MINUTE);
  const pager = hookOf(test.receiver, { name: 'pager' });
  const manager = { type: 'alertmanager', name: 'manager', urls: [test.receiver.url] };
  test.rig.section.receivers = [...(test.rig.section.receivers as object[]), pager, manager];
  await test.rig.reload();
  await test.rig.pass(MINUTE);
  await test.set('a', undefined);
  await test.rig.pass(5 * MINUTE);
  expect(await test.history()).toEqual(['Low a 0..120 1>1 hook:30..- pager:60..360']);
});

it('keeps the first notification of a receiver that is removed and added again', async () => {
  await using test = await started();
  await test.set('a', 1);
  await test.rig.pass(MINUTE);
  const { receivers } = test.rig.section;
  for (const configured of [[], receivers]) {
    test.rig.section.receivers = configured;
    await test.rig.reload();
    await test.rig.pass(10 * MINUTE);
  }
  expect(test.receiver.accepted).toHaveLength(2);
  expect(await test.history()).toEqual(['Low a 0..- 1 hook:30..-']);
});

it('keeps what the store could not save, in order', async () => {
  await using test = await started();
  const { rig } = test;
  const { save } = rig.store.alerts;
  rig.store.alerts.save = () => Promise.reject(new StoreError('failed', 'the disk is full'));
  test.setOwn(true);
  await rig.pass(10 * MINUTE);
  test.setOwn(false);
  await rig.pass(10 * MINUTE);
  test.setOwn(true);
  await rig.pass(MINUTE);
  expect(await test.history()).toEqual([]);
  rig.store.alerts.save = save;
  await rig.pass(15 * SECOND);
  expect(await test.history()).toEqual(['Own 1215..- 7 hook:1245..-', 'Own 15..615 7>7 hook:45..615']);
});

it('an alert about an account fires only once the store saves it', async () => {
  await using test = await started();
  const { save } = test.rig.store.alerts;
  test.rig.store.alerts.save = () => Promise.reject(new StoreError('failed', 'the disk is full'));
  await expect(test.set('a', 1)).rejects.toThrow('the disk is full');
  test.rig.store.alerts.save = save;
  await test.rig.pass(MINUTE);
  await test.rig.run();
  expect(await test.history()).toEqual(['Low a 60..- 1']);
});

it('no episode ends before it begins, also if the clock is set back', async () => {
  await using test = await started();
  await test.set('a', 1);
  await test.set('b', 1);
  test.rig.clock.jumpTo(START - HOUR);
  await test.rig.pass(MINUTE);
  await test.set('a', undefined);
  await test.set('c', 1);
  expect(await test.history()).toEqual([
    'Low c -3540..- 1',
    'Low b 0..- 1 hook:-3555..-',
    'Low a 0..0 1>1 hook:-3555..-',
  ]);
});
