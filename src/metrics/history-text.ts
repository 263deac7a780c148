// The stored past as OpenMetrics with timestamps, in pieces: what is made of it is never held whole.

import type { HistorySample } from '../collectors/history.ts';
import type { Family } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import { LabelBlock } from './label-block.ts';
import { headerOf, TRAILERS } from './text-format.ts';

/** A family's samples of one account: one series after another, each in order of time. */
export interface AccountHistory {
  readonly account: string;
  read(): AsyncIterable<HistorySample>;
}

export interface FamilyHistory {
  readonly family: Family;
  readonly accounts: readonly AccountHistory[];
}

const PIECE_LENGTH = 64 * 1024;

/** Pieces of some 64 KiB; `onSample` is told family and time (ms) of each sample. */
export async function* historyText(
  families: readonly FamilyHistory[],
  onSample: (family: string, at: number) => void,
): AsyncGenerator<string> {
  let piece = '';
  for (const { family, accounts } of families) {
    piece += headerOf(family, 'openmetrics');
    for (const { account, read } of accounts) {
      const labelBlock = new LabelBlock(account);
      for await (const { labels, at, value } of read()) {
        if (value === null) continue;
        // Whole numbers below 1e21 have no exponent, and others the digits that make them again.
        piece += `${family.name}${labelBlock.textOf(family.labels, labels).closed} ${value} ${at / SECOND}\n`;
        onSample(family.name, at);
        if (piece.length < PIECE_LENGTH) continue;
        yield piece;
        piece = '';
      }
    }
  }
  yield piece + TRAILERS.openmetrics;
}
