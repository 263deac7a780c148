// Tests an account's jobs with a real client: the progress that they report, and runs that meet a long pause.

import { expect, it, vi } from 'vitest';
import type { Progress } from '../../src/lib/progress.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { AccountReport } from '../../src/provider/report/account-report.ts';
import { Harness } from '../support/harness.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';

const OTHERS_OFF = { residential_ledger: false, proxy_users: false, reconciliation: false };
const GRAPHS = [{ name: 'isp', product_type: 'isp' }];

const build = (account: Record<string, unknown>): Promise<Harness> =>
  Harness.build({
    now: '2026-07-06T12:01:30Z',
    scenario: { start: '2026-07-06T00:00:00Z', users: 250 },
    account: { ...OTHERS_OFF, traffic: false, ...account },
  });

it('a run ends at once if the provider asks for a longer pause than the run may take', async () => {
  await using harness = await build({ traffic: { catch_up: '1h', graphs: [] } });
  harness.simulator.faults.add({ kind: 'rate_limit', seconds: 1_800, count: 1 });
  await harness.advance(MINUTE);
  const kinds = (await harness.samples()).by('kind', 'proxywatch_collector_error');
  expect(kinds).toEqual({ rate_limited: 1 });
});

it('a run that waits after a 429 is not shown as a success, and the first request that succeeds ends that', async () => {
  await using harness = await build({ traffic: { catch_up: '1h', graphs: [] } });
  const { app, clock, simulator } = harness;
  const shown = async () => {
    const samples = await harness.samples();
    const [running] = app.runner.status();
    return {
      errors: samples.by('kind', 'proxywatch_collector_error'),
      success: samples.value('proxywatch_collector_success'),
      failures: samples.value('proxywatch_collector_consecutive_failures'),
      waitsUntil: running?.waitsUntil,
    };
  };
  const fine = { success: 1, failures: 0, waitsUntil: null };
  const before = await shown();
  // A kind of error has a series from its first occurrence.
  expect(before).toEqual({ ...fine, errors: {} });
  simulator.faults.add({ kind: 'rate_limit', seconds: 300, count: 1 });
  clock.advance(MINUTE);
  app.runner.tick();
  await expect.poll(shown).toMatchObject({ errors: { rate_limited: 1 }, success: 0, failures: 0 });
  const { waitsUntil } = await shown();
  expect(Math.abs((waitsUntil ?? 0) - clock.now() - 5 * MINUTE)).toBeLessThan(MINUTE);
  clock.advance(6 * MINUTE);
  await app.runner.idle();
  expect(await shown()).toEqual({ ...fine, errors: { rate_limited: 0 } });
});

it.each<[string, Record<string, unknown>, number[]]>([
  ['windows', { traffic: { catch_up: '3h', window: '1h', graphs: GRAPHS } }, [1, 2, 3, 4, 5, 6, 7, 8]],
  ['users', { proxy_users: {} }, [100, 200, 250]],
  ['rows', { residential_ledger: {} }, [2]],
  ['proxies', { inventory: {} }, [60]],
])('a run reports how many %s are done and the total', async (unit, account, steps) => {
  await using harness = await build(account);
  harness.clock.advance(3 * HOUR);
  const reported: Progress[] = [];
  const [job] = harness.app.accounts.flatMap(({ jobs }) => jobs);
  const record = (progress: Progress) => reported.push(progress);
  await job?.collect(new AbortController().signal, record, Number.POSITIVE_INFINITY);
  expect(reported).toEqual(steps.map((done) => ({ done, total: steps.at(-1), unit })));
});

it('a failure of the provider report is logged once, and polling goes on', async () => {
  const observe = vi.spyOn(AccountReport.prototype, 'observe').mockImplementation(() => {
    throw new TypeError('broken');
  });
  const lines: LogLine[] = [];
  await using harness = await Harness.build({
    now: '2026-07-06T12:01:30Z',
    scenario: { start: '2026-07-06T00:00:00Z', users: 250 },
    account: { ...OTHERS_OFF, traffic: false, proxy_users: {} },
    log: recordingLog(lines),
  });
  await harness.advance(HOUR);
  expect(observe.mock.calls.length).toBeGreaterThan(2);
  observe.mockRestore();
  const success = await harness.samples();
  expect(success.by('collector', 'proxywatch_collector_success')).toMatchObject({ proxy_users: 1 });
  const warnings = lines.filter(({ message }) => message.includes('could not be observed'));
  expect(warnings).toMatchObject([{ level: 'warn', fields: { message: 'broken' } }]);
});
