// Lets a daemon live through a night in which clocks change, with steady traffic, and lists the alerts that fired.

import { DAY, HOUR } from '../../src/lib/time.ts';
import { formatLocal } from '../../src/provider/time.ts';
import type { ScenarioInput } from '../../src/simulator/scenario.ts';
import { Harness } from '../support/harness.ts';

/** The hours around the change that a daemon lives through (ms), and its steps. */
export interface Night {
  readonly zone: string;
  readonly change: string;
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly stepMs: number;
  readonly scenario?: ScenarioInput;
  readonly account: Readonly<Record<string, unknown>>;
}

/** Until this long after the change, alerts are looked at in each step (ms). */
const NEAR_MS = 3 * HOUR;

const STEADY: ScenarioInput = {
  traffic: { late: { ratio: 0 }, revised: { ratio: 0 }, quiet_ratio: 0 },
  limits: { zero: 0, near: 0, over: 0 },
  ledger: { top_up_bytes: 2_000_000_000_000 },
  users: 10,
  deleted_user_ratio: 0,
  proxies: 8,
  services: 2,
  // A service that expires is no fault of the night.
  changes: [0, 1].map((subject) => ({
    kind: 'service' as const,
    subject,
    set: { service_expiry_datetime: '2028-01-01 00:00:00' },
  })),
};

/** Returns the alerts that fired, with the local time at which each was first seen. */
export const alertsOf = async (night: Night): Promise<string[]> => {
  const { zone, beforeMs, afterMs, stepMs, account } = night;
  const change = Date.parse(night.change);
  await using harness = await Harness.build({
    // Half a minute past the minute, so that slots with their offsets lie between steps of whole minutes.
    now: new Date(change - beforeMs + 30_000).toISOString(),
    scenario: {
      ...STEADY,
      start: new Date(change - beforeMs - 3 * DAY).toISOString(),
      time_zone: zone,
      ...night.scenario,
    },
    account: { time_zone: zone, ...account },
    alerts: { evaluate: true },
  });
  const firstSeen = new Map<string, string>();
  while (harness.clock.now() < change + afterMs) {
    const isNear = harness.clock.now() < change + NEAR_MS;
    await harness.advance(isNear ? stepMs : 6 * stepMs);
    for (const { alert, labels, firingSince } of harness.app.alerting.active) {
      const name = [alert, ...Object.values(labels)].join(' ');
      if (firingSince !== null && !firstSeen.has(name))
        firstSeen.set(name, formatLocal(harness.clock.now(), zone));
    }
  }
  return [...firstSeen].map(([name, at]) => `${name} at ${at}`);
};

export const TRAFFIC_ONLY = { residential_ledger: false, proxy_users: false, reconciliation: false };
