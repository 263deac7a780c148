// Converts the provider's entries to ledger rows. A missing field keeps its stored value, or gets the closest substitute.

import type { MeteredType } from '../../lib/product-types.ts';
import { type LedgerEntry, localDate } from '../../provider/resources/ledger.ts';
import type { Balance, LedgerRow, StoredLedgerRow } from '../../store/ledger-store.ts';
import { textIf } from '../collector.ts';
import type { RunContext } from '../context.ts';

/** The options that decide which rows are use, and with which sign. */
export interface UsageOptions {
  readonly usage_reasons: readonly string[];
  readonly usage_sign: 'auto' | 'negative' | 'positive';
}

export type ReadEntries = <O extends UsageOptions>(
  context: RunContext<O>,
  entries: readonly LedgerEntry[],
) => Promise<LedgerRow[]>;

/** The reason of a row that never had one. */
const UNKNOWN_REASON = 'unknown';

/** Returns a reader for the entries of one account. It logs once that some lack a date, and once that some lack a reason. */
export const createEntryReader = (type: MeteredType): ReadEntries => {
  const loggedWarnings = new Set<string>();
  return async ({ account, clock, log, options, store }, entries) => {
    const incompleteEntries = entries.filter(({ isDateGiven, reason }) => !isDateGiven || reason === null);
    if (incompleteEntries.length === 0) return entries.map((entry) => toRow(entry, undefined, options, ''));
    for (const warning of warningsAbout(incompleteEntries)) {
      if (!loggedWarnings.has(warning)) log.warn({ id: incompleteEntries[0]?.id }, warning);
      loggedWarnings.add(warning);
    }
    const known = await store.ledgers[type].stored(
      account.name,
      incompleteEntries.map(({ id }) => id),
    );
    const today = localDate(clock.now(), account.time_zone);
    return entries.map((entry) => toRow(entry, known.get(entry.id), options, today));
  };
};

const warningsAbout = (incompleteEntries: readonly LedgerEntry[]): string[] => [
  ...textIf(
    incompleteEntries.some(({ isDateGiven }) => !isDateGiven),
    'the ledger has rows without a date; proxywatch books them on the day they were created, last changed or first seen',
  ),
  ...textIf(
    incompleteEntries.some(({ reason }) => reason === null),
    `the ledger has rows without a reason; proxywatch books new ones as "${UNKNOWN_REASON}"`,
  ),
];

/** `known` is the stored row of an incomplete entry. Its date and reason are preferred to any substitute. */
const toRow = (
  entry: LedgerEntry,
  known: StoredLedgerRow | undefined,
  rule: UsageOptions,
  today: string,
): LedgerRow => {
  const { isDateGiven, customerId, ...row } = entry;
  const reason = row.reason ?? known?.reason ?? UNKNOWN_REASON;
  const periodDate = (isDateGiven ? undefined : known?.periodDate) ?? row.periodDate ?? today;
  return { ...row, reason, periodDate, ...bytesOf(rule, reason, row.bytes) };
};

/**
 * Returns the bytes that a row adds and uses. The API's documentation does not define the sign of use, and its example
 * has both signs. Rows of use therefore count as use with either sign, unless the operator sets `usage_sign`. Any other
 * row adds its bytes if they are positive, and uses them if they are negative.
 */
export const bytesOf = (rule: UsageOptions, reason: string, bytes: number): Balance => {
  if (!rule.usage_reasons.includes(reason)) {
    return { addedBytes: Math.max(0, bytes), usedBytes: Math.max(0, -bytes) };
  }
  const used = { auto: Math.abs(bytes), negative: -bytes, positive: bytes };
  return { addedBytes: 0, usedBytes: used[rule.usage_sign] };
};
