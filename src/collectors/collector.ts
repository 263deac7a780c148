// What a collector is: its slice of the configuration, its families, what it collects and how that reads.

import type { z } from 'zod';
import type { ConfigError } from '../config/config-error.ts';
import type { Family, SampleSink } from '../lib/family.ts';
import type { ProviderError } from '../provider/errors.ts';
import type { Store } from '../store/store.ts';
import type { AccountSettings, CollectorName, ReadContext, RunContext } from './context.ts';
import type { Cost } from './cost.ts';
import type { HistoryFamily } from './history.ts';

/** How a run that ended went; one that could not go on throws ProviderError or StoreError instead. */
export interface Outcome {
  /** Items that did not decode. */
  readonly skipped: number;
  /** Parts that failed alone, such as a graph whose filter the provider rejects. */
  readonly failedParts: readonly FailedPart[];
  /** Whether all that the collector is there for was read although parts failed: the run is a success then. */
  readonly isCurrent?: boolean;
  /** How long reading all of a listing takes, over all its runs: measured when it is done, estimated before (ms). */
  readonly pass?: { readonly ms: number; readonly isWhole: boolean };
}

export interface FailedPart {
  readonly part: string;
  /** ConfigError is that of a file beside the configuration. */
  readonly error: ProviderError | ConfigError;
  /** Whether the collector has said so in the log itself, once and not at every run. */
  readonly isLogged?: boolean;
}

/** A mistake in the options; the path starts at the collector's section. */
export interface Conflict {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Options that every collector has. */
export interface CommonOptions {
  readonly schedule: string;
}

/** `S` is what the runs of one account keep in memory. */
export interface Collector<O extends CommonOptions = CommonOptions, S = unknown> {
  readonly name: CollectorName;
  /** Endpoints it calls, as the label `endpoint` names them. */
  readonly endpoints: readonly string[];
  readonly families: readonly Family[];
  /** Other collectors whose settings it goes by. */
  readonly compares?: readonly CollectorName[];
  readonly options: z.ZodType<O>;
  /** Collectors that a run waits for when they run as well, for it asks after what they store. */
  readonly after?: readonly CollectorName[];
  /** Collectors on which hangs what this one shows: it is shown anew after their runs, or when one is turned on or off. */
  readonly shows?: readonly CollectorName[];
  /** Schedules of parts of it beside its own; the collector runs when any has a slot. */
  schedules?(options: O): readonly string[];
  /** What of the options can't be, told by the options alone. */
  mistakes?(options: O): readonly Conflict[];
  /** What of the options can't go with what is stored already. */
  conflicts?(context: ReadContext<O>): Promise<readonly Conflict[]>;
  /** What the options will cost in the day after `now` (ms). */
  cost(options: O, zone: string, now: number): Cost;
  /**
   * Makes what the store must hold before the first run, such as counters at 0. What it returns goes along with every
   * run, until the account is closed.
   */
  open?(context: ReadContext<O>): Promise<S>;
  collect(context: RunContext<O>, state: S): Promise<Outcome>;
  /** Whether the store has anything to show, for a collector whose run can be a success without having read anything. */
  hasData?(account: AccountSettings, store: Store): Promise<boolean>;
  /** Writes what the store says; never calls the provider. */
  expose(context: ReadContext<O>, sink: SampleSink): Promise<void>;
  /** What the store says of the past. */
  readonly history?: readonly HistoryFamily<O>[];
}
