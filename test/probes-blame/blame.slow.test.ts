// Tests what the daemon says is at fault for failing probes, through real sockets: its faults, alerts and verdicts. All rows
// take minutes, so that the others are in blame.long.test.ts.

import { expect, it } from 'vitest';
import { checkRow } from './check-row.ts';
import { ROWS } from './rows.ts';

/** One row for each of: this machine, its line within a round, a proxy, its settings, a target, a quota, all proxies. */
const NAMES = [
  'the line of this machine is down',
  'the line of this machine goes down in the middle of a round: {}',
  'one proxy is down',
  'the credentials of one proxy are wrong here',
  'a target is down for everybody',
  'the quota of the residential user is exhausted',
  'all proxies refuse this machine, and the provider does not test them: {}',
];

it.each(NAMES)('%s', async (name) => {
  const row = ROWS.find((each) => each.name === name);
  if (!row) expect.fail(`no row is called ${name}`);
  await checkRow(row);
});
