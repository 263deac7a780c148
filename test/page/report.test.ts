// Tests what the page shows of a week: numbers beside those of the week before, and what is unknown as unknown.

import { expect, it } from 'vitest';
import { reportView } from '../../src/page/views/report.ts';
import { EMPTY_REPORT, REPORT } from '../support/reports.ts';
import { textOf } from './overview-support.ts';

const NOW = Date.parse(REPORT.made_at);

it('shows each part, with links to its subjects', () => {
  const markup = reportView(REPORT, NOW);
  const text = textOf(markup);
  expect(text).toContain('2026-03-23 to 2026-03-29 account main, days of Europe/Berlin');
  expect(text).toContain('Residential data used by the ledger 12.5 GB 10 GB +25%');
  expect(text).toContain('Mobile use of all users unknown unknown –');
  expect(text).toContain('ProxyFailing 2 1 2 25 h');
  expect(text).toContain('Tests by the provider 97.5% of the results of all proxies 4,000');
  expect(text).toContain('proxy_tests: no test had a result on these days: 2026-03-23 to 2026-03-24');
  expect(markup.toString()).toContain('href="?account=main&amp;view=proxy&amp;id=fr-1"');
  expect(markup.toString()).not.toContain('<i>');
  expect(text).not.toContain('is not over');
  expect(textOf(reportView({ ...REPORT, is_over: false }, NOW))).toContain('The week is not over.');
});

it('shows nothing that is unknown as 0', () => {
  const text = textOf(reportView({ ...EMPTY_REPORT, uptime: [] }, NOW));
  expect(text).not.toMatch(/\b0\b/);
  expect(text).toContain('Inventory unknown');
  expect(text).toContain('Unknown. The reason is at the end');
});
