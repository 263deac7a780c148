// Builds a daemon with a single collector against the simulated provider, and records its log.

import { expect } from 'vitest';
import { COLLECTOR_NAMES, type CollectorName } from '../../src/collectors/context.ts';
import { COLLECTORS } from '../../src/collectors/index.ts';
import type { Log } from '../../src/lib/log.ts';
import { Harness, type HarnessOptions } from '../support/harness.ts';
import { familyOf } from '../support/twin-comparison.ts';
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
  section: CollectorName,
  options: Readonly<Record<string, unknown>>,
  { account, ...harness }: Partial<HarnessOptions> = {},
): Promise<Harness> =>
  Harness.build({
    now: START,
    ...harness,
    account: {
      ...Object.fromEntries(COLLECTOR_NAMES.map((name) => [name, false])),
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

const PROVIDER_FAMILIES = new Set(COLLECTORS.flatMap(({ families }) => families.map(({ name }) => name)));

/** Returns the series about the provider, without those about the collector itself. */
export const providerSeries = async (harness: Harness): Promise<Map<string, number>> =>
  new Map([...(await harness.metrics())].filter(([series]) => PROVIDER_FAMILIES.has(familyOf(series))));
