// Rows of the ledger out of what the provider answered: what an entry lacks is as it was, or as little wrong as can be.

import { type LedgerEntry, localDate } from '../provider/residential-ledger.ts';
import type { Balance, LedgerRow, StoredLedgerRow } from '../store/ledger-store.ts';
import type { RunContext } from './collector.ts';

/** How the operator has rows read. */
export interface LedgerReading {
  readonly usage_reasons: readonly string[];
  readonly usage_sign: 'auto' | 'negative' | 'positive';
}

export type ReadEntries = <O extends LedgerReading>(
  context: RunContext<O>,
  entries: readonly LedgerEntry[],
) => Promise<LedgerRow[]>;

/** Of a row whose reason was never given. */
const UNKNOWN_REASON = 'unknown';

/** Reads entries of one account, and says once in the log that some lack what rows are told apart by. */
export const createEntryReader = (): ReadEntries => {
  const told = new Set<string>();
  return async ({ account, clock, log, options, store }, entries) => {
    const lacking = entries.filter(({ isDateGiven, reason }) => !isDateGiven || reason === null);
    if (lacking.length === 0) return entries.map((entry) => toRow(entry, undefined, options, ''));
    for (const words of lackingWords(lacking)) {
      if (!told.has(words)) log.warn({ id: lacking[0]?.id }, words);
      told.add(words);
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
    ? ['the ledger has rows without a date: they are booked on the day they were created or first seen']
    : []),
  ...(lacking.some(({ reason }) => reason === null)
    ? [`the ledger has rows without a reason: new ones are booked as "${UNKNOWN_REASON}"`]
    : []),
];

/** `known` is the row of an entry that lacks something; its own date and reason stand, which others only stand in for. */
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
 * so use is use whatever its sign unless the operator knows better; any other row adds what is above 0.
 */
export const bytesOf = (rule: LedgerReading, reason: string, bytes: number): Balance => {
  if (!rule.usage_reasons.includes(reason)) {
    return { addedBytes: Math.max(0, bytes), usedBytes: Math.max(0, -bytes) };
  }
  const used = { auto: Math.abs(bytes), negative: -bytes, positive: bytes };
  return { addedBytes: 0, usedBytes: used[rule.usage_sign] };
};
