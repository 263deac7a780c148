// Tests that the first screen answers what is wrong, since when, whose fault it is, what to do, and who was notified, in
// everyday scenarios of the simulated account.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { User } from '../../src/page/answers.ts';
import { percent } from '../../src/page/format.ts';
import { services } from '../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../src/simulator/simulator.ts';
import { entries, hostOf, LONDON, START, URLS } from '../collectors/proxy-tests/tests-harness.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { Harness } from '../support/harness.ts';
import { axeFindings, openBrowser } from './browser.ts';
import { openAt, servePage } from './serve-page.ts';
import { waitUntilDrawn } from './views.ts';
import { answerOf } from './walk-steps.ts';
import { describeWith } from './with-programs.ts';

/** The folder for the pictures. Without it, they are not kept. */
const PICTURES = process.env.PROXYWATCH_PICTURES;
const SIZES = [
  [1280, 800],
  [390, 844],
] as const;

const ACCOUNT: ScenarioInput = {
  testers: [LONDON, 'frankfurt', 'paris'].map((id) => ({
    id,
    city_id: 100,
    city_name: id,
    country_id: 'gb',
  })),
  ...{ proxies: 12, services: 3 },
  changes: [0, 1, 2].map((subject) => ({
    ...{ kind: 'service', subject },
    set: { service_is_automatic_collection: true, service_expiry_datetime: '2026-08-01 00:00:00' },
  })),
};
const OFTEN = { schedule: '*/10 * * * *' };
const OFF = { traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false };
const TESTS = { ...OFF, proxy_tests: { ...OFTEN, urls: URLS, proxies: entries(12) } };
const USERS = { ...OFF, proxy_users: OFTEN };
const CALM: ScenarioInput = { limits: { unlimited: 1, zero: 0, near: 0, over: 0 } };
const SERVICE_IDS = services(parseScenario(ACCOUNT)).map(({ id }) => id);
const SERVICES = { ...OFF, services: { ...OFTEN, discover: false, ids: SERVICE_IDS } };

interface Scenario {
  readonly account: Readonly<Record<string, unknown>>;
  readonly scenario?: ScenarioInput;
  /** What happens after the first two hours. */
  readonly happens: (simulator: Harness['simulator']) => unknown;
  /** Parts of the row: what, whose fault, what to do first. */
  readonly row: readonly [what: string, fault: string, next: string, ...others: string[]];
  /** What the row below says. */
  readonly below?: string;
}

const SCENARIOS = {
  'a proxy is down': {
    account: TESTS,
    happens: ({ outages }) => outages.add({ kind: 'proxy', subject: hostOf(3) }),
    row: [`1 proxy is at fault`, 'the proxies', 'ask the provider to replace'],
  },
  'a target is down': {
    account: TESTS,
    happens: ({ outages }) => outages.add({ kind: 'target', subject: 'shop.example' }),
    row: ['1 target fails', 'the targets', 'Open them without a proxy'],
  },
  'a tester is down': {
    account: TESTS,
    happens: ({ outages }) => outages.add({ kind: 'tester', subject: LONDON }),
    row: ['1 tester fails', 'the provider’s testers', 'Nothing'],
  },
  'the keys are rejected': {
    ...{ account: USERS, scenario: CALM },
    happens: ({ faults }) => faults.add({ kind: 'status', status: 401 }),
    row: ['The provider rejects the API keys', 'your API keys', 'Compare the keys'],
  },
  'the provider does not answer': {
    ...{ account: USERS, scenario: CALM },
    happens: ({ faults }) => faults.add({ kind: 'status', status: 503 }),
    row: ['The provider does not answer', 'the provider, or your network', 'Check your network'],
  },
  'an endpoint is forbidden': {
    ...{ account: { ...SERVICES, proxy_users: OFTEN }, scenario: CALM },
    happens: ({ faults }) => faults.add({ kind: 'status', status: 403, endpoint: 'service' }),
    row: ['1 endpoint is forbidden, 1 collector fails', 'the rights of your API keys', 'Ask the provider'],
  },
  'quotas are used up': {
    account: USERS,
    happens: () => {},
    row: ['quotas are used up', 'the quotas', 'Raise them'],
  },
  'the balance is used up': {
    account: { ...OFF, residential_ledger: OFTEN },
    scenario: {
      discrepancies: [{ kind: 'ledger_correction', bytes: 10 ** 13, from: '2026-07-06T00:00:00Z' }],
    },
    happens: () => {},
    row: ['The residential balance is used up', 'your balance', 'Buy data'],
  },
  'a service ends tomorrow': {
    account: SERVICES,
    happens: ({ changes }) =>
      changes.add({
        ...{ kind: 'service', subject: 0 },
        set: { service_expiry_datetime: '2026-07-07 22:00:00', service_is_automatic_collection: false },
      }),
    row: ['1 service expires', 'your services', 'Renew'],
  },
  'a service that ends soon lacks proxies, and a proxy is down': {
    account: { ...TESTS, services: SERVICES.services },
    happens: ({ changes, outages }) => {
      changes.add({
        ...{ kind: 'service', subject: 0 },
        set: { service_quantity: 99, service_expiry_datetime: '2026-07-07 22:00:00' },
      });
      outages.add({ kind: 'proxy', subject: hostOf(3) });
    },
    row: ['1 service lacks proxies', 'your services', 'ask the provider for missing proxies', 'Urgent'],
    below: '1 proxy is at fault',
  },
  'a product is out of stock': {
    account: { ...OFF, catalog: { ...OFTEN, alert_on: ['isp_gb'] } },
    happens: ({ changes }) => changes.add({ kind: 'product', subject: 'isp_gb', set: { product_stock: 0 } }),
    row: ['1 product is out of stock', 'the provider’s stock', 'Order another product'],
  },
} satisfies Readonly<Record<string, Scenario>>;

const build = ({ account, scenario }: Scenario, receiver: FakeReceiver): Promise<Harness> =>
  Harness.build({
    now: START,
    scenario: { ...ACCOUNT, ...scenario },
    account,
    alerts: {
      receivers: [
        { type: 'webhook', name: 'pager', url: receiver.url, min_severity: 'info', group_wait: '0s' },
      ],
    },
  });

/** Longer steps would look like a daemon that was stopped. */
const pass = async (harness: Harness, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += MINUTE) await harness.advance(MINUTE);
};

/** Returns the visible text of an element as far as it is on the first screen. */
const firstScreenOf = async (page: Page, height: number): Promise<string> => {
  const row = page.locator('#alert-list tbody tr').first();
  const { y = 0, height: rowHeight = 0 } = (await row.boundingBox()) ?? {};
  expect(y + rowHeight).toBeLessThanOrEqual(height);
  return row.innerText();
};

/** Clicks each link of the sentence at the top, and expects to see what it leads to. */
const followHeadline = async (page: Page): Promise<void> => {
  const links = page.locator('.headline a');
  for (let index = 0; index < (await links.count()); index += 1) {
    const [, hash] = /^#(.*)/.exec((await links.nth(index).getAttribute('href')) ?? '') ?? [];
    await links.nth(index).click();
    await page.locator(hash === undefined ? 'body:not([data-view=account]) h1' : `#${hash}`).waitFor();
    await waitUntilDrawn(page);
    expect(await page.locator('#content.unknown').count()).toBe(0);
    if (hash === undefined) await page.goBack();
    await waitUntilDrawn(page);
  }
};

/** Returns how many quotas of both types the section about quotas counts as used up. */
const exhaustedIn = async (page: Page): Promise<number> => {
  const counts = page.locator('#quota-states li', { hasText: 'Exhausted' }).getByRole('link');
  const numbers = (await counts.allInnerTexts()).map((text) => Number.parseInt(text, 10));
  return numbers.reduce((sum, number) => sum + number, 0);
};

describeWith(['chromium'], 'the first screen', () => {
  let browser: Browser;
  let receiver: FakeReceiver;
  beforeAll(async () => {
    [browser, receiver] = await Promise.all([openBrowser(), FakeReceiver.start()]);
    if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
  });
  afterAll(async () => {
    await browser.close();
    await receiver[Symbol.asyncDispose]();
  });

  test.each<[string, Scenario]>(Object.entries(SCENARIOS))('answers all when %s', async (name, scenario) => {
    await using stack = new AsyncDisposableStack();
    const harness = stack.use(await build(scenario, receiver));
    await pass(harness, HOUR);
    scenario.happens(harness.simulator);
    await pass(harness, 2 * HOUR);
    const url = await servePage(stack, harness);
    for (const size of SIZES) {
      await using visited = await openAt(browser, url, harness.clock.now(), size);
      const { page, problems } = visited;
      const text = await firstScreenOf(page, size[1]);
      for (const part of scenario.row) expect(text).toContain(part);
      if (scenario.below)
        await page.locator('#alert-list tbody tr', { hasText: scenario.below }).nth(0).waitFor();
      expect(await page.locator('#alert-list tbody td[data-label="Since"]').first().innerText()).toMatch(
        /\d+ (min|h) ago/,
      );
      expect(text).toMatch(/pager \d+ (s|min|h) ago/);
      const headline = await page.locator('.headline').innerText();
      expect(headline).toContain(scenario.row[0]);
      if (name === 'quotas are used up')
        expect(Number(/\d+/.exec(headline)?.[0])).toBe(await exhaustedIn(page));
      const servicesLink = page.getByRole('link', { name: 'All services' });
      expect(await servicesLink.count()).toBe(Number('services' in scenario.account));
      if (scenario.row[1] === 'your services')
        expect(await page.locator('#services .badge').first().getAttribute('class')).toBe('badge bad');
      expect(await axeFindings(page)).toEqual([]);
      expect(problems.filter((each) => !each.startsWith(`request to ${url}`))).toEqual([]);
      const [width] = size;
      if (PICTURES !== undefined)
        await page.screenshot({ path: join(PICTURES, `${name.replaceAll(' ', '-')}-${width}.png`) });
      await followHeadline(page);
    }
  });

  test('is green if everything that is monitored works, and says what is not monitored', async () => {
    await using stack = new AsyncDisposableStack();
    const harness = stack.use(await build({ ...SCENARIOS['quotas are used up'], scenario: CALM }, receiver));
    await pass(harness, HOUR);
    const url = await servePage(stack, harness);
    for (const size of SIZES) {
      await using visited = await openAt(browser, url, harness.clock.now(), size);
      const { page } = visited;
      expect(await page.locator('.headline').innerText()).toBe('✓ OK Everything that is monitored works.');
      expect(await page.getByText('Not monitored:').innerText()).toMatch(/^Not monitored: traffic, /);
      expect(await axeFindings(page)).toEqual([]);
    }
  });

  test('has the users with the largest share used first, before there is a forecast', async () => {
    await using stack = new AsyncDisposableStack();
    const scenario = { limits: { unlimited: 0, zero: 0, near: 0.05, over: 0 } };
    const harness = stack.use(await build({ ...SCENARIOS['quotas are used up'], scenario }, receiver));
    const url = await servePage(stack, harness);
    const { data } = await answerOf<{ data: User[] }>(url, 'users?account=main&limit=100');
    const ratios = data.map(({ quotas }) => quotas.residential.used_ratio ?? 0);
    const largest = ratios.toSorted((one, other) => other - one).slice(0, 3);
    expect(new Set(largest.map(percent)).size).toBeGreaterThan(1);
    for (const size of SIZES) {
      await using visited = await openAt(browser, url, harness.clock.now(), size);
      const list = visited.page.locator('#quota-list');
      const shares = await list.locator('.bar-words').allInnerTexts();
      expect(shares.map((text) => text.split(' ')[0])).toEqual(largest.map(percent));
      expect(await list.getByText('no forecast yet').count()).toBe(3);
      expect(await axeFindings(visited.page)).toEqual([]);
    }
  });

  test('says who works on an alert, and since when', async () => {
    await using stack = new AsyncDisposableStack();
    const scenario = SCENARIOS['a proxy is down'];
    const harness = stack.use(await build(scenario, receiver));
    await pass(harness, HOUR);
    scenario.happens(harness.simulator);
    await pass(harness, HOUR);
    const url = await servePage(stack, harness);
    const body = JSON.stringify({ alert: 'ProxyFailing', until_resolved: true, comment: 'Anna is on it' });
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(`${url}api/v1/silences`, { method: 'POST', headers, body });
    expect(status).toBe(200);
    await pass(harness, HOUR);
    for (const size of SIZES) {
      await using visited = await openAt(browser, url, harness.clock.now(), size);
      const text = await firstScreenOf(visited.page, size[1]);
      expect(text).toContain(scenario.row[0]);
      expect(text).toMatch(/Anna is on it, since 60 min ago[\s\S]*In work/);
      expect(await axeFindings(visited.page)).toEqual([]);
      await visited.page.locator('nav.views').getByRole('link', { name: 'Alert history' }).click();
      await visited.page.locator('#items tbody tr', { hasText: /ProxyFailing.*pager \d{4}-/s }).waitFor();
    }
  });
});
