// Tests that the errors of forecasts are those of the snapshot.

import { expect, test } from 'vitest';
import { report } from '../support/forecast-errors.ts';

const INTRODUCTION = `# Errors of forecasts

These tables are the errors of [forecasts](../../docs/design/forecast.md#how-wrong-it-is). They are the same on every machine. The test \`test/lib/forecast-errors.long.test.ts\` writes this file, with \`test/support/forecast-errors.ts\`.

- A cell such as \`3 / 7 / 13%\` has three errors: of half of the forecasts at most, of 9 of 10 at most, and of all at most. Each column is one time ahead.
- The first column says how the use changes over time. \`day 3 : night 1\` means that the 12 hours of the day are three times as busy as those of the night, and \`eight hours 10 : rest 1\` that eight hours of each day are ten times as busy as the others. \`days differ up to fourfold\` means that the use of each day has a random factor from a half to two.
- Behind a colon is the time of the forecasts. \`idle, then a burst: 2 to 12 h after its start\` means that the subject used nothing for a week and then used bytes without a break, and that the forecasts were made 2 to 12 hours after the first use.
- Each row has 20 simulated subjects of different sizes, polled every five minutes. The use of each five minutes is random, between 0.5 and 1.5 times its expected value. Rhythms begin at a random hour (UTC), so the results cover all time zones, and the bytes run out at different points of the rhythm.
- Every two hours, the test makes a forecast for the bytes that the subject will use within the time ahead.
`;

test('the errors of forecasts are those of the snapshot', async () => {
  await expect(`${INTRODUCTION}\n${report()}\n`).toMatchFileSnapshot('snapshots/forecast-errors.md');
});
