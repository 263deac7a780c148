// A daemon with one collector alone against the simulated provider, and what it logs.

import { expect } from 'vitest';
import type { Log } from '../../src/lib/log.ts';
import { Harness, type HarnessOptions } from '../support/harness.ts';
import { lastRun, poll } from './stub-account.ts';

/** Just after the slots of schedules that run each hour, with their offsets. */
const START = '2026-07-06T12:01:30Z';

export interface Line {
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Keeps what is logged. */
export const listeningLog = (lines: Line[] = []): Log & { readonly lines: Line[] } => {
  const write = (fields: Record<string, unknown>, message: string): void => {
    lines.push({ ...fields, message });
  };
  return {
    lines,
    trace: write,
    debug: () => {},
    info: write,
    warn: write,
    error: write,
    child: () => listeningLog(lines),
  };
};

/** Runs `section` every hour, and nothing else. */
export const watchOnly = (
  section: 'catalog' | 'quotes' | 'geography',
  options: Readonly<Record<string, unknown>>,
  { account, ...harness }: Partial<HarnessOptions> = {},
): Promise<Harness> =>
  Harness.build({
    now: START,
    ...harness,
    account: {
      traffic: false,
      residential_ledger: false,
      proxy_users: false,
      reconciliation: false,
      [section]: { schedule: '0 * * * *', ...options },
      ...account,
    },
  });

/** Polls that go wrong in each of these ways change nothing of what is shown, and neither does a restart. */
export const expectUnchangedBy = async (harness: Harness, faults: readonly object[]): Promise<void> => {
  const before = await shownOf(harness);
  for (const fault of faults) {
    harness.simulator.faults.replace([fault]);
    await poll(harness);
    expect((await lastRun(harness)).result).toBe('failed');
    expect(await shownOf(harness)).toEqual(before);
  }
  await harness.restart();
  expect(await shownOf(harness)).toEqual(before);
};

/** What is shown of the provider: all but how the collector goes. */
export const shownOf = async (harness: Harness): Promise<Map<string, number>> =>
  new Map(
    [...(await harness.metrics())].filter(([series]) =>
      /^proxywatch_(?:catalog|quote|credit|asn|city|subdivision|continents)/.test(series),
    ),
  );
