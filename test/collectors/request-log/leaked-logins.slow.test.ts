// Plants strangers who use the login of a user, and checks what is said of them: also if requests are not read, or nothing is known to
// compare them with, and that no address is written anywhere.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Log } from '../../../src/lib/log.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { userId } from '../../../src/simulator/identities.ts';
import type { ScenarioInput } from '../../../src/simulator/scenario.ts';
import { findingsOf } from '../../support/findings.ts';
import type { Harness } from '../../support/harness.ts';
import { buildWithOnly, recordingLog } from '../single-collector.ts';

const STEP = 5 * MINUTE;
const OFTEN = '*/5 * * * *';
const HOURLY = '0 * * * *';
const STRANGER = '203.0.113.9';
const LEAKED = 3;
const UNKNOWN = 'proxywatch_user_unknown_client_addresses';
const ALERT = 'UnknownClientAddress';
/** So few requests that all are read. */
const FEW = { requests_per_minute: { datacenter: 4, isp: 4, residential: 4, mobile: 4 } };
const ALLOW = ['198.51.100.0/24'];

interface World {
  readonly schedule?: string;
  readonly client_addresses?: object;
  readonly log?: NonNullable<ScenarioInput['log']>;
  readonly traffic?: ScenarioInput['traffic'];
  readonly faults?: readonly object[];
  readonly logger?: Log;
}

const build = ({
  schedule = OFTEN,
  client_addresses = { allow: ALLOW },
  log,
  traffic,
  faults,
  logger,
}: World): Promise<Harness> =>
  buildWithOnly(
    'request_log',
    { schedule, client_addresses },
    {
      scenario: { start: '2026-07-06T00:00:00Z', ...(log && { log }), ...(traffic && { traffic }) },
      ...(faults && { faults }),
      ...(logger && { log: logger }),
    },
  );

const leak = (from: string, ratio = 0.5) => ({ user: LEAKED, address: STRANGER, ratio, from });

const advance = async (harness: Harness, ms: number, step = STEP): Promise<void> => {
  for (let passed = 0; passed < ms; passed += step) await harness.advance(step);
};

const unknownOf = async (harness: Harness): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await harness.samples()).all(UNKNOWN).map(({ labels, value }) => [labels.proxy_user_id, value]),
  );

const seenUsers = async (harness: Harness): Promise<number> =>
  (await harness.samples()).all('proxywatch_user_client_addresses').length;

it('a stranger is found within two polls of a large account, with the time first seen, also after a restart', async () => {
  await using harness = await build({ log: { leaks: [leak('2026-07-06T12:20:00Z')] } });
  await advance(harness, 25 * MINUTE);
  expect(await findingsOf(harness, ALERT)).toEqual([]);
  expect(await unknownOf(harness)).toEqual({});
  // The first minutes with the stranger have settled.
  await advance(harness, 2 * STEP + 5 * MINUTE);
  const [found] = await findingsOf(harness, ALERT);
  expect(found).toMatchObject({ labels: { proxy_user_id: userId(LEAKED) }, value: 1 });
  expect(found?.reason).toMatch(/^1 of \d addresses in 24 hours, first on 2026-07-06 12:2\d UTC$/);
  await harness.restart();
  await advance(harness, 4 * STEP);
  const since = found?.reason?.replace(/^.*, first/, 'first');
  expect((await findingsOf(harness, ALERT))[0]?.reason).toBe(`1 of 4 addresses in 24 hours, ${since}`);
});

it('no user is said to be clean while requests are not read', async () => {
  await using harness = await build({ schedule: HOURLY });
  await advance(harness, 25 * HOUR, HOUR);
  expect(await seenUsers(harness)).toBeGreaterThan(10);
  expect(await unknownOf(harness)).toEqual({});
});

it('if all requests of 24 hours were read, a user without strangers has none, and a new gap ends this', async () => {
  await using harness = await build({
    schedule: HOURLY,
    traffic: FEW,
    client_addresses: { allow: ALLOW, samples: 2_000 },
  });
  await advance(harness, 23 * HOUR, HOUR);
  expect(await unknownOf(harness)).toEqual({});
  await advance(harness, 2 * HOUR, HOUR);
  const unknown = await unknownOf(harness);
  expect(Object.keys(unknown).length).toBe(await seenUsers(harness));
  expect(new Set(Object.values(unknown))).toEqual(new Set([0]));
  harness.simulator.faults.add({
    kind: 'null_fields',
    endpoint: 'log/search',
    fields: ['log_client_ip_address'],
  });
  await advance(harness, HOUR, HOUR);
  expect(await unknownOf(harness)).toEqual({});
});

it('without allow, users with a list of their own are compared with it, and others are inconclusive', async () => {
  await using harness = await build({ client_addresses: {}, traffic: FEW });
  await advance(harness, 2 * HOUR);
  const unknown = Object.keys(await unknownOf(harness));
  expect(unknown.length).toBeGreaterThan(0);
  const withList = Array.from({ length: 40 }, (_, index) => index).filter((index) => index % 10 === 1);
  expect(withList.map(userId)).toEqual(expect.arrayContaining(unknown));
  expect(await seenUsers(harness)).toBeGreaterThan(unknown.length);
});

it.each([
  [
    'random rows are refused',
    { faults: [{ kind: 'status', status: 422, endpoint: 'log/search', query: 'random' }] },
  ],
  ['the random order is ignored', { log: { ignored: ['random'] } }],
])('a part of the run fails if %s, and nothing is said of users', async (_, world) => {
  await using harness = await build(world);
  await advance(harness, 4 * STEP);
  const [run] = await harness.app.store.runs.states('main');
  expect(run?.errorMessage).toMatch(/^client_addresses: .* no requests at random/);
  expect(await seenUsers(harness)).toBe(0);
  expect(await unknownOf(harness)).toEqual({});
});

it('a list that the keys may not read changes nothing for addresses outside allow', async () => {
  await using harness = await build({
    log: { leaks: [leak('2026-07-06T11:00:00Z')] },
    faults: [{ kind: 'status', status: 403, endpoint: 'proxy_user/search' }],
  });
  await advance(harness, 4 * STEP);
  expect(await unknownOf(harness)).toEqual({ [userId(LEAKED)]: 1 });
});

it('a changed allow forgets what was compared with the old one', async () => {
  await using harness = await build({ log: { leaks: [leak('2026-07-06T11:00:00Z')] } });
  await advance(harness, 4 * STEP);
  expect(await unknownOf(harness)).toEqual({ [userId(LEAKED)]: 1 });
  const client_addresses = { allow: [...ALLOW, STRANGER] };
  await harness.restart({ request_log: { schedule: OFTEN, client_addresses } });
  // A restart spares requests.
  await advance(harness, 3 * STEP);
  expect(await seenUsers(harness)).toBeGreaterThan(10);
  expect(await unknownOf(harness)).toEqual({});
  await harness.restart({ request_log: { schedule: OFTEN } });
  expect(await seenUsers(harness)).toBe(0);
});

const written = async (harness: Harness, log: { readonly lines: readonly object[] }): Promise<string[]> => {
  const texts = [await harness.metricsText(), JSON.stringify(log.lines)];
  await harness.stop();
  for (const file of await readdir(harness.folder))
    texts.push(await readFile(join(harness.folder, file), 'latin1'));
  return texts;
};

it.each([false, true])(
  'no address is written, and a network only if it is asked for: %s',
  async (store_networks) => {
    const logger = recordingLog();
    const leaks = [leak('2026-07-06T11:00:00Z')];
    await using harness = await build({
      client_addresses: { allow: ALLOW, store_networks },
      log: { leaks },
      logger,
    });
    await advance(harness, 4 * STEP);
    const [found] = await findingsOf(harness, ALERT);
    expect(found?.reason?.includes(', from 203.0.113.0/24')).toBe(store_networks);
    const texts = await written(harness, logger);
    for (const text of texts) expect(text).not.toMatch(/203\.0\.113\.9|198\.51\.100\.\d/);
    expect(texts.some((text) => text.includes('203.0.113.0/24'))).toBe(store_networks);
  },
);

it('without the addresses of clients, requests are counted, and a part of the run fails', async () => {
  const fields = ['log_client_ip_address'];
  await using harness = await build({ faults: [{ kind: 'null_fields', endpoint: 'log/search', fields }] });
  await advance(harness, 4 * STEP);
  const [run] = await harness.app.store.runs.states('main');
  expect(run?.errorMessage).toMatch(/^client_addresses: /);
  expect((await harness.samples()).value('proxywatch_log_uncounted_seconds_total')).toBe(0);
});

it('each part of a longer time is sampled', async () => {
  await using harness = await build({ schedule: HOURLY, log: { leaks: [leak('2026-07-06T13:00:00Z', 1)] } });
  await advance(harness, 2 * HOUR, HOUR);
  const [found] = await findingsOf(harness, ALERT);
  expect(found?.labels).toEqual({ proxy_user_id: userId(LEAKED) });
});
