// Plays a fault of probes through real sockets, from before it begins until it has ended, and checks what the daemon says.

import { expect } from 'vitest';
import type { Row } from './rows.ts';
import { World } from './world.ts';

/** Enough for every fault to begin or to end: the testers need 30 minutes. */
const ROUNDS = 8;

const among = (expected: readonly string[], found: readonly string[]): readonly string[] =>
  found.filter((each) => !expected.includes(each));

export const checkRow = async (row: Row): Promise<void> => {
  const { options, begin, end, faults, meanwhile = [], alerts, verdicts, failures = {} } = row;
  await using world = await World.build(options);
  await world.round();
  expect([await world.faults(), await world.alerts()]).toEqual([[], []]);
  await begin(world);
  await passRounds(world, [...faults, ...meanwhile], alerts);
  expect([await world.faults(), await world.alerts()]).toEqual([faults, alerts]);
  for (const [index, [word, text]] of Object.entries(verdicts)) {
    const found = await world.verdict(Number(index));
    expect(found).toEqual([word, expect.stringMatching(text)]);
  }
  await end(world);
  await passRounds(world, [...faults, ...meanwhile], alerts);
  expect([await world.faults(), await world.alerts()]).toEqual([[], []]);
  for (const [index, counts] of Object.entries(failures))
    expect(await world.failures(Number(index))).toEqual(counts);
};

/** Nothing else is blamed before all results are there, either. */
const passRounds = async (
  world: World,
  faults: readonly string[],
  alerts: readonly string[],
): Promise<void> => {
  for (let round = 0; round < ROUNDS; round += 1) {
    await world.round();
    expect(among(faults, await world.faults())).toEqual([]);
    expect(among(alerts, await world.alerts())).toEqual([]);
  }
};
