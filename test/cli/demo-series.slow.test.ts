// Tests how many series the demo has, which is a small account with all collectors.

import { expect, test } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { parse, textOf } from '../metrics/support.ts';
import { playDemo } from '../verdicts/demo-day.ts';

/** The target and one of the testers are down in these minutes, so there are series of every kind of failure. */
const MINUTES = 25;

// The collectors usage, adjustments and request_log have some 260 of them, the places of proxies and the available nodes up to 40 each.
test('a small account has at most 2,880 series', async () => {
  let text = '';
  await playDemo(
    MINUTES,
    async ({ app }) => {
      text = await textOf(app.exposition);
    },
    // A day of traffic is enough for all of its series.
    ({ traffic, ...account }) => ({ ...account, traffic: traffic && { ...traffic, catch_up: DAY } }),
  );
  expect(text).toContain('proxywatch_probe_exit_mismatch{');
  expect(parse(text).length).toBeLessThanOrEqual(2_880);
});
