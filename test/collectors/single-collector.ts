// Builds a daemon with a single collector against the simulated provider, and records its log.

import { expect } from 'vitest';
import type { Log } from '../../src/lib/log.ts';
import { Harness, type HarnessOptions } from '../support/harness.ts';
import { lastRun, poll } from './stub-account.ts';

/** A time just after the slots of hourly schedules, with their offsets. */
const START = '2026-07-06T12:01:30Z';

export interface LogLine {
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Makes a log that keeps its lines. */
export const recordingLog = (lines: LogLine[] = []): Log & { readonly lines: LogLine[] } => {
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
    child: () => recordingLog(lines),
  };
};

/** Builds a daemon that only runs the collector `section`, every hour. */
export const buildWithOnly = (
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

/** Expects that polls with each of these faults, and a restart, do not change the provider's series. */
export const expectUnchangedByFaults = async (harness: Harness, faults: readonly object[]): Promise<void> => {
  const before = await providerSeries(harness);
  for (const fault of faults) {
    harness.simulator.faults.replace([fault]);
    await poll(harness);
    expect((await lastRun(harness)).result).toBe('failed');
    expect(await providerSeries(harness)).toEqual(before);
  }
  await harness.restart();
  expect(await providerSeries(harness)).toEqual(before);
};

/** Returns the series about the provider, without those about the collector itself. */
export const providerSeries = async (harness: Harness): Promise<Map<string, number>> =>
  new Map(
    [...(await harness.metrics())].filter(([series]) =>
      /^proxywatch_(?:catalog|quote|credit|asn|city|subdivision|continents)/.test(series),
    ),
  );
