// Tests that receivers have a simulated week to the byte, although they fail and the daemon is killed.

import { expect, test } from 'vitest';
import { rewind } from '../../../src/cli/remote-write/rewind.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { draw, hashText, mix } from '../../../src/simulator/random.ts';
import { runCommand } from '../../cli/run-command.ts';
import { Samples } from '../../support/samples.ts';
import { describeWith } from '../with-programs.ts';
import { type Engine, startPrometheus, startVictoriaMetrics } from './engines.ts';
import { END, endOf, MIDNIGHTS, SEED, START } from './week/account.ts';
import { Relay, type Treatment } from './week/relay.ts';
import { notAsTaken, type Samples as SentSamples, storedIn } from './week/samples.ts';
import { type Sums, sumsOf, truthOf } from './week/sums.ts';
import { Week } from './week/week.ts';

/** Hours of the week at which all receivers begin to answer 500 and 429 often, for four hours. */
const STORMS = [26, 98];
const STORM_HOURS = 4;
/** The hour of the week from which a receiver is down for an hour. */
const OUTAGES: Readonly<Record<string, number>> = { victoria: 50, prometheus: 74 };
/** The hour of the week at which engines are restarted. */
const RESTART = 60;
/** The days of the week that the test of refused samples lives through. They have a storm. */
const REFUSING_DAYS = 3;

/** Storms and outages at fixed times, and lost answers and kills of the daemon at random. */
const disturbed = (week: Week, name: string) => {
  const [stream, outage] = [mix(SEED, hashText(name)), OUTAGES[name] ?? Number.POSITIVE_INFINITY];
  return (number: number): Treatment => {
    if (week.hours >= outage && week.hours < outage + 1) return { kind: 'cut' };
    const chance = draw(stream, number);
    const storm = stormy(week, chance);
    if (storm) return storm;
    if (chance > 0.985) week.kill();
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

describeWith(['prometheus', 'victoria-metrics'], `a week with seed ${SEED}`, () => {
  test('both engines have it to the byte, also after an engine lost its data', {
    timeout: 600_000,
  }, async () => {
    await using stack = new AsyncDisposableStack();
    const week = stack.use(await Week.begin());
    const engines = {
      prometheus: stack.use(await startPrometheus('8d')),
      victoria: stack.use(await startVictoriaMetrics()),
    };
    const relays = new Map<string, Relay>();
    for (const [name, engine] of Object.entries(engines))
      relays.set(name, stack.use(await Relay.start(engine, disturbed(week, name))));
    await week.start(Object.fromEntries([...relays].map(([name, { url }]) => [name, url])));
    await week.advanceTo(START + RESTART * HOUR);
    for (const engine of Object.values(engines)) await engine.restart();
    await week.advanceTo(END);
    console.log({
      kills: week.kills,
      ...Object.fromEntries([...relays].map(([name, { counts }]) => [name, counts])),
    });

    const truth = truthOf(week.simulator, week.listings);
    expect(truth.size).toBeGreaterThan(150);
    for (const [name, { taken }] of relays)
      expect([name, differences(sumsOf(taken), truth)]).toEqual([name, []]);
    await expectStored(engines, relays);
    for (const { counts } of relays.values())
      for (const kind of ['cut', 'lost', 'answered']) expect(counts.get(kind)).toBeGreaterThan(0);
    expect(week.kills).toBeGreaterThan(5);
    expect(revisions(relays.values())).toEqual({ up: true, down: true });

    await week.stop();
    await engines.prometheus.restart(true);
    expect((await storedIn(engines.prometheus)).size).toBe(0);
    const [first = 0] = MIDNIGHTS;
    const options = { config: week.configFile, receiver: 'prometheus', to: () => first };
    expect(await runCommand(rewind, options)).toMatchObject({ code: 0 });
    // Rolled up rows are sent with their sums, so samples have other values than before.
    for (const samples of [relays.get('prometheus')?.offered, relays.get('prometheus')?.taken])
      samples?.clear();
    await week.advanceTo(END + HOUR);
    const resent = relays.get('prometheus')?.taken ?? new Map();
    expect(['resent', differences(sumsOf(resent), truth)]).toEqual(['resent', []]);
    await expectStored({ prometheus: engines.prometheus }, relays);
  });

  test('with a window that is too short or off, an engine lacks what is counted as refused', {
    timeout: 600_000,
  }, async () => {
    await using stack = new AsyncDisposableStack();
    const week = stack.use(await Week.begin());
    const engines = {
      short: stack.use(await startPrometheus('6h')),
      off: stack.use(await startPrometheus()),
    };
    const relays = new Map<string, Relay>();
    for (const [name, engine] of Object.entries(engines)) {
      const stream = mix(SEED, hashText(name));
      const treat = (number: number): Treatment => stormy(week, draw(stream, number)) ?? { kind: 'passed' };
      relays.set(name, stack.use(await Relay.start(engine, treat)));
    }
    await week.start(Object.fromEntries([...relays].map(([name, { url }]) => [name, url])));
    await week.advanceTo(endOf(REFUSING_DAYS));

    const midnights = MIDNIGHTS.slice(0, REFUSING_DAYS);
    const truth = truthOf(week.simulator, week.listings, midnights);
    const metrics = new Samples(await week.metrics());
    for (const [name, { offered, taken }] of relays) {
      const refused = without(offered, taken);
      const count = [...refused.values()].reduce((sum, { size }) => sum + size, 0);
      expect(count).toBeGreaterThan(100);
      const labels = { receiver: name, result: 'refused' };
      expect([name, metrics.value('proxywatch_remote_write_samples_total', labels)]).toEqual([name, count]);
      const lacking = less(truth, sumsOf(refused, midnights));
      expect([name, differences(sumsOf(taken, midnights), lacking)]).toEqual([name, []]);
    }
    await expectStored(engines, relays);
  });
});

const expectStored = async (
  engines: Readonly<Record<string, Engine>>,
  relays: ReadonlyMap<string, Relay>,
): Promise<void> => {
  for (const [name, engine] of Object.entries(engines)) {
    const taken = relays.get(name)?.taken ?? new Map();
    const differing = notAsTaken(await storedIn(engine), taken);
    expect([name, differing]).toEqual([name, []]);
  }
};

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
const revisions = (relays: Iterable<Relay>) => {
  const values = [...relays].flatMap(({ taken }) =>
    [...taken]
      .filter(([series]) => series.includes('"revision"'))
      .flatMap(([, samples]) => [...samples.values()]),
  );
  return { up: values.some((value) => value > 0), down: values.some((value) => value < 0) };
};
