// Tests the steps of a quota: where they are, and when receivers are notified of an alert that passes another one.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configuredAlert } from '../../src/alerts/settings.ts';
import { highestStep } from '../../src/alerts/state.ts';
import { PROXY_USER_ALERTS } from '../../src/alerts/table/proxy-users.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { AlertRig, START } from './alert-rig.ts';
import { allNotified, bodiesOf, hookOf, quotaAlert, textOf } from './group-support.ts';

const [, low] = PROXY_USER_ALERTS;
if (low?.name !== 'ProxyUserQuotaLow') throw new Error('the table has another order');
const configured = (...overrides: object[]) =>
  configuredAlert(low, ...overrides.map((override) => ({ ProxyUserQuotaLow: override })));

describe('the steps of ProxyUserQuotaLow', () => {
  it('have the threshold of the contract by default, as steps and as a threshold', () => {
    expect(configured()).toMatchObject({ threshold: 0.1, steps: [{ used: 0.9, left: 0.1 }] });
    expect(low.threshold?.value).toBe(0.1);
    for (const override of [{ threshold: 0.1 }, { steps: [0.9] }, { steps: [0.9, 1] }])
      expect(configured(override)).toEqual(configured());
  });

  it('replace the threshold of a more general setting, and the other way round', () => {
    expect(configured({ threshold: 0.2 }, { steps: [0.5, 0.75] })).toMatchObject({
      threshold: 0.5,
      steps: [{ left: 0.5 }, { left: 0.25 }],
    });
    expect(configured({ steps: [0.5, 0.75] }, { threshold: 0 })).toMatchObject({
      threshold: 0,
      steps: [{ used: 1, left: 0 }],
    });
    expect(configured({ steps: [0.5, 0.75] }, { severity: 'critical' }).threshold).toBe(0.5);
  });

  it('are passed by the first byte beyond them', () => {
    const anyStep = fc.integer({ min: 1, max: 999 });
    fc.assert(
      fc.property(
        anyStep,
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: -2, max: 2 }),
        (step, kilobytes, more) => {
          const [limit, used] = [kilobytes * 1_000, kilobytes * step + more];
          const { threshold, steps } = configured({ steps: [step / 1_000] });
          const left = (limit - used) / limit;
          expect([left < threshold, highestStep(steps, left, 0) > 0]).toEqual([more > 0, more > 0]);
        },
      ),
    );
  });
});

const started = async (more: Record<string, unknown> = {}, steps = [0.8, 0.9, 0.95, 1]) => {
  const receiver = await FakeReceiver.start();
  const alert = quotaAlert();
  const section = { Quota: { steps }, receivers: [hookOf(receiver, more)] };
  const rig = await AlertRig.start([alert], section);
  return {
    ...{ receiver, rig },
    texts: () => bodiesOf(receiver).map(textOf),
    /** Sets the percentage that the user has used, and lets the collector run. */
    use: async (user: string, percent: number) => {
      alert.subjects.set(user, (100 - percent) / 100);
      await rig.run();
    },
    setSteps: async (other: readonly number[]) => {
      rig.section = { ...rig.section, Quota: { steps: other } };
      await rig.reload();
    },
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
};

describe('an alert that passes another step', () => {
  it('is notified again after group_interval, as the same alert with its present value', async () => {
    await using test = await started();
    await test.use('a', 81);
    await test.rig.pass(MINUTE);
    await test.use('a', 92);
    await test.rig.pass(4 * MINUTE);
    expect(test.texts()).toEqual(['1/1: +a']);
    await test.rig.pass(MINUTE);
    await test.use('b', 85);
    await test.rig.pass(5 * MINUTE);
    await test.use('b', 99);
    await test.rig.pass(5 * MINUTE);
    expect(test.texts().slice(1)).toEqual(['0/1: ^a', '1/2: +b a', '0/2: ^b a']);
    const [first, second] = bodiesOf(test.receiver);
    const { startsAt, labels } = first?.alerts[0] ?? {};
    expect(second).toMatchObject({ status: 'firing', groupKey: first?.groupKey, risen: 1 });
    expect(second?.alerts).toMatchObject([{ startsAt, labels, value: 0.08 }]);
    await test.rig.pass(3 * HOUR, MINUTE);
    expect(test.texts()).toHaveLength(4);
  });

  it('is notified once, also if the daemon restarts before or after it', async () => {
    await using test = await started();
    await test.use('a', 81);
    await test.rig.pass(MINUTE);
    await test.use('a', 92);
    await test.rig.restart();
    await test.rig.pass(5 * MINUTE);
    await test.rig.restart();
    await test.use('a', 92.5);
    await test.rig.pass(HOUR, MINUTE);
    expect(test.texts()).toEqual(['1/1: +a', '0/1: ^a']);
  });

  it('is one notification, if it passes several within group_interval or falls back before it is due', async () => {
    await using test = await started();
    await test.use('a', 81);
    await test.use('b', 81);
    await test.rig.pass(MINUTE);
    for (const percent of [91, 93, 96]) await test.use('a', percent);
    for (const percent of [91, 81]) await test.use('b', percent);
    await test.rig.pass(10 * MINUTE);
    expect(test.texts()).toEqual(['2/2: +a +b', '0/2: ^a b']);
    expect(bodiesOf(test.receiver)[1]?.alerts[0]?.value).toBeCloseTo(0.04);
  });

  it('is not notified again while the use wobbles, but after a fall', async () => {
    await using test = await started();
    await test.use('a', 96);
    await test.rig.pass(MINUTE);
    for (const percent of [94.9, 95.1, 94.1, 95.1, 97]) {
      await test.use('a', percent);
      await test.rig.restart();
      await test.rig.pass(5 * MINUTE);
    }
    expect(test.texts()).toEqual(['1/1: +a']);
    await test.use('a', 93.9);
    await test.rig.restart();
    await test.rig.pass(5 * MINUTE);
    await test.use('a', 95.1);
    await test.rig.pass(5 * MINUTE);
    await test.use('a', 82);
    await test.use('a', 91);
    await test.rig.pass(5 * MINUTE);
    expect(test.texts().slice(1)).toEqual(['0/1: ^a', '0/1: ^a']);
  });

  it('is notified if the alert ended and fires at a higher step before the receiver was notified of the end', async () => {
    await using test = await started();
    await test.use('a', 81);
    await test.rig.pass(MINUTE);
    await test.use('a', 0);
    await test.rig.restart();
    await test.use('a', 82);
    await test.rig.restart();
    await test.use('a', 96);
    await test.rig.pass(5 * MINUTE);
    await test.use('a', 0);
    await test.rig.pass(5 * MINUTE);
    expect(test.texts()).toEqual(['1/1: +a', '0/1: ^a', '0/0: -a']);
  });

  it('is held back by a mute, and does not pass a filter', async () => {
    await using test = await started({ group_interval: '0s', group_wait: '0s' });
    await test.use('a', 81);
    await test.rig.pass(MINUTE);
    await test.rig.silence('a', START + HOUR);
    await test.use('a', 96);
    await test.rig.restart();
    await test.rig.pass(HOUR - MINUTE - SECOND, MINUTE);
    expect(test.texts()).toEqual(['1/1: +a']);
    await test.rig.pass(MINUTE);
    expect(test.texts().slice(1)).toEqual(['0/1: ^a']);
    await test.use('b', 81);
    await test.rig.pass(MINUTE);
    const [receiver] = test.rig.section.receivers as object[];
    test.rig.section = { ...test.rig.section, receivers: [{ ...receiver, min_severity: 'critical' }] };
    await test.rig.reload();
    await test.use('b', 96);
    await test.rig.pass(10 * MINUTE);
    expect(test.texts().slice(2)).toEqual(['1/2: +b a']);
  });
});

describe('other steps', () => {
  it('after a reload are news only if the user has passed a higher one', async () => {
    await using test = await started({}, [0.9]);
    await test.use('a', 93);
    await test.use('b', 96);
    await test.rig.pass(MINUTE);
    await test.setSteps([0.8, 0.9, 1]);
    await test.rig.pass(10 * MINUTE);
    expect(test.texts()).toEqual(['2/2: +a +b']);
    await test.setSteps([0.9, 0.95]);
    await test.rig.pass(10 * MINUTE);
    await test.setSteps([0.95]);
    await test.rig.pass(10 * MINUTE);
    expect(test.texts().slice(1)).toEqual(['0/2: ^b a', '0/1: -a b']);
  });

  it('are first known after the evaluation that follows an upgrade, and are no news then', async () => {
    await using test = await started();
    await test.use('a', 91);
    await test.rig.pass(MINUTE);
    const [known] = await allNotified(test.rig.store);
    const [stored] = await test.rig.store.alerts.page();
    if (!known || !stored) throw new Error('nothing is stored');
    const formerly = { put: [{ ...known, alert: { ...known.alert, step: 0 } }], removed: [] };
    await test.rig.store.alerts.save({
      put: [{ ...stored, step: 0 }],
      removed: [],
      notified: formerly,
      notifications: [],
    });
    await test.rig.restart();
    await test.use('a', 92);
    await test.rig.pass(10 * MINUTE);
    await test.rig.restart();
    await test.use('a', 96);
    await test.rig.pass(10 * MINUTE);
    expect(test.texts()).toEqual(['1/1: +a', '0/1: ^a']);
  });
});
