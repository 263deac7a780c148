// Tests silences that end when their alerts are resolved: they stop repetitions, and hide no alert that begins after them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { Silence } from '../../src/store/alert-store.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { cases } from '../support/fuzz.ts';
import { AlertRig, alertNamed, type TestAlert } from './alert-rig.ts';
import { allNotified, bodiesOf, hookOf, textOf } from './group-support.ts';

const KEEP_FIRING = 2 * MINUTE;
const STEP = 15 * SECOND;

class Life {
  readonly receiver: FakeReceiver;
  readonly rig: AlertRig;
  readonly low: TestAlert;
  readonly other: TestAlert;
  #seen = 0;

  private constructor(receiver: FakeReceiver, rig: AlertRig, [low, other]: readonly [TestAlert, TestAlert]) {
    this.receiver = receiver;
    this.rig = rig;
    this.low = low;
    this.other = other;
  }

  static async begin(holdMs = 0): Promise<Life> {
    const receiver = await FakeReceiver.start();
    const alerts = [alertNamed('Low', { holdMs, keepFiringMs: KEEP_FIRING }), alertNamed('Other')] as const;
    const hook = hookOf(receiver, { repeat_every: '1h', group_interval: '1m' });
    return new Life(receiver, await AlertRig.start(alerts, { receivers: [hook] }), alerts);
  }

  async set(isLow: boolean, ...subjects: string[]): Promise<void> {
    for (const subject of subjects)
      if (isLow) this.low.subjects.set(subject, 1);
      else this.low.subjects.delete(subject);
    await this.rig.run();
  }

  /** Resolves the subjects, also for those that wait for the end of `keep_firing_for`. */
  async resolve(...subjects: string[]): Promise<void> {
    await this.set(false, ...subjects);
    await this.rig.pass(KEEP_FIRING + 2 * STEP);
  }

  async takeOn(part: Partial<Silence> = {}): Promise<void> {
    const now = this.rig.clock.now();
    const id = `silence-${this.rig.alerting.mutes.silences.length}`;
    const scope = { account: 'main', alert: 'Low', subject: null, comment: 'Anna is on it' };
    const times = { startsAt: now, endsAt: now + 7 * DAY, untilResolved: true };
    await this.rig.alerting.mutes.add({ id, ...scope, ...times, ...part });
    // What begins later does not begin in the same millisecond.
    this.rig.clock.advance(1);
  }

  /** Lets only the wall clock go on, which is the same for the daemon as a clock that is set ahead. */
  async sleep(ms: number): Promise<void> {
    this.rig.clock.jumpTo(this.rig.clock.now() + ms);
    await this.rig.pass(STEP);
  }

  /** Which silences are in effect. */
  get open(): boolean[] {
    const now = this.rig.clock.now();
    return this.rig.alerting.mutes.silences.map(({ endsAt }) => endsAt > now);
  }

  /** Says what becomes of the notification about the first alert. */
  async explanation(): Promise<string | undefined> {
    const [alert] = this.rig.alerting.active;
    const explanations = await this.rig.alerting.explanations();
    return alert && (await explanations.noticesOf(alert))[0]?.text;
  }

  /** What the receiver got since the last call. */
  news(): string[] {
    const news = bodiesOf(this.receiver).map(textOf).slice(this.#seen);
    this.#seen += news.length;
    return news;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
    await this.receiver[Symbol.asyncDispose]();
  }
}

describe('a silence until alerts are resolved', () => {
  it('stops repetitions, ends with the alert, whose end is sent, and a new outbreak is notified', async () => {
    await using life = await Life.begin();
    await life.set(true, 'a');
    await life.rig.pass(2 * HOUR, MINUTE);
    expect(life.news()).toEqual(['1/1: +a', '0/1: a']);
    await life.takeOn({ subject: 'subject=a' });
    await life.rig.pass(9 * HOUR, MINUTE);
    expect([life.open, life.news()]).toEqual([[true], []]);
    expect(await life.explanation()).toMatch(
      /^notified at .*; not repeated: silence silence-0 until the alert is resolved, or until \S+ \(Anna is on it\)$/,
    );
    await life.resolve('a');
    expect([life.open, life.news()]).toEqual([[false], ['0/0: -a']]);
    expect(await life.rig.store.silences.all()).toMatchObject([{ endsAt: expect.any(Number) }]);
    await life.set(true, 'a');
    await life.rig.pass(MINUTE);
    expect([life.open, life.news()]).toEqual([[false], ['1/1: +a']]);
  });

  it('goes on while keep_firing_for bridges a gap', async () => {
    await using life = await Life.begin();
    await life.set(true, 'a');
    await life.takeOn();
    for (const isLow of [false, true, false, true]) {
      await life.set(isLow, 'a');
      await life.rig.pass(KEEP_FIRING - STEP);
      expect(life.open).toEqual([true]);
    }
    await life.rig.pass(HOUR);
    expect([life.open, life.news()]).toEqual([[true], []]);
  });

  it('hides no alert that begins or returns later, and ends with the last one', async () => {
    await using life = await Life.begin();
    await life.set(true, 'a', 'b');
    await life.takeOn();
    await life.resolve('a');
    await life.set(true, 'c', 'a');
    await life.rig.pass(MINUTE);
    expect([life.open, life.news()]).toEqual([[true], ['2/2: +a +c']]);
    life.other.subjects.set('b', 1);
    await life.rig.run();
    await life.rig.pass(MINUTE);
    expect(life.news()).toEqual(['1/1: +b']);
    await life.resolve('b');
    expect(life.open).toEqual([false]);
  });

  it('ends after a restart only when the alert is evaluated and resolved', async () => {
    await using life = await Life.begin();
    await life.set(true, 'a');
    await life.takeOn();
    await life.rig.stop();
    life.low.subjects.clear();
    life.rig.clock.advance(DAY);
    await life.rig.begin();
    await life.rig.pass(HOUR);
    expect(life.open).toEqual([true]);
    await life.resolve('a');
    expect(life.open).toEqual([false]);
    await life.set(true, 'a');
    await life.rig.pass(MINUTE);
    expect(life.news()).toEqual(['1/1: +a']);
  });

  it('ends when a reload turns the evaluation off, and the next alert is notified', async () => {
    await using life = await Life.begin();
    await life.set(true, 'a');
    await life.takeOn();
    life.rig.section = { ...life.rig.section, evaluate: false };
    await life.rig.reload();
    await life.rig.pass(MINUTE);
    expect(life.open).toEqual([false]);
    life.rig.section = { ...life.rig.section, evaluate: true };
    await life.rig.reload();
    await life.rig.run();
    await life.rig.pass(MINUTE);
    expect(life.news()).toEqual(['1/1: +a']);
  });

  it('ends at its latest end although the alert fires, which is then notified again', async () => {
    await using life = await Life.begin();
    await life.set(true, 'a');
    await life.rig.pass(MINUTE);
    await life.takeOn();
    await life.rig.pass(7 * DAY - MINUTE, HOUR);
    expect(life.news()).toEqual(['1/1: +a']);
    await life.rig.pass(MINUTE);
    expect([life.open, life.news()]).toEqual([[false], ['0/1: a']]);
  });

  it('covers an alert that is pending when it begins', async () => {
    await using life = await Life.begin(10 * MINUTE);
    await life.set(true, 'a');
    await life.takeOn();
    await life.rig.pass(HOUR);
    expect([life.rig.firing, life.open, life.news()]).toEqual([['Low a'], [true], []]);
  });

  it('covers a pending alert also after the machine slept, and after a restart, but not one that began later', async () => {
    await using life = await Life.begin(10 * MINUTE);
    await life.set(true, 'a');
    await life.takeOn();
    await life.rig.pass(5 * MINUTE);
    await life.set(true, 'b');
    await life.sleep(3 * HOUR);
    await life.rig.restart();
    await life.set(true, 'a', 'b');
    expect([life.rig.pending, life.open]).toEqual([['Low a', 'Low b'], [true]]);
    await life.rig.pass(5 * MINUTE);
    expect([life.rig.firing, life.news()]).toEqual([['Low a'], []]);
    await life.rig.pass(10 * MINUTE);
    expect([life.rig.firing, life.open, life.news()]).toEqual([['Low a', 'Low b'], [true], ['1/1: +b']]);
  });
});

const SUBJECTS = ['a', 'b', 'c'];
const anyEvents = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ isLow: fc.boolean(), subject: fc.constantFrom(...SUBJECTS) }) },
    { weight: 3, arbitrary: fc.record({ steps: fc.constantFrom(1, 4, 10) }) },
    { weight: 2, arbitrary: fc.record({ takenOn: fc.constantFrom(null, ...SUBJECTS) }) },
    // Whether the alerts of the subjects end while the daemon is stopped.
    { weight: 1, arbitrary: fc.record({ endsMeanwhile: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ sleptMs: fc.constantFrom(MINUTE, 2 * HOUR) }) },
  ),
  { maxLength: 25, size: 'max' },
);

it('in any order of events, silences hide the alerts that they were made for, and no others', async () => {
  await fc.assert(
    fc.asyncProperty(anyEvents, fc.constantFrom(0, MINUTE), async (events, holdMs) => {
      await using life = await Life.begin(holdMs);
      const { rig } = life;
      /** For each silence the subjects that have been active without a gap since it began. */
      const covered: Set<string>[] = [];
      const active = () => new Set([...rig.alerting.active].map(({ labels }) => String(labels.subject)));
      const observe = (): void => {
        for (const subjects of covered)
          for (const subject of subjects) if (!active().has(subject)) subjects.delete(subject);
        const hidden = new Set(covered.flatMap((subjects) => [...subjects]));
        for (const text of life.news())
          for (const [, subject = ''] of text.matchAll(/(?: |\+)(\w)/g))
            expect(hidden).not.toContain(subject);
      };
      const pass = async (steps: number): Promise<void> => {
        for (let step = 0; step < steps; step += 1) {
          await rig.pass(STEP);
          observe();
          expect(life.open).toEqual(covered.map(({ size }) => size > 0));
        }
      };
      for (const event of events) {
        if ('isLow' in event) await life.set(event.isLow, event.subject);
        if ('steps' in event) await pass(event.steps);
        if ('takenOn' in event) {
          const { takenOn: subject } = event;
          covered.push(new Set([...active()].filter((each) => subject === null || subject === each)));
          await life.takeOn({ subject });
        }
        if ('endsMeanwhile' in event) {
          await rig.stop();
          if (event.endsMeanwhile) life.low.subjects.clear();
          await rig.begin();
          await pass(2);
          await rig.run();
        }
        if ('sleptMs' in event) {
          await life.sleep(event.sleptMs);
          await rig.run();
        }
        observe();
      }
      await pass(8);
      const known = new Set(
        Object.values(await allNotified(rig.store)).map(({ alert }) => alert.labels.subject),
      );
      const hidden = new Set(covered.flatMap((subjects) => [...subjects]));
      for (const { labels } of rig.alerting.active)
        if (!hidden.has(String(labels.subject))) expect(known).toContain(labels.subject);
    }),
    cases(12),
  );
});
