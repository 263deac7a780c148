// What a source of proxies is: a place that is asked, again and again, which proxies there are to test.

import type { CommonOptions, FailedPart } from '../../collector.ts';
import type { RunContext } from '../../context.ts';
import type { FoundProxy } from './proxy-entry.ts';

export interface SourceList {
  /** The first of several with one id counts. */
  readonly proxies: readonly FoundProxy[];
  /** Whether a proxy that was found before and is not in `proxies` is there no more. */
  isGone(id: string): boolean;
  /** Items that can't be used. */
  readonly skipped: number;
  /** Whether less is listed than was to be expected: what is missing is gone only when the next list lacks it too. */
  readonly isDoubtful: boolean;
  /** Why the list is not whole; what could not be read stands as it was found before. */
  readonly failure?: Failure | undefined;
}

export type Failure = Omit<FailedPart, 'part'>;

/** What can be told of a source before any run. */
export interface Preview {
  /** Undefined where only the provider knows. */
  readonly proxies: number | undefined;
  /** Fit to be shown: none has anything of a proxy's line in it. */
  readonly mistakes: readonly string[];
  readonly warnings: readonly string[];
}

export interface ProxySource {
  /** Says what it is, and is the key of what it found in the store. */
  readonly name: string;
  /** Sources that ask the provider are read now and then; the others at every round. */
  readonly asksProvider: boolean;
  /** Remembers nothing of what it reads. */
  preview(): Preview;
  /** Throws ProviderError when the provider can't tell: then what was found before stands. */
  list(context: RunContext<CommonOptions>): Promise<SourceList>;
}

/** Of a source that asks the provider. */
export const UNKNOWN: Preview = { proxies: undefined, mistakes: [], warnings: [] };
