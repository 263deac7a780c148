// A daemon with one collector alone against the simulated provider, and what it logs.

import type { Log } from '../../src/lib/log.ts';
import { House, type HouseOptions } from '../support/house.ts';

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
  { account, ...house }: Partial<HouseOptions> = {},
): Promise<House> =>
  House.build({
    now: START,
    ...house,
    account: {
      traffic: false,
      residential_ledger: false,
      proxy_users: false,
      reconciliation: false,
      [section]: { schedule: '0 * * * *', ...options },
      ...account,
    },
  });

/** What is shown of the provider: all but how the collector goes. */
export const shownOf = async (house: House): Promise<Map<string, number>> =>
  new Map(
    [...(await house.metrics())].filter(([series]) =>
      /^proxywatch_(?:catalog|quote|credit|asn|city|subdivision|continents)/.test(series),
    ),
  );
