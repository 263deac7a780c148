// Tests that a wrong base_url is logged in one line, and that failures with other causes are logged as usual.

import { describe, expect, test } from 'vitest';
import { WrongServerLog } from '../../src/daemon/wrong-server.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { Harness } from '../support/harness.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';

const EVERYTHING = {
  ...{ inventory: {}, services: {}, catalog: {}, geography: {} },
  proxy_tests: {
    urls: ['https://www.example.com/', 'https://shop.example/'],
    proxies: [{ search: {} }, { proxy: '192.0.2.1:8000:alice:password' }],
  },
};

const problems = (lines: readonly LogLine[]): LogLine[] =>
  lines.filter(({ level }) => level === 'warn' || level === 'error');

const build = (lines: LogLine[], account: Record<string, unknown>): Promise<Harness> =>
  Harness.build({
    now: '2026-07-06T12:01:30Z',
    scenario: { start: '2026-07-06T00:00:00Z', users: 3, proxies: 2 },
    account,
    log: recordingLog(lines),
  });

const REPORT = {
  level: 'error',
  message:
    "the server at base_url does not answer like the provider's API. Set base_url to the address of the API, with its version at the end, such as https://api.byteful.com/1.0.",
};

describe.each([
  ['a path that the server does not have', { status: 404, body: { message: 'Not found.' } }, 'not_found'],
  ['a server that is no such API', { status: 200, body: { hello: 'world' } }, 'bad_response'],
])('%s', (_, answer, kind) => {
  test('is logged in one line, however often the collectors run', async () => {
    await using provider = await startFakeProvider(() => answer);
    const lines: LogLine[] = [];
    await using harness = await build(lines, { base_url: provider.baseUrl, ...EVERYTHING });
    for (let minute = 0; minute < 15; minute += 1) await harness.advance(MINUTE);
    expect(problems(lines)).toEqual([
      {
        ...REPORT,
        fields: { account: 'main', kind, message: expect.any(String), failures: expect.any(Number) },
      },
    ]);
  });
});

test('an endpoint that is missing at the provider is logged as usual', async () => {
  const lines: LogLine[] = [];
  await using harness = await build(lines, {});
  lines.length = 0;
  harness.simulator.faults.add({ kind: 'status', status: 404, endpoint: 'residential_ledger' });
  await harness.advance(10 * MINUTE);
  expect(problems(lines)).toMatchObject([
    { level: 'error', message: 'run failed', fields: { collector: 'residential_ledger', kind: 'not_found' } },
  ]);
});

describe('the log of an account', () => {
  const NOT_FOUND = { kind: 'not_found', message: 'a: answered 404: Not found.' };
  const create = () => {
    const lines: LogLine[] = [];
    const log = new WrongServerLog(recordingLog(lines, { account: 'main' }));
    return { lines, log, run: log.child({ collector: 'traffic' }) };
  };

  test('holds typical failures until the last run has ended', () => {
    const { lines, log, run } = create();
    run.error(NOT_FOUND, 'run failed');
    log.runEnded(false);
    expect(lines).toEqual([]);
    log.runEnded(true);
    expect(lines).toMatchObject([{ ...REPORT, fields: { account: 'main', ...NOT_FOUND, failures: 1 } }]);
  });

  test('writes them when a request succeeds', () => {
    const { lines, log, run } = create();
    run.error(NOT_FOUND, 'run failed');
    log.requestSucceeded();
    run.warn(NOT_FOUND, 'a part failed');
    expect(lines.map(({ message }) => message)).toEqual(['run failed', 'a part failed']);
    expect(lines[0]?.fields).toEqual({ account: 'main', collector: 'traffic', ...NOT_FOUND });
  });

  test('writes them if another run failed in another way, such as for its keys', () => {
    const { lines, log, run } = create();
    run.error(NOT_FOUND, 'run failed');
    run.error({ kind: 'auth' }, 'run failed');
    log.runEnded(true);
    expect(lines.map(({ fields }) => fields.kind)).toEqual(['auth', 'not_found']);
  });

  test('reports again after another address was configured', () => {
    const { lines, log, run } = create();
    for (let round = 0; round < 3; round += 1) {
      if (round === 2) log.clientReplaced();
      run.error(NOT_FOUND, 'run failed');
      log.runEnded(true);
    }
    expect(lines).toMatchObject([REPORT, REPORT]);
  });
});
