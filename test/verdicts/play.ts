// Plays a world: a daemon on a driven clock, whose proxies the simulated provider tests and a scripted prober probes.

import { probesAccount } from '../../src/collectors/context.ts';
import { isLineDown } from '../../src/collectors/probes/evidence.ts';
import { MINUTE } from '../../src/lib/time.ts';
import type { Store } from '../../src/store/store.ts';
import type { Fault, InconclusiveFailures } from '../../src/store/test-store.ts';
import { FakeProber } from '../collectors/probes/fake-probe.ts';
import { entryOf } from '../collectors/proxy-tests/tests-harness.ts';
import { Harness } from '../support/harness.ts';
import { addressOf, answerTo, outagesOf } from './answers.ts';
import { NOTHING_ELSE, type Simulation } from './simulation.ts';
import { targetOf, testerOf, typeOf, type World } from './truth.ts';

/** What the daemon says after a minute. */
export interface Said {
  /** Milliseconds since the world began. */
  readonly at: number;
  /** The faults that the provider's tests found. */
  readonly tests: readonly Fault[];
  /** The faults that the probes found. */
  readonly here: readonly Fault[];
  readonly inconclusive: readonly InconclusiveFailures[];
  /** Whether it says that this machine or its line is at fault. */
  readonly isLineDown: boolean;
}

const FULL_HOUR = Date.parse('2026-07-06T12:00:00Z');
const ACCOUNT = 'main';

/** Calls `judge` after each minute in which something is tested or probed: in between, the daemon learns nothing. */
export const play = async (
  world: World,
  simulation: Simulation,
  judge: (said: Said) => void,
): Promise<void> => {
  let now = 0;
  const prober = new FakeProber();
  prober.answer = (made) => answerTo(world, made, now);
  // Half a minute later than the schedules, so that no round is at the begin or end of a truth.
  const start = FULL_HOUR + world.startsAt * MINUTE + MINUTE / 2;
  const clock = simulation.startClock(start);
  simulation.simulator.outages.replace([]);
  await using harness = await Harness.build({
    ...{ now: new Date(start).toISOString(), clock, firstStepHold: '0s', probe: prober.probe },
    ...{ simulator: simulation.simulator, storeFile: simulation.storeFile, account: accountOf(world) },
  });
  for (const minute of minutesOf(world)) {
    const last = now;
    now = minute * MINUTE;
    simulation.simulator.outages.replace(outagesOf(world, now));
    await harness.advance(now - last);
    judge(await saidAt(now, harness.app.store));
  }
};

const saidAt = async (at: number, { tests, probes }: Store): Promise<Said> => ({
  at,
  tests: await tests.faults(ACCOUNT),
  here: await tests.faults(probesAccount(ACCOUNT)),
  inconclusive: [
    ...(await tests.inconclusiveFailures(ACCOUNT)),
    ...(await tests.inconclusiveFailures(probesAccount(ACCOUNT))),
  ],
  isLineDown: isLineDown(await probes.controls(probesAccount(ACCOUNT))),
});

const minutesOf = (world: World): number[] => {
  // Runs begin up to a minute after their slot.
  const isDue = (minute: number, every: number): boolean => (world.startsAt + minute) % every <= 1;
  return Array.from({ length: world.minutes }, (_, index) => index + 1).filter(
    (minute) =>
      (world.testers > 0 && isDue(minute, world.testEvery)) ||
      (world.hasProbes && isDue(minute, world.probeEvery)),
  );
};

const accountOf = (world: World): Record<string, unknown> => {
  const indexes = (length: number): number[] => [...Array(length).keys()];
  const common = {
    urls: indexes(world.targets).map((index) => ({ name: targetOf(index), url: addressOf(index) })),
    proxies: indexes(world.proxies).map((index) => entryOf(index, { product_type: typeOf(index) })),
    fault_after: world.faultAfter,
  };
  const tests = {
    ...{ ...common, schedule: cronOf(world.testEvery), max_runs_per_day: 1_000_000 },
    tester_servers: indexes(world.testers).map(testerOf),
  };
  const controls = world.hasControls ? {} : { control: false };
  const probes = { ...common, ...controls, schedule: cronOf(world.probeEvery) };
  return {
    ...{ ...NOTHING_ELSE, proxy_tests: world.testers > 0 && tests },
    ...(world.hasProbes && { probes }),
  };
};

const cronOf = (minutes: number): string => (minutes === 60 ? '0 * * * *' : `*/${minutes} * * * *`);
