// Tests that the status page leads within two clicks to what nothing at its top is about: lists, sums of a month, silences
// and errors. While most proxies fail, it says so.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Invoice } from '../../src/http/api/invoice/invoice-json.ts';
import type { Page, Report, Silence, Status } from '../../src/page/answers.ts';
import { bytes } from '../../src/page/format.ts';
import { axeFindings } from './browser.ts';
import { FAULTY_PROXY, proxyId } from './large-page.ts';
import { shareSmallWorld } from './small-world.ts';
import { answerOf, type Verdict, Walk } from './walk-steps.ts';
import { startProviderOutage, type WalkWorld } from './walk-world.ts';
import { describeWith } from './with-programs.ts';

const WIDTHS = [1280, 390];

/** Returns what a part of the page shows, so that each value is beside its label. */
const wordsOf = async ({ page }: Walk, part: string): Promise<string> =>
  (await page.locator(part).innerText()).replaceAll(/\s+/g, ' ');

describeWith(['chromium'], 'the page', () => {
  const small = shareSmallWorld();
  const read = <T>(path: string) => answerOf<T>(small.url, path);

  describe.each(WIDTHS)('at %i px, leads', (width) => {
    const walk = (steps: (walk: Walk) => Promise<void>) =>
      Walk.from(small.browser, small.url, steps, { viewport: { width, height: 900 } });

    test('to the invoice of a month', () =>
      walk(async (walk) => {
        await walk.click(walk.link('nav.views', 'Invoice'));
        const soFar = walk.page.locator('#month option').nth(1);
        const month = (await soFar.getAttribute('value')) ?? '';
        await walk.choose(walk.page.getByRole('combobox', { name: 'Month' }), month);
        const { added_bytes, used_bytes } = await read<Invoice>(`accounts/main/invoice?month=${month}`);
        const [added, used] = [added_bytes, used_bytes].map((sum) => ((sum ?? Number.NaN) / 1e9).toFixed(3));
        await expect.poll(() => wordsOf(walk, '#invoice')).toContain(month);
        expect(await wordsOf(walk, '#invoice')).toContain(`Total ${added} ${used}`);
      }));

    test('to the report', () =>
      walk(async (walk) => {
        await walk.click(walk.link('nav.views', 'Report'));
        const { amounts } = await read<Report>('accounts/main/report');
        const used = amounts.ledger_used_bytes === null ? 'unknown' : bytes(amounts.ledger_used_bytes);
        const row = `Residential data used by the ledger ${used}`;
        await expect.poll(() => wordsOf(walk, '#report')).toContain(row);
      }));

    test.each([
      ['Inventory changes', 'inventory/changes', 'proxy_id'],
      ['Failed tests', 'failures', 'error_code'],
      ['Services', 'services', 'expires_at'],
      ['Alert history', 'alerts/history?account=main', 'alert'],
    ])('to the list: %s', async (name, path, field) => {
      const { data } = await read<Page<Record<string, string>>>(path);
      const [expected] = data[0]?.[field]?.split('T') ?? [];
      expect(expected).toMatch(/\w/);
      await walk(async (walk) => {
        await walk.click(walk.link('nav.views', name));
        const row = walk.page.locator('#items tbody tr').first();
        await expect.poll(() => row.innerText()).toContain(expected);
      });
    });

    test('to the page of a service', () =>
      walk(async (walk) => {
        await walk.click(walk.link('nav.views', 'Services'));
        const link = walk.page.locator('#items tbody th a').first();
        const id = await link.innerText();
        await walk.click(link);
        await walk.page.getByRole('heading', { level: 1, name: id }).waitFor();
        await expect.poll(() => wordsOf(walk, '#service')).toMatch(/ Automatic collection (yes|no)\b/);
      }));

    test('to orders and stock', () =>
      walk(async (walk) => {
        await walk.click(walk.page.locator('summary', { hasText: 'Orders and stock' }));
        for (const [list, path, field] of [
          ['#quotes', 'quotes', 'quote'],
          ['#products', 'products', 'product_code'],
        ] as const) {
          const [first] = (await read<Page<Record<string, string>>>(path)).data;
          expect(first?.[field]).toMatch(/\w/);
          await expect.poll(() => wordsOf(walk, list)).toContain(first?.[field]);
        }
        expect(await axeFindings(walk.page)).toEqual([]);
      }));

    test('to tests of a proxy now', () =>
      walk(async (walk) => {
        await walk.click(walk.link('#proxies', FAULTY_PROXY));
        await walk.click(walk.page.getByRole('button', { name: `Test now: ${FAULTY_PROXY}` }));
        await walk.page.getByRole('dialog').getByText('Price: ').waitFor();
      }));

    test('at once to the silences: who silenced, and until when', async () => {
      const headers = { 'content-type': 'application/json' };
      const comment = `Anna replaces it, ${width}`;
      const body = JSON.stringify({ alert: 'ProxyFailing', for: '2h', comment });
      const response = await fetch(`${small.url}api/v1/silences`, { method: 'POST', headers, body });
      const { ends_at: end } = (await response.json()) as Silence;
      await walk(async (walk) => {
        const row = walk.page.locator('#silence-list tbody tr').filter({ hasText: comment });
        await expect.poll(() => row.innerText()).toContain(end.slice(0, 16).replace('T', ' '));
      });
    });
  });

  describe('while most proxies fail', () => {
    let world: WalkWorld;
    beforeAll(async () => {
      world = await startProviderOutage();
    }, 300_000);
    afterAll(() => world[Symbol.asyncDispose]());
    const walkOf = (width: number, steps: (walk: Walk) => Promise<void>) =>
      Walk.from(small.browser, world.url, steps, { viewport: { width, height: 900 } });

    test.each(WIDTHS)('says at once that the provider is at fault, at %i px', async (width) => {
      const { data } = await answerOf<{ data: { kind: string; reason: string }[] }>(
        world.url,
        'faults?account=main',
      );
      expect(data.map(({ kind }) => kind)).toEqual(['provider']);
      await walkOf(width, async (walk) => {
        const row = walk.page.locator('#alert-list tbody tr').filter({ hasText: 'The provider fails' });
        await walk.click(row.locator('summary'));
        await expect.poll(() => row.innerText()).toContain(data[0]?.reason);
        expect(await axeFindings(walk.page)).toEqual([]);
      });
    });

    test.each(WIDTHS)('says at once why a collector fails, at %i px', async (width) => {
      const { accounts } = await answerOf<Status>(world.url, 'status');
      const failing = accounts[0]?.collectors.find(({ name }) => name === 'residential_ledger');
      const message = failing?.error?.message ?? 'an error';
      await walkOf(width, ({ page }) => page.locator('#collector-list').getByText(message).waitFor());
    });

    test.each(WIDTHS)(
      'says on the page of a proxy that the provider is at fault, at %i px',
      async (width) => {
        const id = proxyId(2);
        const verdict = await answerOf<Verdict>(world.url, `accounts/main/proxies/${id}`);
        expect(verdict.verdict).toBe('provider_at_fault');
        await walkOf(width, async (walk) => {
          await walk.click(walk.link('nav.views', 'Tested proxies'));
          await walk.page.getByRole('searchbox', { name: /^Search tested proxies/ }).fill(id);
          await walk.click(walk.link('#items', id));
          await walk.expectVerdict(id, verdict);
        });
      },
    );

    test.each(WIDTHS)('leads from the alert ProviderOutage to its reason, at %i px', async (width) => {
      const { data } = await answerOf<{ data: { summary: string }[] }>(
        world.url,
        'alerts/notices?alert=ProviderOutage',
      );
      const [{ summary } = { summary: '' }] = data;
      expect(summary).toMatch(/proxies .*fail|fail.* proxies/i);
      await walkOf(width, async (walk) => {
        await walk.openCause(/provider fails/i, 'ProviderOutage');
        await expect.poll(() => walk.page.locator('#active-list').innerText()).toContain(summary);
      });
    });
  });
});
