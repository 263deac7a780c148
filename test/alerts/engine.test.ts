// Tests the daemon's evaluation of alerts: holds, suppression, restarts, reloads, and time without polls.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { StoreError } from '../../src/store/errors.ts';
import { AlertRig, alertNamed, HOLD_MS, START } from './alert-rig.ts';

describe('an alert', () => {
  it('fires after the run that makes its condition true, and ends after the run that makes it false', async () => {
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low]);
    low.subjects.set('a', 3);
    await rig.pass(MINUTE);
    expect(rig.firing).toEqual([]);
    await rig.run('proxy_users');
    expect(rig.firing).toEqual([]);
    await rig.run();
    expect(rig.firing).toEqual(['Low a']);
    expect(
      await rig.sample('proxywatch_alert_firing{account="main",alert="Low",severity="warning",subject="a"}'),
    ).toBe(1);
    low.subjects.clear();
    await rig.run();
    expect(rig.firing).toEqual([]);
    expect(await rig.metricsText()).not.toContain('proxywatch_alert_firing{');
    expect(rig.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn alert firing: a stands at 3.',
      'info alert resolved: a stands at 3.',
    ]);
  });

  it.each([
    ['critical', 'error'],
    ['warning', 'warn'],
    ['info', 'info'],
  ] as const)('that is %s is logged at the level %s, however many alerts fire', async (severity, level) => {
    const low = alertNamed('Low', { severity });
    await using rig = await AlertRig.start([low]);
    for (let subject = 0; subject < 25; subject += 1) low.subjects.set(`${subject}`, 3);
    await rig.run();
    expect(rig.lines.at(-1)?.message).toBe('5 more alerts fire or are resolved');
    expect(new Set(rig.lines.map((line) => line.level))).toEqual(new Set([level]));
    rig.lines.length = 0;
    low.subjects.clear();
    await rig.run();
    expect(new Set(rig.lines.map((line) => line.level))).toEqual(new Set(['info']));
  });

  it('is pending during its hold and then fires by time alone, without another run', async () => {
    const low = alertNamed('Low', { holdMs: HOLD_MS });
    await using rig = await AlertRig.start([low]);
    low.subjects.set('a', 1);
    await rig.run();
    expect(rig.pending).toEqual(['Low a']);
    await rig.pass(HOLD_MS - SECOND);
    expect(rig.firing).toEqual([]);
    await rig.pass(MINUTE);
    expect(rig.firing).toEqual(['Low a']);
  });

  it('is never reported if it ends within its hold', async () => {
    const low = alertNamed('Low', { holdMs: HOLD_MS });
    await using rig = await AlertRig.start([low]);
    for (let round = 0; round < 5; round += 1) {
      low.subjects.set('a', 1);
      await rig.run();
      await rig.pass(HOLD_MS - MINUTE);
      low.subjects.clear();
      await rig.run();
      await rig.pass(MINUTE);
    }
    expect([...rig.firing, ...rig.pending, ...rig.lines]).toEqual([]);
  });

  it('keeps firing while its condition flaps', async () => {
    const low = alertNamed('Low', { keepFiringMs: HOLD_MS });
    await using rig = await AlertRig.start([low]);
    low.subjects.set('a', 1);
    await rig.run();
    low.subjects.clear();
    await rig.run();
    await rig.pass(HOLD_MS - MINUTE);
    low.subjects.set('a', 1);
    await rig.run();
    low.subjects.clear();
    await rig.run();
    await rig.pass(HOLD_MS - MINUTE);
    expect(rig.firing).toEqual(['Low a']);
    await rig.pass(2 * MINUTE);
    expect(rig.firing).toEqual([]);
    expect(rig.lines).toHaveLength(2);
  });

  it('has no time in the future after the clock was set back, and is not pending for longer', async () => {
    const low = alertNamed('Low', { holdMs: HOLD_MS });
    await using rig = await AlertRig.start([low]);
    low.subjects.set('a', 1);
    await rig.run();
    rig.clock.jumpTo(START - 30 * 24 * 60 * MINUTE);
    await rig.pass(HOLD_MS + MINUTE);
    expect(rig.firing).toEqual(['Low a']);
  });

  it.each(['warning', 'info'] as const)(
    'has the severity %s and the hold of the configuration',
    async (severity) => {
      const low = alertNamed('Low', { holdMs: HOLD_MS });
      await using rig = await AlertRig.start([low], { Low: { for: 0, severity } });
      low.subjects.set('a', 1);
      await rig.run();
      expect([...rig.alerting.active]).toMatchObject([{ severity, firingSince: START }]);
    },
  );
});

it('an alert of two collectors is evaluated after the runs of each, also while the other one is off', async () => {
  const alert = alertNamed('Fault', { trigger: 'traffic', alsoAfter: ['proxy_users'] });
  await using rig = await AlertRig.start([alert]);
  alert.subjects.set('a', 1);
  await rig.run('services');
  expect(rig.firing).toEqual([]);
  await rig.run('proxy_users');
  expect(rig.firing).toEqual(['Fault a']);
  rig.disabledCollectors.push('traffic');
  await rig.reload();
  alert.subjects.clear();
  await rig.run('proxy_users');
  expect(rig.firing).toEqual([]);
  rig.disabledCollectors.push('proxy_users');
  await rig.reload();
  alert.subjects.set('a', 1);
  await rig.run('proxy_users');
  expect(rig.firing).toEqual([]);
});

describe('suppression', () => {
  const table = (on: string[] = []) => {
    const cause = alertNamed('Cause', { trigger: 'proxy_users' });
    const effect = alertNamed('Effect', { suppressedBy: [{ alert: 'Cause', equalLabels: on }] });
    return { cause, effect };
  };

  it('lasts exactly as long as the condition of the suppressing alert', async () => {
    const { cause, effect } = table();
    await using rig = await AlertRig.start([cause, effect]);
    effect.subjects.set('a', 1);
    await rig.run();
    expect(rig.firing).toEqual(['Effect a']);
    cause.subjects.set('other', 1);
    await rig.run('proxy_users');
    expect(rig.firing).toEqual(['Cause other']);
    cause.subjects.clear();
    await rig.run('proxy_users');
    expect(rig.firing).toEqual(['Effect a']);
  });

  it('starts while the suppressing alert is still pending', async () => {
    const effect = alertNamed('Effect', { suppressedBy: [{ alert: 'Cause' }] });
    const cause = alertNamed('Cause', { trigger: 'proxy_users', holdMs: HOLD_MS });
    await using rig = await AlertRig.start([cause, effect]);
    cause.subjects.set('x', 1);
    effect.subjects.set('a', 1);
    await rig.run();
    expect(rig.firing).toEqual([]);
  });

  it('applies only to subjects with equal labels if labels are given', async () => {
    const { cause, effect } = table(['subject']);
    await using rig = await AlertRig.start([cause, effect]);
    effect.subjects.set('a', 1).set('b', 1);
    cause.subjects.set('a', 1);
    await rig.run('proxy_users');
    await rig.run();
    expect(rig.firing).toEqual(['Cause a', 'Effect b']);
  });

  it('ends when the suppressing alert or its collector is turned off', async () => {
    const { cause, effect } = table();
    await using rig = await AlertRig.start([cause, effect], { Cause: { enabled: false } });
    cause.subjects.set('a', 1);
    effect.subjects.set('a', 1);
    await rig.run('proxy_users');
    await rig.run();
    expect(rig.firing).toEqual(['Effect a']);
    rig.section = { evaluate: true };
    await rig.reload();
    expect(rig.firing).toEqual([]);
    rig.disabledCollectors.push('proxy_users');
    await rig.reload();
    expect(rig.firing).toEqual(['Effect a']);
  });
});

describe('a condition that cannot be evaluated', () => {
  it('starts no alert, ends no alert and is logged once', async () => {
    let isFailing = false;
    const low = alertNamed('Low');
    const { find } = low;
    const failing = {
      ...low,
      async *find(...args: Parameters<typeof find>) {
        if (isFailing) throw new StoreError('failed', 'the disk is on fire');
        yield* find(...args);
      },
    };
    await using rig = await AlertRig.start([failing]);
    low.subjects.set('a', 1);
    await rig.run();
    isFailing = true;
    low.subjects.clear();
    low.subjects.set('b', 1);
    for (let round = 0; round < 3; round += 1) await rig.run();
    expect(rig.firing).toEqual(['Low a']);
    expect(rig.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    isFailing = false;
    await rig.run();
    expect(rig.firing).toEqual(['Low b']);
  });
});

describe('after a restart', () => {
  it('an alert keeps its state until its collector has run successfully', async () => {
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low]);
    low.subjects.set('a', 1);
    await rig.run();
    await rig.stop();
    low.subjects.clear();
    rig.clock.advance(MINUTE);
    await rig.begin();
    await rig.pass(MINUTE);
    await rig.run('traffic', 'failed');
    expect(rig.firing).toEqual(['Low a']);
    expect([...rig.alerting.active]).toMatchObject([{ firingSince: START }]);
    expect(
      await rig.sample('proxywatch_alert_firing{account="main",alert="Low",severity="warning",subject="a"}'),
    ).toBe(1);
    await rig.run();
    expect(rig.firing).toEqual([]);
    expect(rig.lines).toHaveLength(2);
  });

  it('a hold continues, but ends only when a run has confirmed the condition', async () => {
    const low = alertNamed('Low', { holdMs: HOLD_MS });
    await using rig = await AlertRig.start([low]);
    low.subjects.set('a', 1);
    await rig.run();
    await rig.restart();
    await rig.pass(2 * HOLD_MS);
    expect(rig.pending).toEqual(['Low a']);
    await rig.run();
    expect(rig.firing).toEqual(['Low a']);
  });

  it('alerts that depend on time alone wait until the first runs have ended or take too long', async () => {
    const stale = alertNamed('Stale', { trigger: 'time' });
    await using rig = await AlertRig.start([stale]);
    stale.subjects.set('traffic', 1);
    rig.running = [{ account: 'main', collector: 'traffic', runningSince: START, progress: null }];
    await rig.pass(5 * MINUTE);
    expect(rig.firing).toEqual([]);
    await rig.run('traffic', 'failed');
    await rig.pass(MINUTE);
    expect(rig.firing).toEqual(['Stale traffic']);
    await rig.restart();
    stale.subjects.set('proxy_users', 1);
    await rig.pass(16 * MINUTE);
    expect(rig.firing).toContain('Stale proxy_users');
  });

  it('and after the machine slept, alerts that depend on time alone wait for the runs', async () => {
    const stale = alertNamed('Stale', { trigger: 'time' });
    await using rig = await AlertRig.start([stale]);
    await rig.pass(MINUTE);
    stale.subjects.set('traffic', 1);
    rig.running = [{ account: 'main', collector: 'traffic', runningSince: START, progress: null }];
    rig.clock.advance(60 * MINUTE);
    await rig.pass(MINUTE);
    expect(rig.firing).toEqual([]);
    rig.running = [];
    await rig.pass(MINUTE);
    expect(rig.firing).toEqual(['Stale traffic']);
  });
});

describe('a machine that slept', () => {
  it('ends no hold before a run has confirmed the condition', async () => {
    const low = alertNamed('Low', { holdMs: HOLD_MS });
    await using rig = await AlertRig.start([low]);
    low.subjects.set('a', 1).set('b', 1);
    await rig.run();
    await rig.pass(MINUTE);
    rig.clock.advance(8 * HOUR);
    await rig.pass(MINUTE);
    expect(rig.firing).toEqual([]);
    await rig.run('traffic', 'failed');
    expect(rig.firing).toEqual([]);
    low.subjects.delete('b');
    await rig.run();
    expect([rig.firing, rig.pending]).toEqual([['Low a'], []]);
  });
});

describe('a clock that is set ahead', () => {
  it('ends no hold: the time that was skipped does not count', async () => {
    const low = alertNamed('Low', { holdMs: HOLD_MS });
    await using rig = await AlertRig.start([low]);
    low.subjects.set('a', 1);
    rig.clock.jumpTo(rig.clock.now() - 24 * HOUR);
    await rig.run();
    rig.clock.jumpTo(rig.clock.now() + 24 * HOUR);
    await rig.run();
    expect([rig.firing, rig.pending]).toEqual([[], ['Low a']]);
    await rig.pass(HOLD_MS);
    await rig.run();
    expect(rig.firing).toEqual(['Low a']);
  });
});

describe('a new configuration', () => {
  const firing = async () => {
    const low = alertNamed('Low', { threshold: { value: 5, unit: 'count', meaning: '' } });
    const compared = {
      ...low,
      async *find(evaluation: Parameters<typeof low.find>[0]) {
        for await (const finding of low.find(evaluation))
          if (finding.value < evaluation.threshold) yield finding;
      },
    };
    const rig = await AlertRig.start([compared]);
    low.subjects.set('a', 3).set('b', 7);
    await rig.run();
    expect(rig.firing).toEqual(['Low a']);
    return rig;
  };

  it('applies a new threshold immediately', async () => {
    await using rig = await firing();
    rig.section = { evaluate: true, Low: { threshold: 10 } };
    await rig.reload();
    expect(rig.firing).toEqual(['Low a', 'Low b']);
    rig.section = { evaluate: true, Low: { threshold: 1 } };
    await rig.reload();
    expect(rig.firing).toEqual([]);
  });

  it.each<[string, (rig: AlertRig) => void]>([
    ['a collector that is turned off', (rig) => rig.disabledCollectors.push('traffic')],
    [
      'an account that is removed',
      (rig) => {
        rig.names = ['other'];
      },
    ],
    [
      'an alert that is turned off',
      (rig) => {
        rig.section = { evaluate: true, Low: { enabled: false } };
      },
    ],
  ])('ends alerts of %s, also if that happened while the daemon was down', async (_, change) => {
    for (const isDown of [false, true]) {
      await using rig = await firing();
      if (isDown) await rig.stop();
      change(rig);
      await (isDown ? rig.begin() : rig.reload());
      expect(rig.firing).toEqual([]);
      expect(rig.lines.at(-1)?.message).toContain('alert resolved');
      expect(await rig.metricsText()).not.toContain('proxywatch_alert_firing{');
    }
  });

  it('that turns evaluation off ends all alerts', async () => {
    await using rig = await firing();
    rig.section = { evaluate: false };
    await rig.reload();
    await rig.run();
    expect(rig.firing).toEqual([]);
  });
});

describe('an alert about the daemon', () => {
  it('fires without the label account', async () => {
    await using rig = await AlertRig.start([
      {
        ...alertNamed('Own', { labels: [] }),
        scope: 'daemon',
        *find({ isReloadSuccessful }) {
          if (!isReloadSuccessful) yield { labels: {}, value: 0 };
        },
      },
    ]);
    rig.metrics.reloaded(false, START);
    await rig.pass(MINUTE);
    expect(await rig.sample('proxywatch_alert_firing{alert="Own",severity="warning"}')).toBe(1);
    rig.metrics.reloaded(true, START);
    await rig.pass(MINUTE);
    expect(rig.firing).toEqual([]);
  });
});
