// Defines the store of events that can explain a jump in a plot, such as starts of the daemon and late changes.

import type { Range } from '../lib/time.ts';
import type { Adjustment } from './adjustment-store.ts';
import type { InventoryChangeKind } from './inventory-store.ts';

/** Events of one kind that are near each other. Times are in ms. */
export interface EventGroup {
  /** When the first of them was, and the last. A late change of traffic goes from the first bucket to the end of the last. */
  readonly at: number;
  readonly until: number;
  readonly count: number;
}

export interface InventoryEvents extends EventGroup {
  readonly change: InventoryChangeKind;
  /** Why the proxies were replaced, if all of the group have the same known reason. */
  readonly reason: string | null;
}

/**
 * Adjustments of the same type, status and actor. Each is at its last update once it is complete or failed, and otherwise
 * at its creation. A single one also has its service, its changes, and the reason of its replacements.
 */
export interface AdjustmentEvents
  extends EventGroup,
    Pick<Adjustment, 'type' | 'status' | 'by' | 'serviceId'> {
  readonly changes: Adjustment['changes'] | null;
  readonly reason: string | null;
}

export interface LateChanges extends EventGroup {
  readonly readAt: number;
}

/** Times from `from` to before `to` (ms). Events in the same span of `stepMs` are a group. */
export interface EventRange extends Range {
  readonly stepMs: number;
}

/** The proxies whose changes are read. What is not given selects all. */
export interface ChangedProxies {
  readonly proxyId?: string | undefined;
  readonly serviceId?: string | undefined;
  readonly productType?: string | undefined;
}

export interface EventStore {
  /** Records that the daemon starts. The newest 1,000 starts are kept. */
  addStart(now: number): Promise<void>;
  /** Returns since when all starts are known (ms); null before the first. */
  startsKnownSince(): Promise<number | null>;
  restarts(range: EventRange): Promise<EventGroup[]>;
  /** Returns since when no change was deleted because there were too many (ms); 0 if there never were. */
  inventoryKeptSince(account: string): Promise<number>;
  inventoryChanges(account: string, range: EventRange, proxies: ChangedProxies): Promise<InventoryEvents[]>;
  /** Returns the adjustments of these proxies' services. The id of a proxy is ignored. */
  adjustments(account: string, range: EventRange, proxies: ChangedProxies): Promise<AdjustmentEvents[]>;
  /** `graph` is the name of the graph. */
  lateChanges(account: string, graph: string, range: EventRange): Promise<LateChanges[]>;
}
