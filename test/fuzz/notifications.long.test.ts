// Fuzzes sequences of events: what a receiver is told follows the alerts and their steps, and a restart changes no message.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SEVERITIES } from '../../src/alerts/alert.ts';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { AlertRig, alertNamed } from '../alerts/alert-rig.ts';
import { type Body, bodyOf, hookOf, quotaAlert } from '../alerts/group-support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';

const SUBJECTS = ['a', 'b', 'c'];
const ALERTS = ['One', 'Two'];
/** The most severe first. */
const RANKS: readonly string[] = SEVERITIES;
const STEP = 15 * SECOND;

const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      alert: fc.constantFrom(...ALERTS),
      subject: fc.constantFrom(...SUBJECTS),
      isLow: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      user: fc.constantFrom(...SUBJECTS),
      // What is left of the quota, one after the other. At 0.055, the step depends on the step before.
      lefts: fc.array(fc.constantFrom(0.15, 0.085, 0.045, 0.055), { minLength: 2, maxLength: 4 }),
      pauses: fc.integer({ min: 0, max: 20 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ steps: fc.integer({ min: 1, max: 30 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      muted: fc.constantFrom(...SUBJECTS),
      mutedSteps: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ severityOfOne: fc.constantFrom(...SEVERITIES) }) },
  { weight: 2, arbitrary: fc.constant({ isRestart: true as const }) },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const anySettings = fc.record({
  min_severity: fc.constantFrom(...SEVERITIES),
  accounts: fc.constantFrom<(string[] | undefined)[]>(undefined, undefined, ['main'], ['other']),
  alerts: fc.constantFrom<(string[] | undefined)[]>(undefined, ['One'], ['One', 'Two']),
  group_by: fc.constantFrom(...[[], ['alertname'], ['severity'], ['subject', 'severity']]),
  group_wait: fc.constantFrom(0, 30, 75),
  group_interval: fc.constantFrom(0, 60, 300),
  repeat_every: fc.constantFrom(10 * 60, 24 * 3_600),
  after: fc.constantFrom(0, 0, 120),
});
type Settings = typeof anySettings extends fc.Arbitrary<infer T> ? T : never;

interface Seen {
  readonly at: number;
  readonly body: Body;
}

interface Firing {
  readonly since: number;
  readonly step: number;
}

/** What the receiver knows, and the rules that each notification must follow. */
class Model {
  /** The groups of the alerts that the receiver was told. */
  readonly told = new Map<string, string>();
  /** The lowest step of each of them since the receiver was told. */
  readonly steps = new Map<string, number>();
  readonly #notifiedAt = new Map<string, number>();
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  check(
    { at, body }: Seen,
    firing: ReadonlyMap<string, Firing>,
    isMuted: (subject: string) => boolean,
  ): void {
    const { groupKey, added, risen, resolved, alerts } = body;
    const keys = alerts.map(keyOf);
    const since = at - (this.#notifiedAt.get(groupKey) ?? Number.NEGATIVE_INFINITY);
    const shortest =
      added + risen + resolved > 0 ? this.#settings.group_interval : this.#settings.repeat_every;
    expect(since).toBeGreaterThanOrEqual(shortest * SECOND);
    for (const [index, key] of keys.entries()) {
      if (index < added) this.#checkAdded(key, at, firing, groupKey);
      else expect(this.told.get(key)).toBe(groupKey);
      if (index >= added && index < added + risen) this.#checkRisen(key, firing);
      if (index < added + risen || index >= added + risen + resolved)
        expect(isMuted(key.split(' ')[2] ?? '')).toBe(false);
    }
    for (const key of keys.slice(added + risen, added + risen + resolved)) this.told.delete(key);
    const known = [...this.told].flatMap(([key, group]) => (group === groupKey ? [key] : []));
    const silenced = known.filter(
      (key) => firing.has(key) && isPassing(key, this.#settings) && isMuted(key.split(' ')[2] ?? ''),
    ).length;
    expect([body.firing, body.silenced]).toEqual([known.length - silenced, silenced]);
    if (known.length > 0) this.#notifiedAt.set(groupKey, at);
    else this.#notifiedAt.delete(groupKey);
  }

  #checkAdded(key: string, at: number, firing: ReadonlyMap<string, Firing>, groupKey: string): void {
    expect(this.told.has(key)).toBe(false);
    expect(firing.get(key)?.since).toBeLessThanOrEqual(at - this.#settings.after * SECOND);
    expect(isPassing(key, this.#settings)).toBe(true);
    this.told.set(key, groupKey);
    this.steps.set(key, firing.get(key)?.step ?? 0);
  }

  #checkRisen(key: string, firing: ReadonlyMap<string, Firing>): void {
    const step = firing.get(key)?.step ?? 0;
    expect(step).toBeGreaterThan(this.steps.get(key) ?? 0);
    expect(isPassing(key, this.#settings)).toBe(true);
    this.steps.set(key, step);
  }

  /** After a fall, the next rise is a new one. */
  evaluated(firing: ReadonlyMap<string, Firing>): void {
    for (const [key, { step }] of firing) this.steps.set(key, Math.min(step, this.steps.get(key) ?? step));
  }
}

const keyOf = ({ labels }: Body['alerts'][number]): string =>
  `${labels.severity} ${labels.alertname} ${labels.subject}`;

/** All alerts of the test are about the account `main`. */
const isPassing = (
  key: string,
  { min_severity, accounts = ['main'], alerts = ALERTS }: Settings,
): boolean => {
  const [severity = '', alert = ''] = key.split(' ');
  const isSevere = RANKS.indexOf(severity) <= RANKS.indexOf(min_severity);
  return isSevere && accounts.includes('main') && alerts.includes(alert);
};

/** Lets a daemon live through the events, and returns the notifications that its receiver got. */
const live = async (settings: Settings, events: readonly Event[], isRestarted: boolean): Promise<Seen[]> => {
  await using receiver = await FakeReceiver.start();
  const alerts = [alertNamed('One'), quotaAlert('Two')] as const;
  const seconds = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, typeof value === 'number' ? `${value}s` : value]),
  );
  await using rig = await AlertRig.start(alerts, {
    receivers: [hookOf(receiver, seconds)],
    Two: { steps: [0.8, 0.9, 0.95] },
  });
  const [mutes, seen, model]: [{ subject: string; from: number; to: number }[], Seen[], Model] = [
    [],
    [],
    new Model(settings),
  ];
  const isMuted = (subject: string, now: number): boolean =>
    mutes.some((mute) => mute.subject === subject && mute.from <= now && now < mute.to);
  const firing = (): Map<string, Firing> =>
    new Map(
      [...rig.alerting.active].flatMap(({ severity, alert, labels, firingSince, step }) =>
        firingSince === null
          ? []
          : [[`${severity} ${alert} ${labels.subject}`, { since: firingSince, step }] as const],
      ),
    );
  const observe = (): void => {
    const at = rig.clock.now();
    for (const body of receiver.accepted.slice(seen.length).map(bodyOf)) {
      seen.push({ at, body });
      model.check({ at, body }, firing(), (subject) => isMuted(subject, at));
    }
  };
  const pass = async (steps: number): Promise<void> => {
    for (let step = 0; step < steps; step += 1) {
      await rig.pass(STEP);
      observe();
    }
  };
  for (const each of events) {
    if ('isLow' in each) {
      const { subjects } = alerts[ALERTS.indexOf(each.alert)] as (typeof alerts)[number];
      if (each.isLow) subjects.set(each.subject, 0.15);
      else subjects.delete(each.subject);
      await rig.run();
      model.evaluated(firing());
    }
    if ('steps' in each) await pass(each.steps);
    if ('lefts' in each) {
      for (const left of each.lefts) {
        alerts[1].subjects.set(each.user, left);
        await rig.run();
        model.evaluated(firing());
        observe();
        await pass(each.pauses);
      }
    }
    if ('muted' in each) {
      const from = rig.clock.now();
      const to = from + each.mutedSteps * STEP;
      mutes.push({ subject: each.muted, from, to });
      await rig.silence(each.muted, to);
    }
    if ('severityOfOne' in each) {
      rig.section = { ...rig.section, One: { severity: each.severityOfOne } };
      await rig.reload();
    }
    if ('isRestart' in each) {
      if (isRestarted) await rig.restart();
      // Alerts keep their state after a restart until their collector has run.
      await rig.run();
    }
    observe();
  }
  // All mutes have ended by then, and every group has been due.
  await pass(60 + (settings.after * SECOND + 10 * MINUTE) / STEP);
  expect([...model.told.keys()].toSorted()).toEqual(
    [...firing().keys()].filter((key) => isPassing(key, settings)).toSorted(),
  );
  for (const key of model.told.keys()) expect(model.steps.get(key)).toBe(firing().get(key)?.step);
  return seen;
};

/** The ids are random, and the order of the groups of one moment does not matter. */
const comparable = (seen: readonly Seen[]): string[] =>
  seen.map(({ at, body }) => JSON.stringify({ at, ...body })).toSorted();

it(
  'a receiver is told of each beginning and each end once, in few messages, whether the daemon restarts or not',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anySettings,
        fc.array(event, { maxLength: 30, size: 'max' }),
        async (settings, events) => {
          const seen = await live(settings, events, true);
          expect(comparable(await live(settings, events, false))).toEqual(comparable(seen));
        },
      ),
      cases(15),
    );
  },
  FUZZ_TIMEOUT,
);
