// Tests the pages of subjects in a browser while their data is old, and while it was never read.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { addressOf, type ViewName } from '../../src/page/address.ts';
import { ApiHarness } from '../http/api/api-harness.ts';
import { openBrowser, unendedSentences, visit } from './browser.ts';
import { servePage } from './serve-page.ts';
import { waitUntilDrawn } from './views.ts';
import { describeWith } from './with-programs.ts';

interface World {
  readonly api: ApiHarness;
  /** The address of the page. */
  readonly url: string;
}

interface WorldOptions {
  readonly account?: Record<string, unknown>;
  /** How old the data is when the page shows it (ms). */
  readonly ageMs?: number;
}

const startWorld = async (
  stack: AsyncDisposableStack,
  { account = {}, ageMs = 0 }: WorldOptions,
): Promise<World> => {
  const api = stack.use(await ApiHarness.build({}, account));
  await api.run(2);
  api.harness.clock.advance(ageMs);
  return { api, url: await servePage(stack, api.harness) };
};

describeWith(['chromium'], 'the page of a subject', () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await stack.disposeAsync();
  });

  /** Returns the text of each of these elements. */
  const textsOf = async (
    { api, url }: World,
    view: ViewName,
    id: string,
    elements: readonly string[],
    prepare: (page: Page) => Promise<void> = async () => {},
  ) => {
    await using visited = await visit(browser, 'about:blank');
    const { page } = visited;
    await prepare(page);
    await page.clock.setFixedTime(api.harness.clock.now());
    await page.goto(url + addressOf({ account: 'main', view, id }));
    await waitUntilDrawn(page);
    expect(await unendedSentences(page)).toEqual([]);
    return Object.fromEntries(
      await Promise.all(
        elements.map(async (name) => [name, await page.locator(`#${name}`).innerText()] as const),
      ),
    );
  };

  describe('whose data is two days old', () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld(stack, { ageMs: 2 * DAY });
    });

    const firstOf = async (list: string, key: string): Promise<string> =>
      String((await world.api.items(`${list}?limit=1`))[0]?.[key]);
    const STALE = expect.stringMatching(/^! Stale The data is from 2 d ago\./);
    const BRIEF = expect.stringMatching(/^! Stale/);

    test('a proxy user', async () => {
      const id = await firstOf('users', 'proxy_user_id');
      expect(await textsOf(world, 'user', id, ['user', 'use-totals'])).toEqual({
        ...{ user: STALE, 'use-totals': BRIEF },
      });
    });

    test('a service', async () => {
      const id = await firstOf('services', 'service_id');
      expect(await textsOf(world, 'service', id, ['service', 'proxy-list'])).toEqual({
        ...{ service: STALE, 'proxy-list': BRIEF },
      });
    });

    test('a tested proxy', async () => {
      const shown = await textsOf(world, 'proxy', 'fr-2', ['subject', 'test-note', 'inventory-facts']);
      expect(shown).toEqual({ subject: STALE, 'test-note': BRIEF, 'inventory-facts': STALE });
    });

    test('a proxy of the inventory that is not tested', async () => {
      const untested = (await world.api.items('inventory')).at(-1)?.proxy_id;
      const shown = await textsOf(world, 'proxy', String(untested), ['subject', 'inventory-facts']);
      expect(shown).toEqual({
        subject: 'proxywatch knows no tests of a proxy with this name.',
        'inventory-facts': expect.stringMatching(/^! Stale The data is from 2 d ago\.[\s\S]*Network/),
      });
    });
  });

  describe('whose collectors are off', () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld(stack, {
        account: { inventory: false, proxy_users: false, services: false },
      });
    });

    test('a tested proxy', async () => {
      expect(await textsOf(world, 'proxy', 'fr-1', ['inventory-facts'])).toEqual({
        'inventory-facts': expect.stringMatching(
          /^– Not monitored The inventory collector is off for this account\.\s+The tester of the newest result saw:\s+(Address|Place|Network)\s+\w/,
        ),
      });
    });

    test.each([
      ['was not read yet', { state: 'no_data' }, '– No data yet'],
      ['cannot be read', null, 'It is unknown whether the inventory has this proxy.'],
    ])('a tested proxy while the inventory %s', async (_, freshness, words) => {
      const changeAnswer = async (page: Page): Promise<void> => {
        await page.route(
          (url) => url.pathname.endsWith('/inventory/changes'),
          async (route) => {
            if (freshness === null) return route.fulfill({ status: 500, json: { error: 'a test' } });
            const answer = await (await route.fetch()).json();
            const changed = { ...answer.freshness[0], ...freshness };
            return route.fulfill({ json: { ...answer, freshness: [changed] } });
          },
        );
      };
      const shown = await textsOf(world, 'proxy', 'fr-1', ['inventory-facts'], changeAnswer);
      expect(shown['inventory-facts']).toContain(words);
      expect(shown['inventory-facts']).toMatch(/newest result saw:\s+(Address|Place|Network)\s+\w/);
      expect(shown['inventory-facts']).not.toContain('does not have');
    });

    test('a proxy user and a service', async () => {
      expect(await textsOf(world, 'user', 'user-000001', ['user'])).toEqual({
        user: expect.stringMatching(/^– Not monitored The proxy_users collector is off for this account\./),
      });
      expect(await textsOf(world, 'service', 'API-1', ['service'])).toEqual({
        service: expect.stringMatching(/^– Not monitored The services collector is off for this account\./),
      });
    });
  });
});
