// Ledger rows from the provider's entries. A missing field keeps its stored value, or gets the closest substitute.

import { type LedgerEntry, localDate } from '../../provider/resources/residential-ledger.ts';
import type { Balance, LedgerRow, StoredLedgerRow } from '../../store/ledger-store.ts';
import type { RunContext } from '../context.ts';

/** The operator's rule for reading rows. */
export interface LedgerReading {
  readonly usage_reasons: readonly string[];
  readonly usage_sign: 'auto' | 'negative' | 'positive';
}

export type ReadEntries = <O extends LedgerReading>(
  context: RunContext<O>,
  entries: readonly LedgerEntry[],
) => Promise<LedgerRow[]>;

/** The reason of a row that never had one. */
const UNKNOWN_REASON = 'unknown';

/** Reads entries of one account, and logs once that some lack a date or a reason. */
export const createEntryReader = (): ReadEntries => {
  const logged = new Set<string>();
  return async ({ account, clock, log, options, store }, entries) => {
    const lacking = entries.filter(({ isDateGiven, reason }) => !isDateGiven || reason === null);
    if (lacking.length === 0) return entries.map((entry) => toRow(entry, undefined, options, ''));
    for (const words of lackingWords(lacking)) {
      if (!logged.has(words)) log.warn({ id: lacking[0]?.id }, words);
      logged.add(words);
    }
    const known = await store.ledger.stored(
      account.name,
      lacking.map(({ id }) => id),
    );
    const today = localDate(clock.now(), account.time_zone);
    return entries.map((entry) => toRow(entry, known.get(entry.id), options, today));
  };
};

const lackingWords = (lacking: readonly LedgerEntry[]): string[] => [
  ...(lacking.some(({ isDateGiven }) => !isDateGiven)
    ? [
        'the ledger has rows without a date: proxywatch books them on the day they were created, last changed or first seen',
      ]
    : []),
  ...(lacking.some(({ reason }) => reason === null)
    ? [`the ledger has rows without a reason: proxywatch books new ones as "${UNKNOWN_REASON}"`]
    : []),
];

/** `known` is the stored row of an entry that lacks something; its date and reason come before any substitute. */
const toRow = (
  entry: LedgerEntry,
  known: StoredLedgerRow | undefined,
  rule: LedgerReading,
  today: string,
): LedgerRow => {
  const { isDateGiven, ...row } = entry;
  const reason = row.reason ?? known?.reason ?? UNKNOWN_REASON;
  const periodDate = (isDateGiven ? undefined : known?.periodDate) ?? row.periodDate ?? today;
  return {
    id: row.id,
    reason,
    serviceId: row.serviceId,
    periodDate,
    periodEnd: row.periodEnd,
    requests: row.requests,
    bytes: row.bytes,
    adjustmentId: row.adjustmentId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...bytesOf(rule, reason, row.bytes),
  };
};

/**
 * What a row adds and takes. The API's documentation does not show the sign of use, and its example has both,
 * so rows of use count as use with either sign unless the operator sets `usage_sign`; any other row adds what is above 0.
 */
export const bytesOf = (rule: LedgerReading, reason: string, bytes: number): Balance => {
  if (!rule.usage_reasons.includes(reason)) {
    return { addedBytes: Math.max(0, bytes), usedBytes: Math.max(0, -bytes) };
  }
  const used = { auto: Math.abs(bytes), negative: -bytes, positive: bytes };
  return { addedBytes: 0, usedBytes: used[rule.usage_sign] };
};
