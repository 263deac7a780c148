// Tests that receivers have a simulated week to the byte, although they fail and the daemon is killed.

import { expect, test } from 'vitest';
import { rewind } from '../../../src/cli/remote-write/rewind.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { draw, hashText, mix } from '../../../src/simulator/random.ts';
import { runCommand } from '../../cli/run-command.ts';
import { Samples } from '../../support/samples.ts';
import { describeWith } from '../with-programs.ts';
import { type Engine, startPrometheus } from './engines.ts';
import { END, endOf, MIDNIGHTS, SEED } from './week/account.ts';
import { LOSING, RECEIVERS, type WeekReceiver } from './week/receivers.ts';
import { Relay, type Treatment } from './week/relay.ts';
import { notAsTaken, type Samples as SentSamples, storedIn } from './week/samples.ts';
import { type Sums, sumsOf, truthOf } from './week/sums.ts';
import { missingIn, verifyAt } from './week/verified.ts';
import { Week } from './week/week.ts';

/** Hours of the week at which all receivers begin to answer 500 and 429 often, for four hours. */
const STORMS = [26, 98];
const STORM_HOURS = 4;
/** The hours of the week at which the first receiver is down for an hour, and how much later each other one is. */
const [FIRST_OUTAGE, OUTAGE_STEP] = [50, 9];
/** The days of the week that the test of refused samples lives through. They have a storm. */
const REFUSING_DAYS = 3;
/** The times of samples of the last day that are lost, which the store still has as polled. */
const LOST_FROM = (MIDNIGHTS.at(-1) ?? 0) + 5 * HOUR;
const isLost = (at: number): boolean => at >= LOST_FROM && at < LOST_FROM + 3 * HOUR;
/** How many of the requests to a receiver kill the daemon, if there is only this one. */
const KILLS = 0.045;
/** On two busy cores, the week takes a fifth of it. */
const TIMEOUT_MS = 45 * MINUTE;

const TITLES = RECEIVERS.map(({ title }) => title).join(', ');

/** Storms and outages at fixed times, and lost answers and kills of the daemon at random. */
const disturbed = (week: Week, name: string, index: number) => {
  const [stream, outage] = [mix(SEED, hashText(name)), FIRST_OUTAGE + index * OUTAGE_STEP];
  return (number: number): Treatment => {
    if (week.hours >= outage && week.hours < outage + 1) return { kind: 'cut' };
    const chance = draw(stream, number);
    const storm = stormy(week, chance);
    if (storm) return storm;
    if (chance > 1 - KILLS / RECEIVERS.length) week.kill();
    if (chance > 0.9925) return { kind: 'cut' };
    return { kind: chance > 0.97 ? 'lost' : 'passed' };
  };
};

const stormy = ({ hours }: Week, chance: number): Treatment | undefined => {
  if (!STORMS.some((at) => hours >= at && hours < at + STORM_HOURS) || chance > 0.5) return undefined;
  return chance < 0.4
    ? { kind: 'answered', status: 500 }
    : { kind: 'answered', status: 429, retryAfterS: 400 };
};

const differences = (sums: Sums, truth: Sums): string[] =>
  [...new Set([...sums.keys(), ...truth.keys()])]
    .filter((key) => sums.get(key) !== truth.get(key))
    .toSorted()
    .map((key) => `${key}: ${sums.get(key)} instead of ${truth.get(key)}`);

/** An engine with the relay before it. */
interface Post {
  readonly receiver: WeekReceiver;
  readonly engine: Engine;
  readonly relay: Relay;
}

const settingsOf = (posts: readonly Post[]): Readonly<Record<string, object>> =>
  Object.fromEntries(
    posts.map(({ receiver: { name, path, settings }, relay, engine }) => [
      name,
      { ...settings, url: relay.url + path, query_url: engine.url },
    ]),
  );

describeWith(['prometheus', 'victoria-metrics'], `a week with seed ${SEED}`, () => {
  test(`${TITLES} have it to the byte, verify finds and mends what two of them lost, and an empty one gets it again`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    await using stack = new AsyncDisposableStack();
    const week = stack.use(await Week.begin());
    const posts: Post[] = [];
    for (const [index, receiver] of RECEIVERS.entries()) {
      const engine = stack.use(await receiver.start());
      const relay = stack.use(await Relay.start(engine, disturbed(week, receiver.name, index)));
      posts.push({ receiver, engine, relay });
    }
    for (const { receiver, relay } of posts) if (LOSING.includes(receiver)) relay.loses = isLost;
    await week.start(settingsOf(posts));
    await week.advanceTo(END);
    console.log({
      kills: week.kills,
      ...Object.fromEntries(posts.map(({ receiver, relay }) => [receiver.name, relay.counts])),
    });

    const truth = truthOf(week.simulator, week.listings);
    expect(truth.size).toBeGreaterThan(150);
    for (const { receiver, relay } of posts) {
      const expected = less(truth, sumsOf(relay.lost));
      expect([receiver.name, differences(sumsOf(relay.taken), expected)]).toEqual([receiver.name, []]);
      for (const kind of ['cut', 'lost', 'answered']) expect(relay.counts.get(kind)).toBeGreaterThan(0);
    }
    await expectStored(posts);
    expect(week.kills).toBeGreaterThan(5);
    expect(revisions(posts)).toEqual({ up: true, down: true });

    await week.stop();
    for (const { receiver, relay } of posts) {
      const found = await verifyAt(END, verifyOptions(week, receiver));
      expect(found).toMatchObject({ code: LOSING.includes(receiver) ? 1 : 0, stderr: '' });
      expect(rounded(missingIn(found))).toEqual(rounded(sumsOf(relay.lost)));
      expect(relay.lost.size > 10).toBe(LOSING.includes(receiver));
    }
    const losing = posts.filter(({ receiver }) => LOSING.includes(receiver));
    for (const { receiver, relay } of losing) {
      expect(await verifyAt(END, { ...verifyOptions(week, receiver), repair: true })).toMatchObject({
        code: 0,
      });
      forgetSent(relay);
    }
    await week.advanceTo(END + HOUR);
    await week.stop();
    // Not earlier: after a restart, Prometheus 2.53 and 3.5 can lose each full chunk of old samples, also of a second sending.
    for (const { engine } of posts) await engine.restart();
    for (const { receiver, engine } of losing) {
      expect(await verifyAt(END, verifyOptions(week, receiver))).toMatchObject({ code: 0, stderr: '' });
      expect([receiver.name, differences(sumsOf(await storedIn(engine)), truth)]).toEqual([
        receiver.name,
        [],
      ]);
    }
    await expectStored(posts.filter((post) => !losing.includes(post)));

    const [emptied] = posts;
    if (!emptied) return;
    const { receiver, engine, relay } = emptied;
    await engine.restart(true);
    expect((await storedIn(engine)).size).toBe(0);
    const options = { config: week.configFile, receiver: receiver.name, to: () => MIDNIGHTS[0] ?? 0 };
    expect(await runCommand(rewind, options)).toMatchObject({ code: 0 });
    forgetSent(relay);
    await week.advanceTo(END + 2 * HOUR);
    expect(['resent', differences(sumsOf(relay.taken), truth)]).toEqual(['resent', []]);
    await expectStored([emptied]);
  });

  test('with a window that is too short or off, an engine lacks what is counted as refused', {
    timeout: TIMEOUT_MS,
  }, async () => {
    await using stack = new AsyncDisposableStack();
    const week = stack.use(await Week.begin());
    const receivers = [
      { ...WRITTEN, name: 'short', start: () => startPrometheus('6h') },
      { ...WRITTEN, name: 'off', start: () => startPrometheus() },
    ];
    const posts: Post[] = [];
    for (const receiver of receivers) {
      const stream = mix(SEED, hashText(receiver.name));
      const treat = (number: number): Treatment => stormy(week, draw(stream, number)) ?? { kind: 'passed' };
      const engine = stack.use(await receiver.start());
      posts.push({ receiver, engine, relay: stack.use(await Relay.start(engine, treat)) });
    }
    await week.start(settingsOf(posts));
    await week.advanceTo(endOf(REFUSING_DAYS));

    const midnights = MIDNIGHTS.slice(0, REFUSING_DAYS);
    const truth = truthOf(week.simulator, week.listings, midnights);
    const metrics = new Samples(await week.metrics());
    for (const {
      receiver: { name },
      relay: { offered, taken },
    } of posts) {
      const refused = without(offered, taken);
      const count = [...refused.values()].reduce((sum, { size }) => sum + size, 0);
      expect(count).toBeGreaterThan(100);
      const labels = { receiver: name, result: 'refused' };
      expect([name, metrics.value('proxywatch_remote_write_samples_total', labels)]).toEqual([name, count]);
      const lacking = less(truth, sumsOf(refused, midnights));
      expect([name, differences(sumsOf(taken, midnights), lacking)]).toEqual([name, []]);
    }
    await expectStored(posts);
  });
});

const verifyOptions = ({ configFile: config }: Week, { name: receiver }: WeekReceiver) => ({
  ...{ config, receiver, from: new Date(MIDNIGHTS[0] ?? 0).toISOString().slice(0, 10) },
});

/** After a rewind, rolled up rows are sent with their sums, and averages of corrected rows have other values. */
const forgetSent = (relay: Relay): void => {
  relay.loses = () => false;
  for (const samples of [relay.offered, relay.taken, relay.lost]) samples.clear();
};

const WRITTEN = { path: '/api/v1/write', settings: {} };

const expectStored = async (posts: readonly Post[]): Promise<void> => {
  for (const { receiver, engine, relay } of posts) {
    const differing = notAsTaken(await storedIn(engine), relay.taken);
    expect([receiver.name, differing]).toEqual([receiver.name, []]);
  }
};

/** The report shows amounts of money in cents. */
const rounded = (sums: Sums): Sums =>
  new Map([...sums].map(([key, value]) => [key, Math.round(value * 100) / 100] as const).toSorted());

/** Returns the samples that the others do not have. */
const without = (samples: SentSamples, others: SentSamples): SentSamples =>
  new Map(
    [...samples].map(([series, values]) => [
      series,
      new Map([...values].filter(([at]) => !others.get(series)?.has(at))),
    ]),
  );

/** Sums of 0 are left out. */
const less = (sums: Sums, others: Sums): Sums =>
  new Map(
    [...new Set([...sums.keys(), ...others.keys()])]
      .map((key) => [key, (sums.get(key) ?? 0) - (others.get(key) ?? 0)] as const)
      .filter(([, value]) => value !== 0),
  );

/** Whether values were corrected upwards and downwards. */
const revisions = (posts: readonly Post[]) => {
  const values = posts.flatMap(({ relay: { taken } }) =>
    [...taken]
      .filter(([series]) => series.includes('"revision"'))
      .flatMap(([, samples]) => [...samples.values()]),
  );
  return { up: values.some((value) => value > 0), down: values.some((value) => value < 0) };
};
