// Serves simulated providers of several accounts from one process: node scale-simulators.ts COUNT FIRST_SEED SCENARIO

import { type Simulator, startSimulator } from '../src/simulator/simulator.ts';

const [, , count = '1', firstSeed = '1', scenario = '{}'] = process.argv;
const simulators: Simulator[] = [];
/** A message sets how far the clock of the providers is behind. */
let behindMs = Number(process.env.CLOCK_BEHIND_MS ?? 0);
for (let n = 0; n < Number(count); n += 1)
  simulators.push(
    await startSimulator({
      scenario: { ...JSON.parse(scenario), seed: Number(firstSeed) + n },
      now: () => Date.now() - behindMs,
    }),
  );
process.on('message', (message: number) => {
  behindMs = message;
});
process.on('disconnect', () => process.exit());
process.send?.(simulators.map(({ baseUrl }) => baseUrl));
