// Defines what the command line of proxywatch probe gives.

import type { TextPattern } from '../../lib/text-pattern.ts';
import type { Depth } from '../../prober/probe.ts';
import type { ShardOption } from '../shard-option.ts';

export interface ProbeOptions extends ShardOption {
  readonly config?: string;
  readonly account?: string;
  /** That of the configured url if not given, or else http. */
  readonly depth?: Depth;
  readonly timeout: number;
  readonly caFile?: string;
  readonly targetCaFile?: string;
  readonly status?: readonly number[];
  readonly header?: Readonly<Record<string, TextPattern>>;
  readonly body?: TextPattern;
  readonly control?: boolean;
  readonly verbose?: boolean;
  readonly format: 'text' | 'json';
}

export interface ProbeArguments {
  /** A name, an id, a line, or `-` for standard input. */
  readonly proxy: string;
  readonly url: string;
  readonly options: ProbeOptions;
}
