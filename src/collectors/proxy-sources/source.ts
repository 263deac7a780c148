// Defines a source of proxies, which is read repeatedly and lists the proxies to test.

import type { CommonOptions, FailedPart } from '../collector.ts';
import type { RunContext } from '../context.ts';
import type { FoundProxy } from './proxy-entry.ts';

export interface SourceList {
  /** If several proxies have the same id, the first one counts. */
  readonly proxies: readonly FoundProxy[];
  /** Whether a proxy that was found before and is missing from `proxies` no longer exists. */
  isRemoved(id: string): boolean;
  /** The number of items that cannot be used. */
  readonly skipped: number;
  /** Whether the list is shorter than expected. A missing proxy then counts as removed only if the next list lacks it too. */
  readonly isSuspicious: boolean;
  /** Why the list is incomplete. Proxies that could not be read stay as they were found before. */
  readonly failure?: SourceFailure | undefined;
}

export type SourceFailure = Omit<FailedPart, 'part'>;

/** What is known of a source before any run. */
export interface Preview {
  /** The number of proxies; undefined if only the provider knows it. */
  readonly proxies: number | undefined;
  /** Mistakes contain nothing of a proxy's line, so they can be shown. */
  readonly mistakes: readonly string[];
  readonly warnings: readonly string[];
}

export interface ProxySource {
  /** Describes the source, and is the key under which the store keeps what it found. */
  readonly name: string;
  /** A source that is read from the provider is read every `discover_every`; any other source at every round. */
  readonly isFromProvider: boolean;
  /** The endpoint that a source from the provider is read from. */
  readonly endpoint?: string;
  /** The type of all its proxies, if the entry says it. */
  readonly productType?: string | undefined;
  /** Reads the source without keeping anything. */
  preview(): Preview;
  /** Returns what a source of this machine has. Sources from the provider do not have it. */
  readonly proxiesHere?: () => readonly FoundProxy[];
  /** Throws ProviderError if the provider gives no list; what was found before then stays. */
  list(context: RunContext<CommonOptions>): Promise<SourceList>;
}

/** The preview of a source that is read from the provider. */
export const UNKNOWN_PREVIEW: Preview = { proxies: undefined, mistakes: [], warnings: [] };
