// The daemon's own evaluation: holds, what explains what, restarts, other configurations, and data that nobody polls.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { StoreError } from '../../src/store/errors.ts';
import { AlertRig, alertNamed, HOLD_MS, START } from './alert-rig.ts';

describe('an alert', () => {
  it('fires after the run that brings its condition, and ends after the run that ends it', async () => {
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
      'warn alert: a stands at 3.',
      'info alert over: a stands at 3.',
    ]);
  });

  it('is pending for its hold, by the clock and without another run, and then fires', async () => {
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

  it('that ends within its hold never was', async () => {
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

  it('is kept firing over a condition that flickers', async () => {
    const low = alertNamed('Low', { keepMs: HOLD_MS });
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

  it('has no time of the future after the clock was set back, and holds no longer for it', async () => {
    const low = alertNamed('Low', { holdMs: HOLD_MS });
    await using rig = await AlertRig.start([low]);
    low.subjects.set('a', 1);
    await rig.run();
    rig.clock.jumpTo(START - 30 * 24 * 60 * MINUTE);
    await rig.pass(HOLD_MS + MINUTE);
    expect(rig.firing).toEqual(['Low a']);
  });

  it.each(['warning', 'info'] as const)(
    'of severity %s is what the configuration makes it',
    async (severity) => {
      const low = alertNamed('Low', { holdMs: HOLD_MS });
      await using rig = await AlertRig.start([low], { Low: { for: 0, severity } });
      low.subjects.set('a', 1);
      await rig.run();
      expect([...rig.alerting.active]).toMatchObject([{ severity, firingSince: START }]);
    },
  );
});

describe('what explains an alert', () => {
  const table = (on: string[] = []) => {
    const cause = alertNamed('Cause', { when: 'proxy_users' });
    const effect = alertNamed('Effect', { explainedBy: [{ alert: 'Cause', on }] });
    return { cause, effect };
  };

  it('silences it as soon as it is known, and no longer', async () => {
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

  it('silences by its condition, while it is held itself', async () => {
    const effect = alertNamed('Effect', { explainedBy: [{ alert: 'Cause' }] });
    const cause = alertNamed('Cause', { when: 'proxy_users', holdMs: HOLD_MS });
    await using rig = await AlertRig.start([cause, effect]);
    cause.subjects.set('x', 1);
    effect.subjects.set('a', 1);
    await rig.run();
    expect(rig.firing).toEqual([]);
  });

  it('silences the same subjects alone where labels say so', async () => {
    const { cause, effect } = table(['subject']);
    await using rig = await AlertRig.start([cause, effect]);
    effect.subjects.set('a', 1).set('b', 1);
    cause.subjects.set('a', 1);
    await rig.run('proxy_users');
    await rig.run();
    expect(rig.firing).toEqual(['Cause a', 'Effect b']);
  });

  it('explains nothing where it is turned off, or its collector is', async () => {
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
    rig.off.push('proxy_users');
    await rig.reload();
    expect(rig.firing).toEqual(['Effect a']);
  });
});

describe('a condition that the store cannot tell', () => {
  it('starts nothing, ends nothing and is logged once', async () => {
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
  it('an alert goes on as it was until its collector has run well', async () => {
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

  it('a hold goes on from where it was, and ends no sooner than a run has said that it is still so', async () => {
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

  it('what time alone brings waits for the first runs, as long as they may take', async () => {
    const stale = alertNamed('Stale', { when: 'time' });
    await using rig = await AlertRig.start([stale]);
    stale.subjects.set('traffic', 1);
    rig.running = [{ account: 'main', collector: 'traffic', runningSince: START }];
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

  it('and neither does it come of a machine that slept', async () => {
    const stale = alertNamed('Stale', { when: 'time' });
    await using rig = await AlertRig.start([stale]);
    await rig.pass(MINUTE);
    stale.subjects.set('traffic', 1);
    rig.running = [{ account: 'main', collector: 'traffic', runningSince: START }];
    rig.clock.advance(60 * MINUTE);
    await rig.pass(MINUTE);
    expect(rig.firing).toEqual([]);
    rig.running = [];
    await rig.pass(MINUTE);
    expect(rig.firing).toEqual(['Stale traffic']);
  });
});

describe('a machine that slept', () => {
  it('lets no hold be over before a run has said that the condition still holds', async () => {
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

describe('another configuration', () => {
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

  it('compares with another threshold at once', async () => {
    await using rig = await firing();
    rig.section = { evaluate: true, Low: { threshold: 10 } };
    await rig.reload();
    expect(rig.firing).toEqual(['Low a', 'Low b']);
    rig.section = { evaluate: true, Low: { threshold: 1 } };
    await rig.reload();
    expect(rig.firing).toEqual([]);
  });

  it.each<[string, (rig: AlertRig) => void]>([
    ['a collector that is turned off', (rig) => rig.off.push('traffic')],
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
  ])('ends alerts of %s, also while the daemon was down', async (_, change) => {
    for (const isDown of [false, true]) {
      await using rig = await firing();
      if (isDown) await rig.stop();
      change(rig);
      await (isDown ? rig.begin() : rig.reload());
      expect(rig.firing).toEqual([]);
      expect(rig.lines.at(-1)?.message).toContain('alert over');
      expect(await rig.metricsText()).not.toContain('proxywatch_alert_firing{');
    }
  });

  it('without evaluation forgets all', async () => {
    await using rig = await firing();
    rig.section = { evaluate: false };
    await rig.reload();
    await rig.run();
    expect(rig.firing).toEqual([]);
  });
});

describe('the daemon', () => {
  it('is told of as well, without an account', async () => {
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
