// Readings of graphs that failed: when they are tried again, and what runs say of them meanwhile.

import { HOUR, MINUTE } from '../../lib/time.ts';
import type { ProviderError } from '../../provider/errors.ts';
import type { FailedPart } from '../collector.ts';

/** What a graph is read for: what is new and late, or, now and then, what is late indeed. */
export type Reading = 'recent' | 'deep';

interface FailedAttempt {
  /** When the run began (ms) whose attempt failed. */
  readonly at: number;
  /** Attempts in a row that did. */
  readonly count: number;
  readonly error: ProviderError;
}

/** Waits after a failure, in ms: the first one, and the longest when they double. */
const WAITS = {
  recent: { first: MINUTE, longest: HOUR },
  deep: { first: HOUR, longest: 6 * HOUR },
} as const;

/** Of one account, in memory: after a restart everything is tried at once. The whole account's graph has no name. */
export class Attempts {
  readonly #failed = { recent: new Map<string, FailedAttempt>(), deep: new Map<string, FailedAttempt>() };

  failed(graph: string, reading: Reading, at: number, error: ProviderError): void {
    const count = (this.#failed[reading].get(graph)?.count ?? 0) + 1;
    this.#failed[reading].set(graph, { at, count, error });
  }

  succeeded(graph: string, reading: Reading): void {
    this.#failed[reading].delete(graph);
  }

  /** When the newest attempt failed (ms); null while they go well. */
  failedAt(graph: string, reading: Reading): number | null {
    return this.#failed[reading].get(graph)?.at ?? null;
  }

  /** Whether a reading that failed has waited long enough. The whole account is tried at every slot. */
  isPatient(graph: string, reading: Reading, now: number): boolean {
    const failed = this.#failed[reading].get(graph);
    if (!failed || (graph === '' && reading === 'recent')) return false;
    const { first, longest } = WAITS[reading];
    const waitMs = Math.min(longest, first * 2 ** (failed.count - 1));
    return now >= failed.at && now < failed.at + waitMs;
  }

  /** Every reading that failed when it was last tried; those of earlier runs than `startedAt` are in the log. */
  failedParts(startedAt: number): FailedPart[] {
    const parts = (['recent', 'deep'] as const).flatMap((reading) =>
      [...this.#failed[reading]].map(([graph, { at, error }]) => ({
        part: (graph || 'account') + (reading === 'deep' ? ', deep reread' : ''),
        error,
        isLogged: at !== startedAt,
      })),
    );
    return parts;
  }
}
