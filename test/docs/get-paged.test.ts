// Tests that docs/how-to/get-paged.md says what to do about each reason that `notify --explain` prints.

import { expect, test } from 'vitest';
import { noticeText } from '../../src/alerts/explain/notice-text.ts';
import type { RoutedOptions } from '../../src/alerts/receivers/options.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { StoredAlert } from '../../src/store/alert-store.ts';
import {
  NOTICE_REASONS,
  noticeState,
  REASON_STATUSES,
  type ReasonCode,
  reasonOf,
} from '../../src/store/notice.ts';
import { codeWordsOf, tableRowsOf, textOf } from './documents.ts';

const ALERT = { account: 'main', alert: 'DataStale', severity: 'warning' } as StoredAlert;

const OPTIONS = {
  ...{ type: 'webhook', min_severity: 'critical', group_by: [] },
  ...{ group_wait: 30 * SECOND, group_interval: 5 * MINUTE, after: HOUR },
} as unknown as RoutedOptions;

const lineFor = (code: ReasonCode, account = 'main'): string => {
  const why = reasonOf(code, { until: DAY, silence: '55397ed52df0', comment: 'Anna', maintenance: 'weekly' });
  const dueAt = code === 'store_failing' ? null : DAY;
  // While a receiver accepts nothing, a notification that waits for its delivery is said to fail.
  const status = code === 'delivery' ? 'delivery_failing' : REASON_STATUSES[code];
  return noticeText({ ...ALERT, account }, noticeState({ status, reasons: [why], dueAt }), OPTIONS);
};

/** What the page says of lines, with `…` for any text. */
const PATTERNS = tableRowsOf(textOf('docs/how-to/get-paged.md'))
  .flatMap((row) => codeWordsOf(row['the line says'] ?? ''))
  .map((words) => new RegExp(words.replaceAll(/[()]/g, String.raw`\$&`).replaceAll('…', '.*')));

const isExplained = (line: string): boolean => PATTERNS.some((pattern) => pattern.test(line));

test.each(NOTICE_REASONS)('the page says what to do about the reason %s', (code) => {
  expect(isExplained(lineFor(code)), lineFor(code)).toBe(true);
});

test('the page says why a receiver with accounts gets no alerts about the daemon', () => {
  expect(isExplained(lineFor('accounts', '')), lineFor('accounts', '')).toBe(true);
});

test('a line that the page does not have is detected', () => {
  expect(isExplained('not notified: the receiver sleeps')).toBe(false);
});
