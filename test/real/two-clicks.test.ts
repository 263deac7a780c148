// Tests that the status page answers each question of its readers within two clicks, for a small and a large account.

import { isDeepStrictEqual } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { proxyAddress } from '../../src/simulator/identities.ts';
import { openBrowser } from './browser.ts';
import { BLOCKED_TARGET, FAILING_TESTER, LARGE_SUBJECTS, proxyId } from './large-page.ts';
import { addressesOf, costOf } from './views.ts';
import { answerOf, type Verdict, Walk } from './walk-steps.ts';
import { NAMED_PROXY, startDemo, startLargeWorld, startSmallWorld, type WalkWorld } from './walk-world.ts';
import { describeWith } from './with-programs.ts';

const ACCOUNTS = [
  ['the demo', startDemo],
  ['the provider of the demo with failing targets and testers', startSmallWorld],
  ['100,000 users and 10,000 proxies', startLargeWorld],
] as const;

const SOUND_PROXY = proxyId(1);

/** Independent of how long the account's lists are. The overview has several lists. */
const OVERVIEW_LIMITS = { rows: 200, elements: 4_000, items: 100, bytes: 150_000 };
const LIMITS = { rows: 60, elements: 1_500, items: 100, bytes: 120_000 };

const SUBJECTS = {
  target: [`targets/${BLOCKED_TARGET}`, BLOCKED_TARGET, 'target_at_fault'],
  tester: [`testers/${FAILING_TESTER}`, FAILING_TESTER, 'tester_at_fault'],
} as const;

interface UserAnswer {
  readonly quotas: Readonly<Record<string, Forecast>>;
}

interface Forecast {
  readonly exhausted_at: string | null;
  readonly exhausted_earliest_at: string | null;
  readonly exhausted_latest_at: string | null;
}

/** The states of users that have bytes left, the most urgent first. */
const STATES = ['low', 'soon', 'ok'] as const;

/** Returns a user at the beginning of a list who runs out. Which states users have depends on the time of day. */
const userThatRunsOut = async ({ url, account }: WalkWorld): Promise<string[]> => {
  for (const state of STATES) {
    const query = `users?account=${account}&product_type=residential&state=${state}&limit=20`;
    const { data } = await answerOf<{ data: (UserAnswer & { proxy_user_id: string })[] }>(url, query);
    const found = data.find(({ quotas }) =>
      Object.values(quotas).some(({ exhausted_at: at }) => at !== null),
    );
    if (found) return [state, found.proxy_user_id];
  }
  throw new Error('no user runs out');
};

/** The texts of the ends of a forecast, as the page shows them in UTC. */
const datesOf = ({ exhausted_at, exhausted_earliest_at, exhausted_latest_at }: Forecast): string[] =>
  [exhausted_at, exhausted_earliest_at, exhausted_latest_at].flatMap((at) => at?.slice(0, 10) ?? []);

describeWith(['chromium'], 'the page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  describe.each(ACCOUNTS)('over %s', (_, start) => {
    let world: WalkWorld;
    beforeAll(async () => {
      world = await start();
    }, 300_000);
    afterAll(() => world[Symbol.asyncDispose]());

    // The targets and testers of the demo fail only at some times.
    const isDemo = start === startDemo;

    // The small accounts have no long lists.
    const longLists = start !== startLargeWorld ? [] : [...addressesOf('', 'main', LARGE_SUBJECTS)];
    test.each(longLists)('holds no long list whole in the view %s', async (view, address) => {
      const limits = view === 'account' ? OVERVIEW_LIMITS : LIMITS;
      const cost = await costOf(browser, `${world.url}${address}`);
      expect(cost.rows).toBeLessThanOrEqual(limits.rows);
      expect(cost.elements).toBeLessThanOrEqual(limits.elements);
      expect(cost.longestList.items, cost.longestList.path).toBeLessThanOrEqual(limits.items);
      expect(cost.largestAnswer.bytes, cost.largestAnswer.path).toBeLessThanOrEqual(limits.bytes);
    });

    describe.each([1280, 390])('at %i px', (width) => {
      const walkThrough = (steps: (walk: Walk) => Promise<void>) =>
        Walk.from(browser, world.url, steps, { viewport: { width, height: 844 } });

      test('says that a proxy is at fault', async () => {
        const { account, faultyProxy: id } = world;
        const verdict = await answerOf<Verdict>(world.url, `accounts/${account}/proxies/${id}`);
        expect(verdict.verdict).toBe('proxy_at_fault');
        await walkThrough(async (walk) => {
          await walk.click(walk.link('#proxies', id));
          await walk.expectVerdict(id, verdict);
        });
      });

      test('leads from the alert ProxyFailing to the verdict about its proxy', async () => {
        const { account, faultyProxy: id } = world;
        const verdict = await answerOf<Verdict>(world.url, `accounts/${account}/proxies/${id}`);
        await walkThrough(async (walk) => {
          await walk.openCause(/prox(y is|ies are) at fault/i, id);
          await walk.expectVerdict(id, verdict);
        });
      });

      test.each(isDemo ? [] : (Object.keys(SUBJECTS) as (keyof typeof SUBJECTS)[]))(
        'says that a %s is at fault',
        async (kind) => {
          const [path, subject, word] = SUBJECTS[kind];
          const verdict = await answerOf<Verdict>(world.url, `accounts/main/${path}`);
          expect(verdict.verdict).toBe(word);
          await walkThrough(async (walk) => {
            await walk.click(walk.page.getByText('Targets and testers'));
            await walk.click(walk.link(`#${kind}s`, subject));
            await walk.expectVerdict(subject, verdict);
          });
        },
      );

      test.each(isDemo ? [] : [SOUND_PROXY])(
        'says that the sound proxy %s fails because of others',
        async (id) => {
          const verdict = await answerOf<Verdict>(world.url, `accounts/main/proxies/${id}`);
          expect(verdict.verdict).toMatch(/^(tester|target)_at_fault$/);
          await walkThrough(async (walk) => {
            await walk.click(walk.link('nav.views', 'Tested proxies'));
            await walk.page.getByRole('searchbox', { name: /^Search tested proxies/ }).fill(id);
            await walk.click(walk.link('#items', id));
            await walk.expectVerdict(id, verdict);
          });
        },
      );

      // Only the small account has a proxy with two names.
      test.each(start === startSmallWorld ? [NAMED_PROXY] : [])(
        'says who a proxy of the inventory is that the configuration calls otherwise',
        async ({ name, index }) => {
          const { host } = proxyAddress(index);
          const verdict = await answerOf<Verdict>(world.url, `accounts/main/proxies/${name}`);
          await walkThrough(async (walk) => {
            await walk.click(walk.link('nav.views', 'Inventory'));
            await walk.page.getByRole('searchbox', { name: /^Search/ }).fill(host);
            const rows = walk.page.locator('#items tbody tr').filter({ hasText: host });
            await expect.poll(() => walk.page.locator('#items tbody tr').count()).toBe(1);
            await walk.click(rows.getByRole('link').first());
            await walk.expectVerdict(name, verdict);
            await expect.poll(() => walk.page.locator('#inventory-facts').innerText()).toContain('Network');
          });
        },
      );

      test.each(isDemo ? [] : [BLOCKED_TARGET])(
        'leads from an alert to the verdict about target %s',
        async (target) => {
          const verdict = await answerOf<Verdict>(world.url, `accounts/main/targets/${target}`);
          await walkThrough(async (walk) => {
            await walk.openCause(/targets? fails?/i, target);
            await walk.expectVerdict(target, verdict);
          });
        },
      );

      test('shows the users that use the most bytes, and since when', async () => {
        await walkThrough(async (walk) => {
          const users = walk.page.locator('#top-users tbody th');
          await walk.click(walk.page.locator('summary', { hasText: 'Proxy users with the most bytes' }));
          await users.first().waitFor();
          let ids: string[] = [];
          // The demo may list its users between the two answers.
          const isSame = async (): Promise<boolean> => {
            const { data } = await answerOf<{ data: { proxy_user_id: string }[] }>(
              world.url,
              `users/use?account=${world.account}&hours=24&limit=10`,
            );
            ids = data.map(({ proxy_user_id: id }) => id);
            return isDeepStrictEqual(await users.allInnerTexts(), ids);
          };
          await expect.poll(isSame).toBe(true);
          await walk.click(walk.link('#top-users', ids[0] ?? ''));
          await walk.expectPlot('use-plot');
          await expect.poll(() => walk.page.locator('#use-plot .per').innerText()).toBe('per hour');
          expect(await walk.page.locator('#use-totals').innerText()).toMatch(
            /Residential\s+[\d.]+ [kMGT]?B[\s\S]*Whole hours, from \d.* to \d/,
          );
        });
      });

      test('says when a proxy user runs out, and how certain that is', async () => {
        await walkThrough(async (walk) => {
          const [state = '', id = ''] = await userThatRunsOut(world);
          await walk.click(walk.page.locator(`#quota-states a[href$="state=${state}"]`).first());
          await walk.click(walk.link('#items', id));
          await walk.page.getByRole('heading', { level: 1, name: id }).waitFor();
          // The demo may poll its users between the two answers.
          const missingDates = async (): Promise<string[]> => {
            const user = await answerOf<UserAnswer>(world.url, `accounts/${world.account}/users/${id}`);
            const forecasts = Object.values(user.quotas).filter(({ exhausted_at: at }) => at !== null);
            const text = await walk.page.locator('#user tbody').innerText();
            return forecasts.length === 0
              ? ['no forecast']
              : forecasts.flatMap(datesOf).filter((date) => !text.includes(date));
          };
          await expect.poll(missingDates).toEqual([]);
        });
      });

      test('says when the residential balance runs out, and how certain that is', async () => {
        await walkThrough(async (walk) => {
          const missingDates = async (): Promise<string[]> => {
            const query = `ledger?account=${world.account}`;
            const { data } = await answerOf<{ data: { balance: Forecast }[] }>(world.url, query);
            const dates = data.flatMap(({ balance }) => datesOf(balance));
            const text = await walk.page.locator('#balance-now').innerText();
            return dates.length < 2 ? ['no forecast'] : dates.filter((date) => !text.includes(date));
          };
          await expect.poll(missingDates).toEqual([]);
        });
      });
    });
  });
});
