// Tests the invoice and the report: their numbers are those of the API, they have their choices in their addresses, and the
// invoice can be printed.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Invoice } from '../../src/http/api/invoice/invoice-json.ts';
import { HOUR } from '../../src/lib/time.ts';
import type { Report } from '../../src/page/answers.ts';
import { bytes, count, percent } from '../../src/page/format.ts';
import type { ScenarioInput } from '../../src/simulator/scenario.ts';
import { ApiHarness } from '../http/api/api-harness.ts';
import { axeFindings, cutOffTables, visit } from './browser.ts';
import { openAt, servePage } from './serve-page.ts';
import { shareSmallWorld } from './small-world.ts';
import { waitUntilDrawn } from './views.ts';
import { answerOf } from './walk-steps.ts';
import { describeWith } from './with-programs.ts';

/** The width between the margins of a sheet of A4 (px). */
const SHEET_PX = 718;

const gigabytes = (bytes: number | null): string => ((bytes ?? 0) / 1e9).toFixed(3);

/** Expects a page that is accessible, and does not scroll sideways. */
const expectFit = async (page: Page): Promise<void> => {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await cutOffTables(page)).toEqual([]);
    expect(await axeFindings(page)).toEqual([]);
  }
};

describeWith(['chromium'], 'the invoice in a browser', () => {
  const small = shareSmallWorld();

  test('is in the navigation, and has the sums and the users of the chosen month', async () => {
    await using visited = await visit(small.browser, small.url);
    const { page, problems } = visited;
    await page.getByRole('link', { name: 'Invoice', exact: true }).click();
    const month = page.getByRole('combobox', { name: 'Month' });
    const soFar = page.locator('#month option').nth(1);
    await month.selectOption((await soFar.getAttribute('value')) ?? '');
    await page.getByText('The month is not over.').waitFor();
    const name = await month.inputValue();
    expect(await page.evaluate('location.search')).toBe(`?account=main&view=invoice&month=${name}`);
    const invoice = await answerOf<Invoice>(small.url, `accounts/main/invoice?month=${name}`);
    const text = (await page.locator('#invoice').innerText()).replaceAll(/\s+/g, ' ');
    for (const { reason, added_bytes, used_bytes } of invoice.reasons)
      expect(text).toContain(`${reason} ${gigabytes(added_bytes)} ${gigabytes(used_bytes)}`);
    expect(text).toContain(`Total ${gigabytes(invoice.added_bytes)} ${gigabytes(invoice.used_bytes)}`);
    expect(text).toContain(`All ${invoice.use?.users} users`);
    expect(invoice.use?.users).toBe(invoice.users.length);
    const users = invoice.users.slice(0, 20).map(({ proxy_user_id: id, bytes: use, share }) => {
      return `${id} ${gigabytes(use.residential)} ${gigabytes(use.mobile)} ${percent(share ?? 0)}`;
    });
    expect(text).toContain(` ${users.join(' ')} All `);
    const links = page.locator('#downloads a');
    for (const [index, type] of ['text/csv', 'application/json'].entries()) {
      const href = await links.nth(index).evaluate((link: { href: string }) => link.href);
      const response = await fetch(href);
      expect([href, response.headers.get('content-type')?.split(';')[0]]).toEqual([href, type]);
      expect(href).toContain(`month=${name}`);
    }
    expect(problems.filter((problem) => !problem.includes('/api/v1/'))).toEqual([]);
  });

  test('has each service, correction, and day that does not add up, and fits a screen, as the report does', async () => {
    const [from, until] = ['2026-06-30T00:00:00Z', '2026-07-01T00:00:00Z'];
    const scenario: ScenarioInput = {
      ...{ start: '2026-06-27T00:00:00Z', traffic: { revised: { ratio: 0.3 } } },
      discrepancies: [{ kind: 'ledger_correction', bytes: 9e10, from, until }],
    };
    await using stack = new AsyncDisposableStack();
    const api = stack.use(await ApiHarness.build(scenario, {}, { now: '2026-06-29T12:00:00Z' }));
    for (let half = 0; half < 7; half += 1) await api.harness.advance(12 * HOUR);
    const url = await servePage(stack, api.harness);
    const invoice = await answerOf<Invoice>(url, 'accounts/main/invoice?month=2026-06');
    const sums = (row: Invoice['reasons'][number]) =>
      `${gigabytes(row.added_bytes)} ${gigabytes(row.used_bytes)} ${count(row.requests ?? 0)}`;
    const expected = {
      services: invoice.ledger_services.map((row) => `${row.service_id} ${row.reason} ${sums(row)}`),
      corrections: invoice.late_rows.map((row) => `${row.date} ${row.reason} ${row.service_id} ${sums(row)}`),
      differences: invoice.differences.map(
        ({ date, pair, difference_bytes: all, unexplained_bytes: rest }) =>
          `${date} ${pair} ${gigabytes(all)} ${gigabytes(rest)}`,
      ),
      pairs: invoice.pairs.map(
        (row) => `${row.pair} ${row.ok_days} ${row.differing_days} ${row.unknown_days}`,
      ),
    };
    const open = (query: string) =>
      openAt(small.browser, `${url}?account=main&${query}`, api.harness.clock.now(), [1280, 900]);
    await using visited = await open('view=invoice&month=2026-06');
    const text = (await visited.page.locator('#invoice').innerText()).replaceAll(/\s+/g, ' ');
    for (const [part, rows] of Object.entries(expected)) {
      expect([part, rows.length]).not.toEqual([part, 0]);
      for (const row of rows) expect(text).toContain(row);
    }
    await expectFit(visited.page);
    await using report = await open('view=report&period=month&day=2026-06-28');
    expect(await report.page.locator('#report').innerText()).toContain('2026-06');
    await expectFit(report.page);
  });

  test('the report has the sums and the tops of the chosen month, and what is unknown of it', async () => {
    await using visited = await visit(small.browser, `${small.url}?account=main&view=report`);
    const { page } = visited;
    await page.getByRole('combobox', { name: 'Period' }).selectOption('Month');
    await page.getByLabel('With the day').fill(new Date().toISOString().slice(0, 10));
    await page.getByText('The month is not over.').waitFor();
    const search = String(await page.evaluate('location.search'));
    expect(search).toMatch(/^\?account=main&view=report&period=month&day=\d{4}-\d\d-\d\d$/);
    const query = new URLSearchParams({ period: 'month', from: search.slice(-10) });
    const report = await answerOf<Report>(small.url, `accounts/main/report?${query}`);
    const text = (await page.locator('#report').innerText()).replaceAll(/\s+/g, ' ');
    const { ledger_used_bytes: used, residential_users_bytes: use } = report.amounts;
    expect(text).toContain(`Residential data used by the ledger ${bytes(used ?? Number.NaN)}`);
    expect(text).toContain(`Residential use of all users ${bytes(use ?? Number.NaN)}`);
    for (const { proxy_user_id: id } of report.users) expect(text).toContain(id);
    for (const part of ['What is left', 'Alerts', 'Uptime', 'Changes']) expect(text).toContain(part);
    expect(report.unknown.length > 0).toBe(text.includes('What is unknown'));
    await expectFit(page);
  });

  test.each(['invoice', 'report'])(
    'the %s prints on a sheet in light colours, without what only a screen can use',
    async (view) => {
      await using visited = await visit(small.browser, `${small.url}?account=main&view=${view}`, {
        ...{ colorScheme: 'dark', viewport: { width: SHEET_PX, height: 900 } },
      });
      const { page } = visited;
      await waitUntilDrawn(page);
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SHEET_PX);
      expect(await page.locator('header, footer, .controls').filter({ visible: true }).count()).toBe(0);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
        'rgb(255, 255, 255)',
      );
      // The cells of a row are beside each other, below their headings.
      expect(await page.locator(`#${view} thead`).first().isVisible()).toBe(true);
      const cells = page.locator(`#${view} tbody tr`).first().locator('th, td');
      const tops = await cells.evaluateAll((all: { getBoundingClientRect(): { top: number } }[]) =>
        all.map((cell) => cell.getBoundingClientRect().top),
      );
      expect(new Set(tops).size).toBe(1);
    },
  );
});
