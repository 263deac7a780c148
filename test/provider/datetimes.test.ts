// Tests that all forms of datetimes are read, by a property and by each resource of the simulated provider.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CreationTimes, userTimesOf } from '../../src/collectors/proxy-users/user-times.ts';
import { Secret } from '../../src/lib/secret.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { readGraph } from '../../src/provider/resources/analytics.ts';
import { readInventory } from '../../src/provider/resources/inventory.ts';
import { readLedger } from '../../src/provider/resources/ledger.ts';
import { createTestRun } from '../../src/provider/resources/proxy-tests.ts';
import { readProxyUsers } from '../../src/provider/resources/proxy-users.ts';
import { readService } from '../../src/provider/resources/services.ts';
import {
  formatLocal,
  instantIn,
  instantOf,
  parseLocal,
  resolveBucketStarts,
} from '../../src/provider/time.ts';
import { services } from '../../src/simulator/identities.ts';
import { DATETIME_FORMS, type DatetimeForm } from '../../src/simulator/local-time.ts';
import { parseScenario } from '../../src/simulator/scenario.ts';
import type { UserObservation } from '../../src/store/user-store.ts';
import { openAccount, readAll, type SimulatedAccount } from '../support/simulated-account.ts';

const BERLIN = 'Europe/Berlin';
const YEAR = { min: Date.parse('2026-01-01T00:00Z'), max: Date.parse('2027-01-01T00:00Z') };
const instants = fc.integer(YEAR);
const zones = fc.constantFrom('UTC', BERLIN, 'America/St_Johns', 'Australia/Lord_Howe');
const offsets = fc.integer({ min: -14 * 4, max: 14 * 4 }).map((quarters) => quarters * 15 * MINUTE);

const fractionsOf = (at: number): fc.Arbitrary<string> => {
  const milliseconds = String(at % 1_000).padStart(3, '0');
  return fc.constantFrom(`.${milliseconds}`, `.${milliseconds}000`, `.${milliseconds}999999`);
};
const offsetTexts = (offset: number): fc.Arbitrary<string> => {
  const digits = new Date(Math.abs(offset)).toISOString().slice(11, 16);
  const sign = offset < 0 ? '-' : '+';
  const forms = [`${sign}${digits}`, `${sign}${digits.replace(':', '')}`, ` ${sign}${digits}`];
  const whole = offset % HOUR === 0 ? [`${sign}${digits.slice(0, 2)}`] : [];
  return fc.constantFrom(...forms, ...whole, ...(offset === 0 ? ['Z', 'z', ' Z'] : []));
};

describe('a datetime', () => {
  it('is an instant of its own if it names an offset, in any zone', () => {
    const property = fc.property(
      instants,
      offsets,
      zones,
      fc.constantFrom('T', 't', ' '),
      fc.gen(),
      (at, offset, zone, separator, draw) => {
        const local = formatLocal(at + offset, 'UTC').replace(' ', separator);
        const text = `${local}${draw(fractionsOf, at)}${draw(offsetTexts, offset)}`;
        expect(instantIn(text, zone)).toBe(at);
      },
    );
    fc.assert(property);
  });

  it('is in the zone without one, however its parts are separated', () => {
    const property = fc.property(
      instants,
      zones,
      fc.constantFrom('T', 't', ' '),
      fc.gen(),
      (at, zone, separator, draw) => {
        const text = formatLocal(at, zone).replace(' ', separator);
        const plain = instantOf(parseLocal(formatLocal(at, zone)) ?? Number.NaN, zone);
        expect(instantIn(text, zone)).toBe(plain);
        expect(instantIn(`${text}${draw(fractionsOf, at)}`, zone)).toBe(plain + (at % 1_000));
      },
    );
    fc.assert(property);
  });

  it.each([
    '2026-03-01T12:34:56+24:00',
    '2026-03-01T12:34:56+01:60',
    '2026-03-01T12:34:56.Z',
    '2026-03-01T12:34:56 UTC',
    '2026-03-01Z',
    '2026-03-01  12:34:56',
    '2026-03-01T12:34:56Z ',
    '2026-02-30T12:34:56Z',
    '0001-01-01T00:00:00Z',
    'T12:34:56Z',
  ])('is no datetime: %j', (text) => {
    expect(instantIn(text, 'UTC')).toBeUndefined();
  });

  it('places a bucket of the repeated hour by its offset, without other buckets', () => {
    const range = {
      from: Date.parse('2026-10-24T22:00Z'),
      to: Date.parse('2026-10-25T03:00Z'),
      width: MINUTE,
    };
    const labels = ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00', '2026-10-25T00:30:00Z'];
    const expected = ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T00:30Z'].map((at) =>
      Date.parse(at),
    );
    expect(resolveBucketStarts(labels, BERLIN, range)).toEqual(expected);
  });

  it('starts no bucket off the boundaries of the zone', () => {
    const range = { from: YEAR.min, to: YEAR.max, width: DAY };
    const labels = ['2026-07-01T00:00:00Z', '2026-07-01T00:00:00+02:00', '2026-07-01T00:00:00.500'];
    expect(resolveBucketStarts(labels, BERLIN, range)).toEqual([null, Date.parse('2026-06-30T22:00Z'), null]);
  });
});

const SERVICE = services(parseScenario({ seed: 1 }))[0]?.id ?? '';

/** Reads every resource that has datetimes; test runs have other ids each time. */
const readEverything = async ({ client, clock }: SimulatedAccount) => {
  const timeZone = BERLIN;
  const graph = {
    filter: {},
    concurrency: false,
    timeZone,
    parameters: { productType: 'network', concurrency: 'c' },
  };
  const to = clock.now() - (clock.now() % HOUR);
  const range = { from: to - 2 * HOUR, to };
  const service = await readService(client, SERVICE, { timeZone, withProxies: false });
  const run = await createTestRun(client, {
    proxies: [{ proxyString: new Secret('192.0.2.1:8000:user:password') }],
    urls: ['https://shop.example/'],
    testerServers: [],
    timeoutMs: MINUTE,
    responseTimeUnit: 'milliseconds',
    timeZone,
  });
  const users = await readAll(readProxyUsers(client, {}));
  return {
    minutes: await readGraph(client, { ...graph, ...range, interval: 'minute' }),
    hours: await readGraph(client, { ...graph, ...range, interval: 'hour' }),
    ledger: (await readAll(readLedger(client, 'residential', { timeZone }))).items,
    inventory: (await readAll(readInventory(client, { timeZone }))).items,
    users: users.items.map(({ details }) => userTimesOf(details, timeZone)),
    service,
    skipped: run.skipped,
    observations: run.results.map(({ observation }) => observation),
  };
};

describe('an account whose provider writes datetimes in another form', () => {
  const read = async (datetimes: DatetimeForm) => {
    await using account = await openAccount({ time_zone: BERLIN, datetimes, users: 5, proxies: 5 });
    // The other forms have no milliseconds.
    return JSON.stringify(await readEverything(account)).replace(/(\d{10})\d{3}\b/g, '$1000');
  };

  it.each(DATETIME_FORMS.filter((form) => form !== 'plain'))('is the same with the form %s', async (form) => {
    const plain = await read('plain');
    expect(JSON.parse(plain).minutes.buckets).toHaveLength(120);
    expect(plain).not.toContain('"createdAt":null');
    expect(await read(form)).toBe(plain);
  });
});

describe('CreationTimes', () => {
  const now = Date.parse('2026-07-10T12:00:00Z');
  const user = (createdAt: string) => ({ details: { createdAt, updatedAt: null } }) as UserObservation;

  it.each([
    ['2026-07-10T11:59:00Z', Date.parse('2026-07-10T11:59:00Z')],
    ['2026-07-10T13:59:00', Date.parse('2026-07-10T11:59:00Z')],
    ['2026-07-11T01:30:00+14:00', Date.parse('2026-07-10T11:30:00Z')],
    ['2026-07-10 14:11:00', null],
    ['2026-07-10T12:11:00Z', null],
    ['2026-07-10T00:11:00-12:00', null],
  ])('reads %s', (given, expected) => {
    const times = new CreationTimes(BERLIN);
    times.checkTimes([user(given)], now);
    expect(times.createdAt(user(given))).toBe(expected);
  });
});
