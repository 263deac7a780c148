// Renders stored history as OpenMetrics with timestamps, in chunks, so that it is never in memory as a whole.

import type { HistorySample } from '../collectors/published-history.ts';
import type { Family } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import { headerOf, LabelRenderer, TRAILERS } from './text-format.ts';

/** The samples of a family for one account: one series after another, each ordered by time. */
export interface AccountHistory {
  readonly account: string;
  read(): AsyncIterable<HistorySample>;
}

export interface FamilyHistory {
  readonly family: Family;
  readonly accounts: readonly AccountHistory[];
}

const CHUNK_LENGTH = 64 * 1024;

/** Yields chunks of about 64 KiB. It calls `onSample` with the family and the time (ms) of each sample. */
export async function* historyText(
  families: readonly FamilyHistory[],
  onSample: (family: string, at: number) => void,
): AsyncGenerator<string> {
  let chunk = '';
  for (const { family, accounts } of families) {
    chunk += headerOf(family, 'openmetrics');
    const corrected = [...family.labels, 'revision'];
    for (const { account, read } of accounts) {
      const labelRenderer = new LabelRenderer(account);
      for await (const { labels, at, value } of read()) {
        // JavaScript prints integers below 1e21 without an exponent, and other numbers with enough digits to restore them.
        chunk += `${family.name}${labelRenderer.render(labels['revision'] === undefined ? family.labels : corrected, labels)} ${value} ${at / SECOND}\n`;
        onSample(family.name, at);
        if (chunk.length < CHUNK_LENGTH) continue;
        yield chunk;
        chunk = '';
      }
    }
  }
  yield chunk + TRAILERS.openmetrics;
}
