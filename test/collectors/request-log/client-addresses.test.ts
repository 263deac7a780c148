// Tests how addresses of clients are read and compared, in drawn worlds with an oracle that knows each address.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clientAddressOptions } from '../../../src/collectors/request-log/addresses.ts';
import { areAnonymous, ClientAddresses } from '../../../src/collectors/request-log/client-addresses.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { ProviderError } from '../../../src/provider/errors.ts';
import type { LogRow } from '../../../src/provider/resources/request-log.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const WINDOW = { from: HOUR, to: 2 * HOUR };

const parse = (allow: readonly string[], store_networks = false) =>
  clientAddressOptions.parse({ allow, store_networks });

/** A client that lists users with their addresses, and hashes a text to itself. */
const contextOf = (
  lists: Readonly<Record<string, readonly string[] | ProviderError>>,
  clock = new FakeClock(0),
) => {
  const asked: string[] = [];
  const get = async (
    _: string,
    { query, schema }: { query: { proxy_user_id: string }; schema?: unknown },
  ) => {
    const id = query.proxy_user_id;
    const list = lists[id] ?? [];
    asked.push(id);
    if (list instanceof ProviderError) throw list;
    const data = [{ proxy_user_id: id, ip_address_authentications: list }];
    const page = { data, item_count: 1, page: 1, per_page: 100, total_count: 1 };
    return (schema as { parse?: (value: unknown) => unknown } | undefined)?.parse?.(page) ?? page;
  };
  const context = {
    ...{ account: { name: 'main' }, clock, signal: new AbortController().signal },
    client: { get, keyedHash: (text: string) => text },
  };
  return { context: context as never, asked };
};

const rowOf = (user: string | null, client: string | null, at = WINDOW.from): LogRow => ({
  ...{
    id: `${user} ${client} ${at}`,
    at,
    productType: 'isp',
    code: 200,
    user,
    hostname: null,
    client,
    bytes: 0,
  },
});

it('an address is known in all its forms, and an IPv6 client is a network of 64 bits', async () => {
  const addresses = new ClientAddresses(parse(['198.51.100.7', '2001:db8:1::/48'], true));
  const { context } = contextOf({});
  const rows = [
    '198.51.100.7',
    '::ffff:198.51.100.7',
    '2001:DB8:1:0:0:0:0:9',
    '2001:db8:2::1',
    '2001:db8:2::2',
  ];
  const { sightings, isWhole } = await addresses.sampleOf(
    context,
    WINDOW,
    rows.map((client) => rowOf('alice', client)),
    true,
  );
  expect(isWhole).toBe(true);
  expect(sightings.map(({ client, isExpected, network }) => [client, isExpected, network])).toEqual([
    ['main 198.51.100.7/32', true, null],
    ['main 2001:db8:1::/64', true, null],
    ['main 2001:db8:2::/64', false, '2001:db8:2::/48'],
  ]);
});

it.each([
  ...['198.51.100', '198.51.100.0/33', 'localhost', '0x7f.1', '', '10/8', '010.0.0.0/8', '0x7f.1/8'],
  ...['::ffff:198.51.100.0/120', '198.51.100.0/24/8'],
])('"%s" is no network', (text) => {
  expect(clientAddressOptions.safeParse({ allow: [text] }).success).toBe(false);
});

it('an IPv6 address stands for its network of 64 bits, in allow and in lists', async () => {
  const { context } = contextOf({ alice: ['2001:db8:3::1'] });
  const addresses = new ClientAddresses(parse(['2001:db8:1::1', '2001:db8:2::/127']));
  const clients = ['2001:db8:1::2', '2001:db8:2::3', '2001:db8:3::4', '2001:db8:4::1', 'fe80::1%eth0.1'];
  const rows = clients.map((client) => rowOf('alice', client));
  const { sightings } = await addresses.sampleOf(context, WINDOW, rows, true);
  expect(sightings.map(({ isExpected }) => isExpected)).toEqual([true, true, true, false]);
});

it('many strangers with one login take no comparison from other users', async () => {
  const { context, asked } = contextOf({});
  const addresses = new ClientAddresses(parse(['198.51.100.0/24']));
  const strangers = Array.from({ length: 30 }, (_, index) => rowOf('alice', `203.0.113.${index}`));
  const sample = await addresses.sampleOf(context, WINDOW, [...strangers, rowOf('bob', '203.0.113.1')], true);
  expect(sample.sightings).toHaveLength(31);
  expect(sample.isWhole).toBe(true);
  expect(asked).toEqual(['alice', 'bob']);
});

it('a window asks for the lists of ten users, and is not whole with more', async () => {
  const { context, asked } = contextOf({});
  const addresses = new ClientAddresses(parse(['198.51.100.0/24']));
  const rows = Array.from({ length: 12 }, (_, index) => rowOf(`u${index}`, '203.0.113.1'));
  const sample = await addresses.sampleOf(context, WINDOW, rows, true);
  expect([sample.sightings.length, sample.isWhole, asked.length]).toEqual([10, false, 10]);
});

it('a list without the address is read again in the next window, and every list after an hour', async () => {
  const clock = new FakeClock(0);
  const lists: Record<string, string[]> = { alice: ['192.0.2.1'] };
  const { context, asked } = contextOf(lists, clock);
  const addresses = new ClientAddresses(parse([]));
  const isExpected = async (client: string) => {
    clock.advance(5 * MINUTE);
    return (await addresses.sampleOf(context, WINDOW, [rowOf('alice', client)], true)).sightings[0]
      ?.isExpected;
  };
  expect(await isExpected('192.0.2.2')).toBe(false);
  lists.alice?.push('192.0.2.2');
  expect(await isExpected('192.0.2.2')).toBe(true);
  expect(await isExpected('192.0.2.1')).toBe(true);
  expect(asked).toHaveLength(2);
  lists.alice?.shift();
  clock.advance(HOUR);
  expect(await isExpected('192.0.2.1')).toBe(false);
});

it('without anything to compare with, users are asked for once an hour', async () => {
  const clock = new FakeClock(0);
  const { context, asked } = contextOf({}, clock);
  const addresses = new ClientAddresses(parse([]));
  for (let minute = 0; minute < 90; minute += 5) {
    const sample = await addresses.sampleOf(context, WINDOW, [rowOf('alice', '192.0.2.2')], true);
    expect(sample.sightings[0]?.isExpected).toBe(null);
    clock.advance(5 * 60_000);
  }
  expect(asked).toHaveLength(2);
});

it.each([
  ['may never be read', new ProviderError('forbidden', 'proxy_user/search', 'no', { status: 403 }), [false]],
  ['cannot be read now', new ProviderError('server', 'proxy_user/search', 'no'), []],
])('if the lists %s, allow alone decides, or a later window', async (_, error, expected) => {
  const { context } = contextOf({ alice: error });
  const addresses = new ClientAddresses(parse(['198.51.100.7']));
  const sample = await addresses.sampleOf(context, WINDOW, [rowOf('alice', '192.0.2.2')], true);
  expect(sample.sightings.map(({ isExpected }) => isExpected)).toEqual(expected);
  expect(sample.isWhole).toBe(expected.length > 0);
  expect(addresses.error).toBe(expected.length > 0 ? undefined : error);
});

const USERS = ['alice', 'bob', 'carol'];
const ADDRESSES = ['198.51.100.1', '198.51.100.2', '203.0.113.1', '203.0.113.2', '192.0.2.1'];
const user = fc.constantFrom(...USERS);
const address = fc.constantFrom(...ADDRESSES);
const world = fc.record({
  allow: fc.subarray([...ADDRESSES, '198.51.100.0/24', '203.0.113.0/31']),
  lists: fc.dictionary(user, fc.subarray(ADDRESSES)),
  uses: fc.array(fc.record({ user: fc.option(user), client: fc.option(address) }), { maxLength: 20 }),
  isWhole: fc.boolean(),
});

it('no expected address is unknown, and a whole sample names all unknown ones', () =>
  fc.assert(
    fc.asyncProperty(world, async ({ allow, lists, uses, isWhole }) => {
      const rows = uses.map(({ user, client }, index) => rowOf(user, client, WINDOW.from + 1_000 * index));
      const isAllowed = (client: string) =>
        allow.some((text) =>
          text === '198.51.100.0/24'
            ? client.startsWith('198.51.100.')
            : text === '203.0.113.0/31'
              ? client === '203.0.113.1'
              : text === client,
        );
      const truth = uses.flatMap(({ user, client }) => {
        if (user === null || client === null) return [];
        const list = lists[user] ?? [];
        if (isAllowed(client) || list.includes(client)) return [];
        return allow.length > 0 || list.length > 0 ? `${user} ${client}` : [];
      });
      const { context } = contextOf(lists);
      const sample = await new ClientAddresses(parse(allow)).sampleOf(context, WINDOW, rows, isWhole);
      const found = sample.sightings
        .filter(({ isExpected }) => isExpected === false)
        .map(({ user, client }) => `${user} ${client.replace('main ', '').replace('/32', '')}`);
      expect(new Set(found)).toEqual(new Set(truth));
      expect(sample.isWhole).toBe(
        isWhole && uses.every(({ user, client }) => user !== null && client !== null),
      );
    }),
  ));

it('a provider that ignores the filter of users says nothing about a list, and others are compared', async () => {
  const { context } = contextOf({ bob: ['192.0.2.1'] });
  interface Options {
    readonly query: { readonly proxy_user_id: string };
  }
  const { client } = context as unknown as {
    client: { get: (endpoint: string, options: Options) => Promise<unknown> };
  };
  const { get } = client;
  const others = { data: [{ proxy_user_id: 'carol', ip_address_authentications: [] }] };
  client.get = async (endpoint, options) =>
    options.query.proxy_user_id === 'alice' ? others : get(endpoint, options);
  const addresses = new ClientAddresses(parse(['198.51.100.7']));
  const rows = ['192.0.2.1', '192.0.2.2'].flatMap((each) => [rowOf('alice', each), rowOf('bob', each)]);
  const { sightings, isWhole } = await addresses.sampleOf(context, WINDOW, rows, true);
  expect(sightings.map(({ user, isExpected }) => [user, isExpected])).toEqual([
    ['bob', true],
    ['bob', false],
  ]);
  expect([isWhole, addresses.error?.kind]).toEqual([false, 'bad_response']);
});

it.each([
  [[], true],
  [[rowOf('alice', null), rowOf(null, '192.0.2.1'), rowOf('alice', '203.0.113.xxx')], true],
  [[rowOf('alice', null), rowOf('alice', '192.0.2.1')], false],
  [[{ ...rowOf(null, '192.0.2.1'), code: 2011 }], false],
  [[{ ...rowOf('alice', null), code: 2011 }, rowOf('alice', null)], true],
])('requests %j are anonymous: %s', (rows, expected) => {
  expect(areAnonymous(rows)).toBe(expected);
});
