// Defines what all connections to the simulated proxies share.

import type { Outage } from '../faults/outages.ts';
import type { Scenario } from '../scenario.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';
import type { AdmissionContext } from './admission.ts';
import type { ExitRegistry } from './exits.ts';
import type { OpenVisits } from './open-visits.ts';
import type { ProxyFaults } from './proxy-faults.ts';
import type { TargetPorts } from './target-names.ts';

export interface VisitContext extends AdmissionContext {
  readonly scenario: Scenario;
  readonly faults: ProxyFaults;
  readonly outages: () => readonly Outage[];
  readonly recorded: RecordedTraffic;
  readonly exits: ExitRegistry;
  readonly targetPorts: TargetPorts;
  readonly open: OpenVisits;
  /** Aborts when the simulator closes. */
  readonly closing: AbortSignal;
}
