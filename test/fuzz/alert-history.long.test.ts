// Fuzzes sequences of findings, restarts and failures of the store: the history of alerts follows a model of episodes.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import type { Episode } from '../../src/store/alert-history-store.ts';
import { StoreError } from '../../src/store/errors.ts';
import { AlertRig, alertNamed } from '../alerts/alert-rig.ts';
import { type Body, bodyOf, hookOf } from '../alerts/group-support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';

const SUBJECTS = ['a', 'b'];
const HOLDS: Readonly<Record<string, number>> = { Quick: 0, Slow: MINUTE, Own: 0 };
const STEP = 15 * SECOND;

const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      alert: fc.constantFrom('Quick', 'Slow'),
      subject: fc.constantFrom(...SUBJECTS),
      value: fc.option(fc.integer({ min: 1, max: 9 })),
    }),
  },
  { weight: 5, arbitrary: fc.record({ steps: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ severityOfQuick: fc.constantFrom('critical', 'warning') }) },
  { weight: 1, arbitrary: fc.record({ muted: fc.constantFrom(...SUBJECTS) }) },
  { weight: 2, arbitrary: fc.record({ isOwnLow: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ isFailing: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ isRestart: true as const }) },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const anySettings = fc.record({
  send_resolved: fc.boolean(),
  group_wait: fc.constantFrom('0s', '30s'),
  group_interval: fc.constantFrom('0s', '2m', '10m'),
});

/** An alert that is pending or firing, as the model knows it. */
interface Present {
  readonly since: number;
  readonly severity: string;
  readonly value: number;
  /** The value at the newest change of its state, which is all that a restart keeps. */
  readonly stored: number;
  /** Null while it is pending. */
  readonly firing: { readonly since: number; readonly value: number } | null;
}

/** Computes the episodes from what each evaluation found, and from nothing else. */
class Model {
  /** Texts of the episodes that ended. */
  readonly ended: string[] = [];
  readonly #present = new Map<string, Present>();
  readonly #firingSince = new Map<string, number>();

  evaluate(alert: string, severity: string, found: ReadonlyMap<string, number>, now: number): void {
    for (const subject of [...SUBJECTS, '-']) {
      const name = `${alert} ${subject}`;
      const [before, value] = [this.#present.get(name), found.get(subject)];
      const isOther = before?.firing && (value === undefined || before.severity !== severity);
      if (isOther) this.ended.push(textOf(name, before, now));
      if (value === undefined) this.#present.delete(name);
      // With another severity, a firing alert goes on firing, in an episode of its own.
      else if (before?.firing && isOther)
        this.#set(name, { ...before, severity, value, stored: value, firing: { since: now, value } });
      else {
        const stored = before?.severity === severity ? before.stored : value;
        this.#set(name, { since: now, firing: null, ...before, severity, value, stored });
      }
    }
    this.advance([alert], now);
  }

  /** Lets alerts fire that have been pending for long enough. */
  advance(alerts: readonly string[], now: number): void {
    for (const [name, present] of this.#present) {
      const [alert = ''] = name.split(' ');
      const { since, value, firing } = present;
      if (firing === null && alerts.includes(alert) && now - since >= (HOLDS[alert] ?? 0))
        this.#set(name, { ...present, stored: value, firing: { since: now, value } });
    }
  }

  restart(): void {
    for (const [name, present] of this.#present) this.#set(name, { ...present, value: present.stored });
  }

  get episodes(): string[] {
    const firing = [...this.#present].filter(([, { firing }]) => firing !== null);
    return [...this.ended, ...firing.map(([name, present]) => textOf(name, present, null))];
  }

  /** Returns when the newest episode began. It can end at the tick that notifies of its beginning. */
  firingSince(name: string): number | undefined {
    return this.#firingSince.get(name);
  }

  #set(name: string, present: Present): void {
    this.#present.set(name, present);
    if (present.firing) this.#firingSince.set(name, present.firing.since);
  }
}

const textOf = (name: string, { severity, since, value, firing }: Present, endedAt: number | null): string =>
  [name, severity, since, firing?.since, firing?.value, endedAt, endedAt && value].join(' ');

const nameOf = (alert: string, { subject = '-' }: Readonly<Record<string, string>>): string =>
  `${alert} ${subject}`;

/** Describes an episode as the model does. */
const storedText = ({ alert, labels, severity, since, firingSince, value, endedAt, lastValue }: Episode) =>
  [nameOf(alert, labels), severity, since, firingSince, value, endedAt, lastValue].join(' ');

/** Describes the notices of an episode: one text for the notified beginning, and one for the notified end. */
const noticesOf = ({ alert, labels, firingSince, endedAt, notified }: Episode): string[] =>
  notified.flatMap(({ firingAt, resolvedAt }) => [
    ...(firingAt === null ? [] : [`${nameOf(alert, labels)} from ${firingSince} at ${firingAt}`]),
    ...(resolvedAt === null ? [] : [`${nameOf(alert, labels)} until ${endedAt} at ${resolvedAt}`]),
  ]);

/** Describes in the same way what a notification tells its receiver. */
const newsOf = ({ added, resolved, alerts }: Body, model: Model, at: number): string[] =>
  alerts.slice(0, added + resolved).map(({ labels, endsAt }, index) => {
    const name = nameOf(labels.alertname ?? '', labels);
    return index < added
      ? `${name} from ${model.firingSince(name)} at ${at}`
      : `${name} until ${Date.parse(endsAt ?? '')} at ${at}`;
  });

/** Lets a daemon live through the events. Returns its history, and what it must be. */
const live = async (settings: Record<string, unknown>, events: readonly Event[]) => {
  await using receiver = await FakeReceiver.start();
  const alerts = ['Quick', 'Slow'].map((name) => alertNamed(name, { holdMs: HOLDS[name] ?? 0 }));
  let [isOwnLow, isFailing, severity] = [false, false, 'warning'];
  const own = {
    ...{ ...alertNamed('Own'), scope: 'daemon' as const, labels: [] },
    find: () => (isOwnLow ? [{ labels: {}, value: 7 }] : []),
  };
  const receivers = [hookOf(receiver, { ...settings, min_severity: 'info' })];
  await using rig = await AlertRig.start([...alerts, own], { receivers });
  const [model, news]: [Model, string[]] = [new Model(), []];
  let seen = 0;
  const observe = (): void => {
    for (const received of receiver.accepted.slice(seen))
      news.push(...newsOf(bodyOf(received), model, rig.clock.now()));
    seen = receiver.accepted.length;
  };
  const evaluated = (): void => {
    for (const { name, subjects } of alerts)
      model.evaluate(name, name === 'Quick' ? severity : 'warning', subjects, rig.clock.now());
  };
  const ticked = (): void =>
    model.evaluate('Own', 'warning', new Map(isOwnLow ? [['-', 7]] : []), rig.clock.now());
  const run = async (): Promise<void> => {
    // If the store fails, the run rejects and changes nothing.
    await rig.run().then(evaluated, () => {});
    observe();
  };
  const pass = async (steps: number): Promise<void> => {
    for (let step = 0; step < steps; step += 1) {
      await rig.pass(STEP);
      if (!isFailing) model.advance(['Quick', 'Slow'], rig.clock.now());
      ticked();
      observe();
    }
  };
  const breakStore = (): void => {
    const { save } = rig.store.alerts;
    rig.store.alerts.save = (change) =>
      isFailing ? Promise.reject(new StoreError('failed', 'the disk is full')) : save(change);
  };
  const setFailing = async (next: boolean): Promise<void> => {
    const wasFailing = isFailing;
    isFailing = next;
    // The next tick stores what the store could not save.
    if (wasFailing && !next) await pass(1);
  };
  breakStore();
  for (const each of events) {
    if ('alert' in each) {
      const { subjects } = alerts.find(({ name }) => name === each.alert) ?? alerts[0] ?? own;
      if (each.value === null) subjects.delete(each.subject);
      else subjects.set(each.subject, each.value);
      await run();
    }
    if ('steps' in each) await pass(each.steps);
    if ('severityOfQuick' in each && !isFailing) {
      severity = each.severityOfQuick;
      rig.section = { ...rig.section, Quick: { severity } };
      await rig.reload();
      evaluated();
      ticked();
      observe();
    }
    if ('muted' in each) await rig.silence(each.muted, rig.clock.now() + 20 * STEP);
    if ('isOwnLow' in each) isOwnLow = each.isOwnLow;
    if ('isFailing' in each) await setFailing(each.isFailing);
    if ('isRestart' in each) {
      await setFailing(false);
      await rig.restart();
      model.restart();
      breakStore();
      await run();
    }
  }
  await setFailing(false);
  await pass(80);
  return { stored: await rig.store.alertHistory.page({}, 1_000), model, news };
};

it(
  'the history has each episode once, with its times, its values, and what its receiver was told',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anySettings,
        fc.array(event, { maxLength: 40, size: 'max' }),
        async (settings, events) => {
          const { stored, model, news } = await live(settings, events);
          expect(stored.map(storedText).toSorted()).toEqual(model.episodes.toSorted());
          expect(stored.flatMap(noticesOf).toSorted()).toEqual(news.toSorted());
        },
      ),
      cases(25),
    );
  },
  FUZZ_TIMEOUT,
);
