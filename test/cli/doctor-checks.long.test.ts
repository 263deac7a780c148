// Tests doctor: its findings on healthy and on faulty accounts, stores and receivers.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { ENDPOINT_PROBES } from '../../src/cli/doctor/endpoint-probes.ts';
import { optionalSections } from '../../src/collectors/index.ts';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { formatLocal } from '../../src/provider/time.ts';
import { type ScenarioInput, type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createFolder } from '../config/support.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { freePort } from '../support/free-port.ts';
import { CA_FILE, MailServer } from '../support/mail-server.ts';
import { type CommandResult, runCommand, unwarnedConfigText } from './run-command.ts';

/** A short history, so that the simulator generates it quickly. */
const HISTORY_START = new Date(Date.now() - 3 * DAY).toISOString();

const provider = (scenario: ScenarioInput = {}, aheadMs = 0): Promise<Simulator> =>
  startSimulator({
    scenario: { users: 3, proxies: 4, pace: null, start: HISTORY_START, ...scenario },
    now: () => Date.now() + aheadMs,
  });

interface DoctorResult extends CommandResult {
  /** Lines of findings with the status `warning` or `failed`. */
  readonly problems: string[];
}

const STORE = { store: { path: 'store.db' } };

const runDoctorIn = async (folder: string): Promise<DoctorResult> => {
  const result = await runCommand(doctor, { config: join(folder, 'config.yaml') });
  const lines = result.stdout.replaceAll(`${folder}/`, '').split('\n');
  return { ...result, problems: lines.filter((line) => /^(warning|failed) /.test(line)) };
};

const runDoctor = (
  simulator: Pick<Simulator, 'baseUrl' | 'publicKey' | 'privateKey'>,
  account: Record<string, unknown> = {},
): Promise<DoctorResult> =>
  runDoctorIn(createFolder({ 'config.yaml': unwarnedConfigText(simulator, account, STORE) }));

const EVERYTHING = {
  ...optionalSections(),
  inventory: { max_geolocations_per_day: 1 },
  services: { search: true },
  quotes: { items: [{ name: 'isp', product_code: 'isp_gb', quantity: 1 }] },
  geography: {
    ...{ asns: [64_500], cities: [200], subdivisions: ['gb-eng'] },
    availability: { residential: ['gb'], mobile: ['gb'] },
  },
  proxy_tests: {
    urls: ['https://www.example.com/'],
    proxies: [{ search: {} }, { proxy: '192.0.2.1:8000:alice:password' }],
  },
};

test('without problems: each endpoint in use is probed once, nothing is tested and no store is created', async () => {
  await using simulator = await provider();
  const folder = createFolder({ 'config.yaml': unwarnedConfigText(simulator, EVERYTHING, STORE) });
  const { code, stdout, stderr, problems } = await runDoctorIn(folder);
  expect({ code, stderr, problems }).toEqual({ code: 0, stderr: '', problems: [] });
  expect(stdout).toMatch(
    /\nok {6}store: .*store\.db does not exist yet, and the daemon creates it at its first start\n/,
  );
  expect(stdout).toMatch(/\nok {6}main: http proxies of the account: \d+ proxies can be tested\n/);
  expect(stdout).toMatch(
    /\nok {6}main: time zone: the newest minute with traffic, [-\d]+ [:\d]+, fits UTC\n/,
  );
  expect(stdout).toMatch(
    /\nunknown main: proxy_test_run\/create: not tried, because each test costs test runs\. Run /,
  );
  expect(stdout).toMatch(/\n0 failed, 0 warnings, 1 unknown, \d+ ok\n$/);
  const requestedEndpoints = simulator.requests.recent.map(({ endpoint }) => endpoint);
  const probed = Object.keys(ENDPOINT_PROBES).filter((name) => ENDPOINT_PROBES[name]);
  // Prices are compared with those of products.
  expect(new Set(requestedEndpoints)).toEqual(new Set([...probed, 'product/search']));
  expect(requestedEndpoints.length).toBeLessThanOrEqual(probed.length + 4);
  expect(() => readFileSync(join(folder, 'store.db'))).toThrow('ENOENT');
});

describe('keys', () => {
  test('that are wrong are used once', async () => {
    await using simulator = await provider();
    const { code, problems } = await runDoctor({ ...simulator, privateKey: 'another' });
    expect(code).toBe(1);
    expect(problems).toEqual([
      expect.stringMatching(
        /^failed {2}main: proxy_user\/search: answered 401: .* \(no other endpoint was requested\)\. The provider does not know the keys\. Correct public_key/,
      ),
    ]);
    expect(simulator.requests.count()).toBe(1);
  });

  test('that may not use one endpoint are distinguished from wrong ones', async () => {
    await using simulator = await provider();
    simulator.faults.add({ kind: 'status', status: 403, endpoint: 'residential_ledger' });
    const { code, stdout, problems } = await runDoctor(simulator);
    expect(code).toBe(1);
    expect(stdout).toContain('\nok      main: keys: proxy_user/search accepts them\n');
    expect(problems).toEqual([
      expect.stringMatching(
        /^failed {2}main: residential_ledger\/search: answered 403: .*\. The keys are valid, but may not use this endpoint\. Ask the provider to allow it, or turn off residential_ledger\.$/,
      ),
    ]);
  });

  test('that may not list users are only a warning if no users are polled', async () => {
    await using simulator = await provider();
    simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy_user' });
    const { code, problems } = await runDoctor(simulator, { proxy_users: false });
    expect(code).toBe(0);
    expect(problems).toEqual([expect.stringContaining('proxy_user/search: answered 403')]);
  });
});

describe('the provider', () => {
  test.each([
    ['a wrong path', { status: 404, body: { message: 'Not found.' } }, 'answered 404: Not found\\.'],
    ['another server', { status: 200, body: { hello: 'world' } }, 'unexpected answer: '],
  ])('does not answer at base_url, which is %s: one line says so', async (_, answer, problem) => {
    await using server = await startFakeProvider(() => answer);
    const { code, stdout, problems } = await runDoctor({ ...server, ...KEYS }, EVERYTHING);
    expect(code).toBe(1);
    expect(problems).toEqual([
      expect.stringMatching(
        new RegExp(
          `^failed {2}main: base_url: the server at base_url does not answer like the provider's API: proxy_user/search: ${problem}.*; analytics/graph: .*\\. Set base_url to the address of the API`,
        ),
      ),
    ]);
    expect(stdout.split('\n').filter((line) => line.includes(' main'))).toHaveLength(1);
  });

  test('answers one endpoint with errors only, and the others are still probed', async () => {
    await using simulator = await provider();
    simulator.faults.add({ kind: 'status', status: 500, endpoint: 'analytics' });
    const { code, stdout, problems } = await runDoctor(simulator);
    expect(code).toBe(1);
    expect(problems).toEqual([
      expect.stringMatching(
        /^failed {2}main: analytics\/graph: answered 500: .*\. The provider has a problem\. /,
      ),
    ]);
    expect(stdout).toContain('\nok      main: residential_ledger/search: answers\n');
  });

  test('answers at the second attempt', async () => {
    await using simulator = await provider();
    simulator.faults.add({ kind: 'status', status: 502, endpoint: 'analytics', count: 1 });
    const { code, problems } = await runDoctor(simulator);
    expect(code).toBe(0);
    expect(problems).toEqual([
      expect.stringContaining('analytics/graph: answers, but first failed with 502. Run doctor again'),
    ]);
  });

  test('cannot be reached', async () => {
    const port = await freePort();
    const { code, problems } = await runDoctor({ baseUrl: `http://127.0.0.1:${port}/1.0`, ...KEYS });
    expect(code).toBe(1);
    expect(problems).toEqual([
      expect.stringMatching(
        /^failed {2}main: proxy_user\/search: connection failed: connect ECONNREFUSED.*\(no other endpoint was requested\)\. Check base_url/,
      ),
    ]);
  });

  test('answers 429, and gets no further requests', async () => {
    await using simulator = await provider();
    simulator.faults.add({ kind: 'rate_limit', seconds: 0, endpoint: 'residential_ledger' });
    const { code, problems } = await runDoctor(simulator, { inventory: {} });
    expect(code).toBe(1);
    expect(problems).toEqual([
      expect.stringMatching(
        /residential_ledger\/search: answered 429: .*\(no other endpoint was requested\)/,
      ),
      expect.stringMatching(
        /^warning main: pace: the provider answered 429 to [34] of \d requests, at up to 10 a second, and the schedules need .* a second\. Lower requests_per_second/,
      ),
    ]);
    expect(simulator.requests.count('proxy/search')).toBe(0);
  });

  test.each([
    [
      5 * MINUTE,
      /^failed {2}main: clock: this machine's clock is (299|300) s behind the provider's\. Set the clock of this machine/,
    ],
    [-5 * MINUTE, /^failed {2}main: clock: this machine's clock is 30[01] s ahead of the provider's/],
    [20_000, /^warning main: clock: this machine's clock is (19|20) s behind/],
  ])('has a clock that is %i ms ahead', async (aheadMs, line) => {
    await using simulator = await provider({}, aheadMs);
    const { code, problems } = await runDoctor(simulator);
    expect(problems).toEqual([expect.stringMatching(line)]);
    expect(code).toBe(Math.abs(aheadMs) < MINUTE ? 0 : 1);
  });

  test.each([
    ['America/New_York', 'UTC', /, which is [45]\.0 hours ago in UTC\. Set time_zone: America\/New_York or /],
    [
      'Asia/Tokyo',
      'UTC',
      /, which is [89]\.\d hours in the future in UTC\. Set time_zone: Asia\/Tokyo or time_zone: Etc\/GMT-9, the one that the provider uses\.$/,
    ],
    ['Etc/GMT+12', 'Asia/Kolkata', /\. Set time_zone: Etc\/GMT\+12\.$/],
    ['Etc/GMT-14', 'Etc/GMT+12', /\. Set time_zone: Etc\/GMT-14\.$/],
  ])('is in another zone, %s and not %s', async (time_zone, configured, line) => {
    await using simulator = await provider({ time_zone });
    const wrongly = await runDoctor(simulator, { time_zone: configured });
    expect(wrongly.code).toBe(1);
    expect(wrongly.problems).toEqual([expect.stringMatching(line)]);
    expect(await runDoctor(simulator, { time_zone })).toMatchObject({ code: 0, problems: [] });
  });

  test('is in another zone, and names its offset in each time', async () => {
    const zone = { time_zone: 'Asia/Tokyo' };
    await using simulator = await provider({ ...zone, datetimes: 'offset' });
    expect(await runDoctor(simulator, zone)).toMatchObject({ code: 0, problems: [] });
    expect((await runDoctor(simulator)).problems).toEqual([
      expect.stringMatching(/ hours in the future in UTC\. Set time_zone: Asia\/Tokyo or /),
    ]);
  });

  test('refuses ranges in the future', async () => {
    const localNow = () => formatLocal(Date.now(), 'UTC');
    await using refusing = await startFakeProvider(({ path, query: { period_start = '' } }) => {
      if (!path.endsWith('graph')) return { body: { data: [], total_count: 0 } };
      if (period_start > localNow()) return { status: 422, body: { message: 'That is still to come.' } };
      const row = {
        interval: `${localNow().slice(0, 16)}:00`,
        bytes: 1,
        requests: 1,
        successful: 1,
        error: 0,
      };
      return { body: { data: { intervals: [row] } } };
    });
    const { code, problems } = await runDoctor({ ...refusing, ...KEYS });
    expect({ code, problems }).toEqual({ code: 0, problems: [] });
  });

  test('has no traffic from which to determine the zone', async () => {
    const none = { datacenter: 0, isp: 0, residential: 0, mobile: 0 };
    await using simulator = await provider({ traffic: { requests_per_minute: none } });
    const { code, stdout, problems } = await runDoctor(simulator);
    expect(code).toBe(0);
    expect(problems).toEqual([]);
    expect(stdout).toMatch(
      /\nunknown main: time zone: doctor could not check whether it is UTC, because there was no traffic/,
    );
  });
});

test('sources of proxies that do not answer, or have no proxies', async () => {
  await using simulator = await provider();
  const { code, problems } = await runDoctor(simulator, {
    proxy_tests: {
      urls: ['https://www.example.com/'],
      proxies: [{ service_id: 'API-0-0' }, { file: 'proxies/*.yaml' }],
    },
  });
  expect(code).toBe(1);
  expect(problems).toEqual([
    expect.stringMatching(
      /^failed {2}main: http proxies of service API-0-0: service\/retrieve: answered 404/,
    ),
    expect.stringMatching(/^warning main: proxies of proxies\/\*\.yaml: 0 proxies can be tested/),
  ]);
});

describe('customers', () => {
  test('one customer with two accounts', async () => {
    await using simulator = await provider();
    const config = JSON.parse(unwarnedConfigText(simulator, {}, STORE));
    config.accounts.push({ ...config.accounts[0], name: 'twin' });
    const { code, problems } = await runDoctorIn(createFolder({ 'config.yaml': JSON.stringify(config) }));
    expect(code).toBe(0);
    expect(problems).toEqual([
      expect.stringContaining('the accounts main, twin have the same public key'),
      expect.stringMatching(
        /^warning twin: customer 4711; account main also uses it\. proxywatch reads all data of this customer twice/,
      ),
    ]);
  });

  test('another customer than that of the history', async () => {
    await using simulator = await provider();
    const folder = createFolder({ 'config.yaml': unwarnedConfigText(simulator, {}, STORE) });
    {
      using store = openSqliteStore({ path: join(folder, 'store.db'), firstStepHoldMs: 0 });
      await store.accounts.claimCustomer('main', 1);
    }
    const { code, problems } = await runDoctorIn(folder);
    expect(code).toBe(1);
    expect(problems).toEqual([
      'failed  main: the keys belong to customer 4711, but the history in the store belongs to customer 1. Give the account another name, under which a new history begins.',
    ]);
  });
});

describe('receivers', () => {
  const runDoctorWith = async (
    alerts: Record<string, unknown>,
    server: object = { external_url: 'https://proxywatch.example/' },
  ): Promise<DoctorResult> => {
    await using simulator = await provider();
    return await runDoctorIn(
      createFolder({ 'config.yaml': unwarnedConfigText(simulator, {}, { ...STORE, alerts, server }) }),
    );
  };
  const linesOf = ({ stdout }: CommandResult): string[] =>
    stdout.split('\n').filter((line) => /^\w+ +receiver/.test(line));

  test('get links to a default address, and doctor proposes to set another', async () => {
    await using receiver = await FakeReceiver.start();
    const alerts = { receivers: [{ type: 'webhook', url: `${receiver.url}/token` }] };
    const { code, problems } = await runDoctorWith(alerts, {
      allowed_hosts: ['a.example.com'],
      listen: ':9876',
    });
    expect(code).toBe(0);
    expect(problems).toEqual([
      'warning status page: server.external_url is not set, so notifications link to http://a.example.com:9876/. Set server.external_url to the address at which their readers open the status page.',
    ]);
  });

  test('that can be reached get no notification', async () => {
    await using receiver = await FakeReceiver.start();
    await using mail = await MailServer.start({ isSmtps: true });
    const addresses = { from: 'alerts@example.com', to: ['ops@example.com'] };
    const result = await runDoctorWith({
      receivers: [
        { type: 'alertmanager', urls: [`${receiver.url}/prefix/`], bearer_token: 'sesame' },
        { type: 'webhook', url: `${receiver.url}/token` },
        { type: 'email', ...addresses, smtp_url: mail.url(), smtp_ca_file: CA_FILE },
        { type: 'heartbeat', url: `${receiver.url}/token` },
      ],
    });
    expect(result).toMatchObject({ code: 0, problems: [] });
    expect(linesOf(result)).toEqual([
      'ok      receiver alertmanager, server 1: answers',
      'ok      receiver webhook: accepts connections; doctor sent no notification',
      'ok      receiver email: accepts connections; doctor sent no notification',
      'ok      receiver heartbeat: accepts connections; doctor sent no heartbeat',
    ]);
    expect(receiver.received).toMatchObject([
      { method: 'GET', path: '/prefix/api/v2/status', headers: { authorization: 'Bearer sesame' } },
    ]);
  });

  test.each([
    [401, /^failed {2}receiver alertmanager, server 1: answered 401\. Correct basic_auth or bearer_token/],
    [404, /: answered 404\. Check its url: .* prefix/],
    [500, /: answered 500\. The server runs, but reports an error\. Read the log of the server\.$/],
    [0, /: connection failed: UND_ERR_SOCKET\. Check that the receiver runs/],
  ])('an Alertmanager that answers %i', async (status, line) => {
    await using receiver = await FakeReceiver.start();
    receiver.status = status;
    const result = await runDoctorWith({ receivers: [{ type: 'alertmanager', urls: [receiver.url] }] });
    expect(result.code).toBe(1);
    expect(result.problems).toEqual([expect.stringMatching(line)]);
  });

  test('that cannot be reached or do not use TLS, without a part of their addresses in the output', async () => {
    await using receiver = await FakeReceiver.start();
    const mail = { type: 'email', from: 'alerts@example.com', to: ['ops@example.com'] };
    const result = await runDoctorWith({
      receivers: [
        { type: 'webhook', url: `http://127.0.0.1:${await freePort()}/canary` },
        { type: 'webhook', url: `${receiver.url.replace('http', 'https')}/canary` },
        { ...mail, smtp_url: `smtp://canary:canary@127.0.0.1:${await freePort()}` },
        { ...mail, smtp_url: `smtps://canary:canary@127.0.0.1:${new URL(receiver.url).port}` },
        { type: 'heartbeat', url: 'https://canary.invalid/' },
      ],
    });
    expect(result.code).toBe(1);
    expect(result.problems).toEqual([
      expect.stringMatching(
        /^failed {2}receiver webhook: connection failed: ECONNREFUSED\. Check that the receiver runs/,
      ),
      expect.stringMatching(/^failed {2}receiver webhook-2: connection failed: ERR_SSL/),
      expect.stringMatching(/^failed {2}receiver email: connection failed: ECONNREFUSED\. /),
      expect.stringMatching(/^failed {2}receiver email-2: connection failed: ERR_SSL/),
      expect.stringMatching(/^failed {2}receiver heartbeat: connection failed: E(NOTFOUND|AI_AGAIN)\. /),
    ]);
    expect(result.stdout).not.toMatch(/canary|127\.0\.0\.1:/);
  });

  test('that get no notifications because alerts are not evaluated', async () => {
    await using receiver = await FakeReceiver.start();
    const { problems } = await runDoctorWith({
      evaluate: false,
      receivers: [{ type: 'webhook', url: receiver.url }],
    });
    expect(problems).toEqual([
      'warning receivers: the receivers get no notifications, because alerts.evaluate is false. Remove alerts.evaluate, or set it to true.',
    ]);
  });
});

test('receivers of remote write', async () => {
  await using simulator = await provider();
  await using receiver = await FakeReceiver.start();
  receiver.status = 401;
  const remote_write = [{ name: 'engine', url: `${receiver.url}/canary-token` }];
  const text = unwarnedConfigText(simulator, {}, { ...STORE, remote_write });
  const result = await runDoctorIn(createFolder({ 'config.yaml': text }));
  expect(result.code).toBe(1);
  expect(result.problems).toEqual([
    expect.stringMatching(
      /^failed {2}remote write engine: answered 401: ok\. Correct basic_auth or bearer_token/,
    ),
  ]);
  expect(result.stdout).not.toContain('canary');
});

describe('the store', () => {
  test.each([
    [
      'a folder that is a file',
      'other.db/store.db',
      /^failed {2}store: other\.db\/store\.db: proxywatch cannot read or write it \(ENOTDIR/,
    ],
    [
      'a file of somebody else',
      'other.db',
      /^failed {2}store: other\.db: this file is not a store of proxywatch, or its first bytes are damaged\. /,
    ],
  ])('%s', async (_, path, line) => {
    await using simulator = await provider();
    const text = unwarnedConfigText(simulator, {}, { store: { path } });
    const folder = createFolder({
      'config.yaml': text,
      'other.db': 'notes of somebody else, and a few words more',
    });
    const { code, problems } = await runDoctorIn(folder);
    expect(code).toBe(1);
    expect(problems).toEqual([expect.stringMatching(line)]);
  });

  test('is not changed while a daemon uses it', async () => {
    await using simulator = await provider();
    const folder = createFolder({ 'config.yaml': unwarnedConfigText(simulator, {}, STORE) });
    const file = join(folder, 'store.db');
    const hash = () =>
      createHash('sha256')
        .update(readFileSync(file))
        .update(readFileSync(`${file}-wal`))
        .digest('hex');
    using _daemons = openSqliteStore({ path: file, firstStepHoldMs: 0 });
    const before = hash();
    const { code, stdout, problems } = await runDoctorIn(folder);
    expect({ code, problems }).toEqual({ code: 0, problems: [] });
    expect(stdout).toContain('\nok      store: a daemon uses it, and doctor does not disturb the daemon\n');
    expect(hash()).toBe(before);
  });
});

const KEYS = { publicKey: 'public', privateKey: 'private' };
