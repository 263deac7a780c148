// Fuzzes explanations: what they say about a receiver must agree with what the dispatcher then does.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SEVERITIES } from '../../src/alerts/alert.ts';
import { labelsKey, severityKey } from '../../src/alerts/state.ts';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import type { Notice } from '../../src/store/notice.ts';
import { AlertRig, alertNamed, type TestAlert } from '../alerts/alert-rig.ts';
import { type Body, bodyOf, hookOf } from '../alerts/group-support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';

const SUBJECTS = ['a', 'b', 'c'];
/** The second one is pending for a while. */
const ALERTS = ['One', 'Two'];
const STEP = 15 * SECOND;
/** How long the dispatcher is watched after an explanation. */
const WATCHED_STEPS = 80;
/** After so many steps, the alerts are explained again. */
const CLAIM_STEPS = 8;

const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      alert: fc.constantFrom(...ALERTS),
      subject: fc.constantFrom(...SUBJECTS),
      isLow: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 5, arbitrary: fc.record({ steps: fc.constantFrom(1, 1, 2, 5, 30) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      muted: fc.constantFrom(...SUBJECTS),
      startSteps: fc.constantFrom(0, 0, 1, 3),
      mutedSteps: fc.integer({ min: 1, max: 60 }),
      untilResolved: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ severityOfOne: fc.constantFrom(...SEVERITIES) }) },
  { weight: 1, arbitrary: fc.record({ groupBy: fc.constantFrom([], ['alertname'], ['subject']) }) },
  { weight: 1, arbitrary: fc.constant({ isRestart: true as const }) },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const anySettings = fc.record({
  min_severity: fc.constantFrom('critical' as const, 'warning' as const, 'info' as const, 'info' as const),
  accounts: fc.constantFrom<(string[] | undefined)[]>(...Array.from({ length: 7 }, () => undefined), [
    'other',
  ]),
  alerts: fc.constantFrom<(string[] | undefined)[]>(undefined, undefined, undefined, ['One']),
  send_resolved: fc.boolean(),
  group_by: fc.constantFrom([], ['alertname'], ['severity'], ['subject', 'severity']),
  group_wait: fc.constantFrom(0, 30, 75),
  group_interval: fc.constantFrom(0, 60, 300),
  repeat_every: fc.constantFrom(60, 10 * 60, 24 * 3_600),
  after: fc.constantFrom(0, 0, 120),
});
type Settings = typeof anySettings extends fc.Arbitrary<infer T> ? T : never;

interface Seen {
  readonly at: number;
  readonly groupKey: string;
  readonly added: readonly string[];
  readonly listed: readonly string[];
}

/** What an explanation said at `from` (ms). */
interface Claim {
  readonly key: string;
  readonly from: number;
  /** A pending alert that fires later can change when others are due. */
  readonly isAnyPending: boolean;
  readonly notice: Notice;
}

const settingsOf = (settings: Settings): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, typeof value === 'number' ? `${value}s` : value]),
  );

const keyOf = ({ labels }: Body['alerts'][number]): string => {
  const { severity = '', account = '', alertname = '', ...own } = labels;
  return [severity, account, alertname, labelsKey(own)].join('\n');
};

class Life implements AsyncDisposable {
  readonly receiver: FakeReceiver;
  readonly rig: AlertRig;
  readonly #alerts: readonly TestAlert[];
  readonly seen: Seen[] = [];
  #count = 0;

  constructor(receiver: FakeReceiver, rig: AlertRig, alerts: readonly TestAlert[]) {
    this.receiver = receiver;
    this.rig = rig;
    this.#alerts = alerts;
  }

  async apply(each: Event): Promise<void> {
    const { rig } = this;
    if ('isLow' in each) {
      const { subjects } = this.#alerts[ALERTS.indexOf(each.alert)] as TestAlert;
      if (each.isLow) subjects.set(each.subject, 1);
      else subjects.delete(each.subject);
      await rig.run();
    }
    if ('steps' in each) await this.pass(each.steps);
    if ('muted' in each) await this.#mute(each);
    if ('severityOfOne' in each) {
      rig.section = { ...rig.section, One: { severity: each.severityOfOne } };
      await rig.reload();
    }
    if ('groupBy' in each) {
      const [hook] = rig.section.receivers as object[];
      rig.section = { ...rig.section, receivers: [{ ...hook, group_by: each.groupBy }] };
      await rig.reload();
    }
    if ('isRestart' in each) {
      await rig.restart();
      // Alerts keep their state after a restart until their collector has run.
      await rig.run();
    }
    this.observe();
  }

  async #mute({ muted: subject, ...silence }: Extract<Event, { muted: string }>): Promise<void> {
    const { startSteps, mutedSteps, untilResolved } = silence;
    const startsAt = this.rig.clock.now() + startSteps * STEP;
    const { mutes } = this.rig.alerting;
    const id = `silence-${mutes.silences.length}`;
    const endsAt = startsAt + mutedSteps * STEP;
    const scope = { account: null, alert: null, subject, comment: 'test' };
    await mutes.add({ id, ...scope, startsAt, endsAt, untilResolved });
  }

  async pass(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      await this.rig.pass(STEP);
      this.observe();
    }
  }

  observe(): void {
    const at = this.rig.clock.now();
    for (const { groupKey, added, alerts } of this.receiver.accepted.slice(this.#count).map(bodyOf)) {
      const listed = alerts.map(keyOf);
      this.seen.push({ at, groupKey, added: listed.slice(0, added), listed });
      this.#count += 1;
    }
  }

  async claims(): Promise<Claim[]> {
    const explanations = await this.rig.alerting.explanations();
    await this.rig.alerting.idle();
    this.observe();
    const { rig } = this;
    const [from, isAnyPending] = [rig.clock.now(), rig.pending.length > 0];
    const claims: Claim[] = [];
    for (const alert of rig.alerting.active)
      for (const notice of await explanations.noticesOf(alert))
        claims.push({ key: severityKey(alert), from, isAnyPending, notice });
    return claims;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
    await this.receiver[Symbol.asyncDispose]();
  }
}

const begin = async (settings: Settings): Promise<Life> => {
  const receiver = await FakeReceiver.start();
  const alerts = ALERTS.map((name, index) => alertNamed(name, { holdMs: index * 2 * MINUTE }));
  const rig = await AlertRig.start(alerts, { receivers: [hookOf(receiver, settingsOf(settings))] });
  return new Life(receiver, rig, alerts);
};

/** Compares a claim with what the receiver got until now. */
const check = ({ key, from, isAnyPending, notice }: Claim, life: Life): void => {
  const later = life.seen.filter(({ at }) => at > from);
  const addedAt = later.find(({ added }) => added.includes(key))?.at;
  const { status, reasons, dueAt, repeatAt } = notice;
  const ends = reasons.map(({ until }) => until ?? Number.POSITIVE_INFINITY);
  const isTold = life.seen.some(({ at, added }) => at <= from && added.includes(key));
  if (status === 'notified') expect(isTold).toBe(true);
  // An alert that ended and fires again while it is kept back is resolved first, and then added again.
  const isSettled = status === 'notified' && (repeatAt !== null || reasons.length === 0);
  if (status === 'filtered' || isSettled) expect(addedAt).toBeUndefined();
  if (status === 'kept_back')
    expect(addedAt ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(Math.max(...ends));
  if (status === 'waiting') expect(dueAt).not.toBeNull();
  const until = life.rig.clock.now();
  if (dueAt !== null && !isAnyPending) expect(addedAt ?? until + STEP).toBe(Math.min(dueAt, until + STEP));
  if (status !== 'notified' || repeatAt === null || repeatAt > until || isAnyPending) return;
  const group = life.seen.findLast(({ at, added }) => at <= from && added.includes(key))?.groupKey;
  const next = later.find(({ groupKey }) => groupKey === group);
  expect(next?.at).toBeLessThanOrEqual(repeatAt);
  if (next?.at === repeatAt) expect(next.listed).toContain(key);
};

it(
  'a receiver is notified when an explanation says so, and not while something keeps the alert back',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anySettings,
        fc.array(event, { maxLength: 25, size: 'max' }),
        async (settings, events) => {
          await using life = await begin(settings);
          for (const each of events) await life.apply(each);
          const claims: Claim[] = [];
          for (let step = 0; step < WATCHED_STEPS; step += CLAIM_STEPS) {
            claims.push(...(await life.claims()));
            await life.pass(CLAIM_STEPS);
          }
          for (const claim of claims) check(claim, life);
        },
      ),
      cases(30),
    );
  },
  FUZZ_TIMEOUT,
);
