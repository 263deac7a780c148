// Tests what the daemon says is at fault for failing probes, through real sockets: its faults, alerts and verdicts.

import { expect, it } from 'vitest';
import { ROWS } from './rows.ts';
import { World } from './world.ts';

/** Enough for every fault to begin or to end: the testers need 30 minutes. */
const ROUNDS = 8;

const among = (expected: readonly string[], found: readonly string[]): readonly string[] =>
  found.filter((each) => !expected.includes(each));

it.each(ROWS)('$name', async (row) => {
  const { options, begin, end, faults, meanwhile = [], alerts, verdicts, failures = {} } = row;
  await using world = await World.build(options);
  await world.round();
  expect([await world.faults(), await world.alerts()]).toEqual([[], []]);
  await begin(world);
  for (let round = 0; round < ROUNDS; round += 1) {
    await world.round();
    // Nothing else is blamed before all results are there, either.
    expect(among([...faults, ...meanwhile], await world.faults())).toEqual([]);
    expect(among(alerts, await world.alerts())).toEqual([]);
  }
  expect([await world.faults(), await world.alerts()]).toEqual([faults, alerts]);
  for (const [index, [word, text]] of Object.entries(verdicts)) {
    const found = await world.verdict(Number(index));
    expect(found).toEqual([word, expect.stringMatching(text)]);
  }
  await end(world);
  for (let round = 0; round < ROUNDS; round += 1) {
    await world.round();
    expect(among([...faults, ...meanwhile], await world.faults())).toEqual([]);
    expect(among(alerts, await world.alerts())).toEqual([]);
  }
  expect([await world.faults(), await world.alerts()]).toEqual([[], []]);
  for (const [index, counts] of Object.entries(failures))
    expect(await world.failures(Number(index))).toEqual(counts);
});
