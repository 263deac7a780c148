// Tests what the pages of long lists request for the reader's choices, and how they show changes of the inventory.

import { afterEach, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { API_ROUTES } from '../../src/http/api/routes.ts';
import type { Customer, InventoryChange, Product, Quote, Service } from '../../src/page/answers.ts';
import { pathOf } from '../../src/page/pages/list-page.ts';
import { LIST_PAGES, LISTS } from '../../src/page/pages/lists.ts';
import { changeTable } from '../../src/page/views/failures.ts';
import { customerView, productTable, quoteTable, serviceTable } from '../../src/page/views/market.ts';
import { SERVICE_TYPE_WORDS } from '../../src/provider/documented-answers/words.ts';
import { textOf } from './overview-support.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Returns the parameters of the request for an address of the page. */
const requested = (view: keyof typeof LISTS, search: string): Record<string, string> => {
  vi.stubGlobal('location', { search });
  const [, query] = pathOf<never>(LISTS[view] as never, { account: 'main' }, 25).split('?');
  const { account: _, limit: __, ...parameters } = Object.fromEntries(new URLSearchParams(query));
  return parameters;
};

it.each(['inventory', 'services'] as const)('finds a country of %s as the table shows it', (view) => {
  expect(requested(view, '?country_id=US&status=Active')).toEqual({ country_id: 'us', status: 'Active' });
});

it('only the id of a proxy is free text: all other filters have known values', () => {
  for (const [view, { filters }] of Object.entries(LISTS)) {
    const content = LIST_PAGES[view as keyof typeof LISTS].content({
      account: 'main',
      view: 'users',
      id: '',
    });
    for (const { name, values } of filters) {
      expect([view, name, values === null]).toEqual([view, name, name === 'proxy_id']);
      if (values !== null) expect(content.toString()).toContain(`<select id="${name}">`);
      if (values !== 'answered') continue;
      const route = API_ROUTES.find(({ path }) => path === `/${LISTS[view as keyof typeof LISTS].path}`);
      expect((route?.answer as z.ZodObject | undefined)?.shape).toHaveProperty('filter_values');
    }
  }
});

it('searches failed tests and changes of the inventory', () => {
  for (const view of ['failures', 'changes'] as const) {
    expect(requested(view, '?q=Lon&proxy_id=Fr-1')).toEqual({ q: 'Lon', proxy_id: 'Fr-1' });
    expect(LIST_PAGES[view].content({ account: 'main', view, id: '' }).toString()).toContain(
      'type="search" id="q"',
    );
  }
});

it('the API has every search, filter and order of the pages, and every value of a filter', () => {
  for (const { path, searched, filters, sorts, columns } of Object.values(LISTS)) {
    const query = API_ROUTES.find((route) => route.path === `/${path}`)?.query ?? {};
    const used = [...(searched === null ? [] : ['q']), ...filters.map(({ name }) => name)];
    expect([path, ...used.filter((name) => !(name in query))]).toEqual([path]);
    for (const sort of Object.keys(sorts))
      expect([path, query.sort?.safeParse(sort).success]).toEqual([path, true]);
    const choices = filters.flatMap(({ name, values }) =>
      Object.keys(values ?? {}).map((value) => ({ [name]: value })),
    );
    for (const choice of choices)
      for (const [name, value] of Object.entries(choice))
        expect([path, choice, query[name]?.safeParse(value).success]).toEqual([path, choice, true]);
    // The columns depend on the filters, and so do the headings that sort.
    for (const choice of [{}, ...choices])
      for (const { sort } of columns(choice, 0))
        if (sort !== undefined) expect([path, sort in sorts || `-${sort}` in sorts]).toEqual([path, true]);
  }
});

it('services that were sold outside of the catalog can be selected by their type', () => {
  const types = LISTS.services.filters.find(({ name }) => name === 'product_type')?.values;
  expect(Object.keys(types ?? {}).toSorted()).toEqual([...(SERVICE_TYPE_WORDS.words ?? [])].toSorted());
});

it('products show their stock, also if it is unlimited or unknown', () => {
  const product = { product_code: 'isp_gb', country_id: 'gb', is_available: true, is_listed: true };
  const cells = [
    { stock: 1_200, is_stock_unlimited: false, cell: '1,200' },
    { stock: null, is_stock_unlimited: true, cell: 'unlimited' },
    { stock: null, is_stock_unlimited: false, cell: '–' },
  ];
  for (const { cell, ...stock } of cells)
    expect(productTable([{ ...product, ...stock } as Product]).toString()).toContain(`>${cell}<`);
});

it('prices and credit have the currency of the account', () => {
  const blank = { quantity: null, proxies_in_use: null, expires_at: null, country_id: null };
  const service = { ...blank, service_id: 'API-1' };
  const priced = { ...service, price: 12_45, currency: 'EUR', cycle: '1:month' } as Service;
  expect(serviceTable([priced], 0).toString()).toContain('EUR 12.45');
  const quote = { quote: 'a', state: 'valid', reason: null, price: 3_50, currency: 'EUR' } as const;
  const shown = quoteTable([{ ...quote, list_price: 4_00, credit_balance: 70 } as Quote]).toString();
  for (const money of ['EUR 3.50', 'EUR 4.00', 'EUR 0.70']) expect(shown).toContain(`>${money}<`);
});

it('the customer has credit, limits, and only what is paused or pending', () => {
  const known = {
    credit: 4_200,
    currency: 'EUR',
    proxies: 25,
    proxy_user_limit: null,
    kyc_level: 'verified',
  };
  const calm = {
    is_kyc_pending: false,
    is_trial_pending: null,
    is_residential_paused: false,
    is_mobile_paused: null,
  };
  const shown = (more: object) => textOf(customerView({ ...known, ...calm, ...more } as Customer));
  expect(shown({})).toBe('Store credit EUR 42.00 Proxies 25 Proxy users, at most – Verification verified');
  expect(shown({ is_kyc_pending: true, is_mobile_paused: true })).toContain(
    'Verification pending Mobile service paused',
  );
  expect(customerView(undefined).toString()).toBe('');
});

it('proxy users of one type can be sorted by the headings of their quota', () => {
  const sortsOf = (choice: Readonly<Record<string, string>>) =>
    LISTS.users.columns(choice, 0).flatMap(({ sort }) => sort ?? []);
  expect(sortsOf({})).toEqual(['id']);
  for (const product_type of ['residential', 'mobile'])
    expect(sortsOf({ product_type })).toEqual(['id', 'state', '-used_ratio', 'left_bytes', 'urgency']);
});

it('no list has a column of the account, which all its items have', () => {
  for (const { columns } of Object.values(LISTS))
    expect(columns({}, 0).map(({ name }) => name)).not.toContain('Account');
});

it.each(['failures', 'changes', 'history'] as const)(
  'an empty list of %s says what is not stored',
  (view) => {
    expect(LISTS[view].noItems).toMatch(/^(proxywatch has|The history has) (stored )?no /);
  },
);

it('the list of tested proxies can be sorted by own uptime', () => {
  const own = LISTS.proxies.columns({}, 0).find(({ name }) => name === 'Own uptime, 24 h');
  expect(own?.sort).toBe('own_uptime_24h');
});

it('names the network, city and proxy of a change before their ids, and calls the change as the filter does', () => {
  const rowWith = (
    reason: string | null,
    change: InventoryChange['change'],
    ...[before, after]: (string | null)[][]
  ): string => {
    const [old, current] = [before ?? [], after ?? []];
    const item = {
      account: 'main',
      at: '2026-03-01T12:00:00Z',
      proxy_id: 'fr-1',
      ip_address: null,
      change,
      reason,
    };
    const values = { before: old[0] ?? null, after: current[0] ?? null };
    const names = { before_name: old[1] ?? null, after_name: current[1] ?? null };
    return textOf(changeTable([{ ...item, ...values, ...names }]));
  };
  const rowOf = rowWith.bind(null, null);
  expect(rowWith('ip_reputation', 'gone', ['192.0.2.1'])).toMatch(/ Removed ip reputation fr-1 192/);
  expect(rowOf('asn', ['64510'], ['64501'])).toMatch(/ Network fr-1 AS64510 AS64501 fr-1$/);
  expect(rowOf('city', ['201'], ['202'])).toMatch(/ City fr-1 city id 201 city id 202 fr-1$/);
  expect(rowOf('city', ['201', 'Paris'], ['202', 'Lyon'])).toMatch(
    / City fr-1 Paris city id 201 Lyon city id 202 fr-1$/,
  );
  expect(rowOf('asn', ['64510', 'Example'], ['64501'])).toMatch(/ Example AS64510 AS64501 fr-1$/);
  expect(rowOf('address', ['192.0.2.1'], ['192.0.2.2'])).toMatch(
    / Address fr-1 192\.0\.2\.1 192\.0\.2\.2 fr-1$/,
  );
  expect(rowOf('gone', ['192.0.2.1'])).toMatch(/ Removed fr-1 192\.0\.2\.1 – fr-1$/);
  expect(rowOf('appeared', [], ['192.0.2.1'])).toMatch(/ Appeared fr-1 – 192\.0\.2\.1 fr-1$/);
});

it('the inventory has the address and the city first, and the id last', () => {
  const names = LISTS.inventory.columns({}, 0).map(({ name }) => name);
  expect([names[0], names[2], names.at(-1)]).toEqual(['Address', 'City', 'Id']);
});
