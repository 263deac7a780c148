// Thousands of alerts that begin or end at once: in slices, each stored with the notices that tell of it.

import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import type { AlertChange } from '../../src/store/alert-store.ts';
import { StoreError } from '../../src/store/errors.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed, type TestAlert } from './alert-rig.ts';

const MANY = 1_100;
/** Alerts of one transaction at most. */
const SLICE = 500;

const begin = ({ subjects }: TestAlert): void => {
  for (let index = 0; index < MANY; index += 1) subjects.set(`s${index}`, index);
};

interface Told {
  readonly firing: number;
  readonly resolved: number;
}

/** A notice that is sent again, because its answer came too late for the daemon, has the same id and body. */
const toldBy = ({ taken }: FakeReceiver): Told[] => {
  const bodies = new Map(taken.map(({ headers, body }) => [headers['webhook-id'], body]));
  expect(taken.filter(({ headers, body }) => bodies.get(headers['webhook-id']) !== body)).toEqual([]);
  return [...bodies.values()].map((body) => {
    const { firing, resolved } = JSON.parse(body) as Told;
    return { firing, resolved };
  });
};

const sumOf = (told: readonly Told[], what: keyof Told): number =>
  told.reduce((sum, notice) => sum + notice[what], 0);

/** Sees every change before it is stored. */
const onSave = (rig: AlertRig, see: (change: AlertChange) => unknown): void => {
  const { alerts } = rig.store;
  const save = alerts.save;
  alerts.save = async (change) => {
    await see(change);
    return save(change);
  };
};

const hookOf = ({ url }: FakeReceiver) => ({ type: 'webhook', name: 'hook', url });

it('are stored in slices, between which others have their turn', async () => {
  const low = alertNamed('Low', { holdMs: MINUTE });
  await using rig = await AlertRig.start([low]);
  let [turns, isGoing] = [0, true];
  const others = (async () => {
    for (; isGoing; turns += 1) await nextTurn();
  })();
  const slices: { readonly size: number; readonly turns: number }[] = [];
  onSave(rig, ({ put, removed }) => slices.push({ size: put.length + removed.length, turns }));
  begin(low);
  await rig.run();
  expect(rig.pending).toHaveLength(MANY);
  await rig.pass(2 * MINUTE);
  expect(rig.firing).toHaveLength(MANY);
  low.subjects.clear();
  await rig.run();
  expect(rig.firing).toEqual([]);
  isGoing = false;
  await others;
  expect(slices.reduce((sum, { size }) => sum + size, 0)).toBe(3 * MANY);
  expect(Math.max(...slices.map(({ size }) => size))).toBeLessThanOrEqual(SLICE);
  expect(new Set(slices.map((slice) => slice.turns)).size).toBe(slices.length);
});

it('are one notice all the same, which nobody is given before the last of them is stored', async () => {
  await using receiver = await FakeReceiver.start();
  const low = alertNamed('Low');
  await using rig = await AlertRig.start([low], { receivers: [hookOf(receiver)] });
  const early: unknown[] = [];
  onSave(rig, async () => early.push(await rig.store.alerts.nextNotice('hook')));
  begin(low);
  await rig.run();
  expect(early.length).toBeGreaterThan(2);
  expect(early.filter((notice) => notice !== undefined)).toEqual([]);
  expect(toldBy(receiver)).toEqual([{ firing: MANY, resolved: 0 }]);
  low.subjects.clear();
  await rig.run();
  expect(toldBy(receiver)).toEqual([
    { firing: MANY, resolved: 0 },
    { firing: 0, resolved: MANY },
  ]);
});

it('are forgotten in slices, but for those that began again', async () => {
  const [low, held] = [alertNamed('Low'), alertNamed('Held', { holdMs: 60 * MINUTE })];
  await using rig = await AlertRig.start([low, held]);
  begin(low);
  await rig.run();
  low.subjects.clear();
  await rig.run();
  low.subjects.set('s7', 7);
  await rig.run();
  await rig.pass(20 * MINUTE);
  expect(await rig.store.alerts.all()).toMatchObject([{ labels: { subject: 's7' }, endedAt: null }]);
});

it('lose no notice and are told nothing twice, wherever a crash cuts the slices off', async () => {
  const slices = Math.ceil(MANY / SLICE);
  const cut = fc.integer({ min: 0, max: slices });
  await fc.assert(
    fc.asyncProperty(cut, cut, fc.boolean(), async (begun, ended, isRestarted) => {
      await using receiver = await FakeReceiver.start();
      const low = alertNamed('Low');
      await using rig = await AlertRig.start([low], { receivers: [hookOf(receiver)] });
      /** Runs once with a store that takes so many slices alone, and then again. */
      const runCut = async (kept: number): Promise<void> => {
        let [left, isCut] = [kept, true];
        onSave(rig, () => {
          left -= 1;
          if (isCut && left < 0) throw new StoreError('unwritable', 'the disk is full');
        });
        await rig.run().catch(() => {});
        isCut = false;
        if (isRestarted) await rig.restart();
        await rig.run();
      };
      begin(low);
      await runCut(begun);
      expect(rig.firing).toHaveLength(MANY);
      low.subjects.clear();
      await runCut(ended);
      expect(rig.firing).toEqual([]);
      const told = toldBy(receiver);
      expect([sumOf(told, 'firing'), sumOf(told, 'resolved')]).toEqual([MANY, MANY]);
    }),
    { numRuns: 6 },
  );
});
