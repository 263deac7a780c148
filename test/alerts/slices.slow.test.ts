// Tests thousands of alerts that start or end at once: they are stored in slices, each with its notifications.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AlertRecorder } from '../../src/alerts/recorder.ts';
import { MINUTE } from '../../src/lib/time.ts';
import type { AlertChange } from '../../src/store/alert-store.ts';
import { StoreError } from '../../src/store/errors.ts';
import { FakeReceiver, UNGROUPED } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed, type TestAlert } from './alert-rig.ts';

const MANY = 1_100;
/** The most alerts in one transaction. */
const SLICE = 250;
/** The most alerts that one transaction reads. */
const PAGE = 500;

const fireMany = ({ subjects }: TestAlert): void => {
  for (let index = 0; index < MANY; index += 1) subjects.set(`s${index}`, index);
};

interface NotifiedCounts {
  readonly added: number;
  readonly resolved: number;
}

/** A notification that is sent again, because the daemon got its answer too late, has the same id and body. */
const notifiedBy = ({ accepted }: FakeReceiver): NotifiedCounts[] => {
  const bodies = new Map(accepted.map(({ headers, body }) => [headers['webhook-id'], body]));
  expect(accepted.filter(({ headers, body }) => bodies.get(headers['webhook-id']) !== body)).toEqual([]);
  return [...bodies.values()].map((body) => {
    const { added, resolved } = JSON.parse(body) as NotifiedCounts;
    return { added, resolved };
  });
};

const sumOf = (notified: readonly NotifiedCounts[], field: keyof NotifiedCounts): number =>
  notified.reduce((sum, notification) => sum + notification[field], 0);

/** Calls `onChange` with every change before it is stored. */
const onSave = (rig: AlertRig, onChange: (change: AlertChange) => unknown): void => {
  const { alerts } = rig.store;
  const save = alerts.save;
  alerts.save = async (change) => {
    await onChange(change);
    return save(change);
  };
};

const hookOf = ({ url }: FakeReceiver) => ({ type: 'webhook', name: 'hook', url, ...UNGROUPED });

/** Counts the turns of the event loop until it is disposed of. */
const countTurns = () => {
  let [turns, isGoing] = [0, true];
  const others = (async () => {
    for (; isGoing; turns += 1) await yieldToEventLoop();
  })();
  return {
    get turns() {
      return turns;
    },
    [Symbol.asyncDispose]: () => {
      isGoing = false;
      return others;
    },
  };
};

it('are stored in slices, with turns for other work in between', async () => {
  const low = alertNamed('Low', { holdMs: MINUTE });
  await using rig = await AlertRig.start([low]);
  await using others = countTurns();
  const slices: { readonly size: number; readonly turns: number }[] = [];
  onSave(rig, ({ put, removed }) => slices.push({ size: put.length + removed.length, turns: others.turns }));
  fireMany(low);
  await rig.run();
  expect(rig.pending).toHaveLength(MANY);
  await rig.pass(2 * MINUTE);
  expect(rig.firing).toHaveLength(MANY);
  low.subjects.clear();
  await rig.run();
  expect(rig.firing).toEqual([]);
  expect(slices.reduce((sum, { size }) => sum + size, 0)).toBe(3 * MANY);
  expect(Math.max(...slices.map(({ size }) => size))).toBeLessThanOrEqual(SLICE);
  expect(new Set(slices.map((slice) => slice.turns)).size).toBe(slices.length);
});

it('are read in pages at a start, with turns for other work in between', async () => {
  const low = alertNamed('Low');
  await using rig = await AlertRig.start([low]);
  fireMany(low);
  await rig.run();
  const { alerts } = rig.store;
  await using others = countTurns();
  const pages: { readonly size: number; readonly turns: number }[] = [];
  const recorder = new AlertRecorder(
    {
      ...alerts,
      page: async (after) => {
        const found = await alerts.page(after);
        pages.push({ size: found.length, turns: others.turns });
        return found;
      },
    },
    ...([{}, {}, {}] as [never, never, never]),
  );
  await recorder.load();
  expect([...recorder.active].map(({ labels }) => labels.subject).toSorted()).toEqual(
    [...low.subjects.keys()].toSorted(),
  );
  expect(Math.max(...pages.map(({ size }) => size))).toBeLessThanOrEqual(PAGE);
  expect(new Set(pages.map(({ turns }) => turns)).size).toBe(pages.length);
});

it('are one notification, which is delivered only after the last slice is stored', async () => {
  await using receiver = await FakeReceiver.start();
  const low = alertNamed('Low');
  await using rig = await AlertRig.start([low], { receivers: [hookOf(receiver)] });
  const early: unknown[] = [];
  onSave(rig, async () => early.push(await rig.store.alerts.nextNotification('hook')));
  fireMany(low);
  await rig.run();
  expect(early.length).toBeGreaterThan(2);
  expect(early.filter((notification) => notification !== undefined)).toEqual([]);
  expect(notifiedBy(receiver)).toEqual([{ added: MANY, resolved: 0 }]);
  low.subjects.clear();
  await rig.run();
  expect(notifiedBy(receiver)).toEqual([
    { added: MANY, resolved: 0 },
    { added: 0, resolved: MANY },
  ]);
});

it('are deleted in slices, except alerts that fire again', async () => {
  const [low, held] = [alertNamed('Low'), alertNamed('Held', { holdMs: 60 * MINUTE })];
  await using rig = await AlertRig.start([low, held]);
  fireMany(low);
  await rig.run();
  low.subjects.clear();
  await rig.run();
  low.subjects.set('s7', 7);
  await rig.run();
  await rig.pass(20 * MINUTE);
  expect(await rig.store.alerts.page()).toMatchObject([{ labels: { subject: 's7' }, endedAt: null }]);
});

it('lose no notification and send none twice, after whichever slice a crash happens', async () => {
  // The evaluation is stored in slices, and then the notification is.
  const slices = 2 * Math.ceil(MANY / SLICE);
  const cut = fc.integer({ min: 0, max: slices });
  await fc.assert(
    fc.asyncProperty(cut, cut, fc.boolean(), async (keptAtStart, keptAtEnd, isRestarted) => {
      await using receiver = await FakeReceiver.start();
      const low = alertNamed('Low');
      await using rig = await AlertRig.start([low], { receivers: [hookOf(receiver)] });
      /** Runs once with a store that saves only this many slices, and then again without a limit. */
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
        await rig.pass(MINUTE);
      };
      fireMany(low);
      await runCut(keptAtStart);
      expect(rig.firing).toHaveLength(MANY);
      low.subjects.clear();
      await runCut(keptAtEnd);
      expect(rig.firing).toEqual([]);
      const notified = notifiedBy(receiver);
      expect([sumOf(notified, 'added'), sumOf(notified, 'resolved')]).toEqual([MANY, MANY]);
    }),
    { numRuns: 6 },
  );
});
