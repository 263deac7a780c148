// Tests proxywatch silence against the HTTP server of a daemon, also with TLS, passwords and client certificates.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addSilence, listSilences, removeSilence } from '../../src/cli/silence.ts';
import { createView } from '../../src/daemon/http-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { HOUR } from '../../src/lib/time.ts';
import { createFolder } from '../config/support.ts';
import { CERTIFICATES, createWebFolder, HASH, PASSWORD } from '../http/web-config-support.ts';
import { Harness } from '../support/harness.ts';
import { runToEnd } from './program.ts';
import { runCommand } from './run-command.ts';

const SCOPE = { account: 'main', alert: 'CollectorFailing', subject: 'traffic' };
const SILENCE = { ...SCOPE, for: '2h', comment: 'Anna asks the provider' };

let daemon: Harness;

beforeAll(async () => {
  daemon = await Harness.build({
    now: '2026-07-05T12:01:30Z',
    scenario: { users: 3 },
    // With threshold 0 this alert fires for every collector.
    alerts: {
      CollectorFailing: { threshold: 0 },
      receivers: [{ type: 'alertmanager', name: 'am', urls: ['http://127.0.0.1:9'] }],
      maintenance: [
        { name: 'weekly', days: ['sun', 'sat'], hours: '12-14', accounts: ['main'], alerts: ['DataStale'] },
        { name: 'nightly', hours: '23:30-01', time_zone: 'Europe/Paris' },
      ],
    },
    account: { traffic: { catch_up: '1h', graphs: [] }, reconciliation: false },
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** Serves the daemon until the end of the test, and returns its address. */
const serve = async (webConfigFile?: string): Promise<string> => {
  const { app, clock } = daemon;
  const server = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, webConfigFile },
    view: createView({ app, clock, version: '1.2.3' }),
    reload: async () => ({ result: 'no_file' }),
    ...{ clock, log: silentLog },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return `${server.scheme}://127.0.0.1:${server.address.port}`;
};

const idIn = (text: string): string => /silence (\w{12})/.exec(text)?.[1] ?? '';

const ADDED = `silence ID: account main, alert CollectorFailing, subject traffic, until 2026-07-05T14:01:30Z
1 pending or firing alert matches now
receiver am still gets the alerts; add a silence in this Alertmanager too
`;

it('adds, lists and removes a silence', async () => {
  const url = await serve();
  const added = await runCommand(addSilence, { url, ...SILENCE });
  const id = idIn(added.stdout);
  expect({ ...added, stdout: added.stdout.replace(id, 'ID') }).toEqual({
    code: 0,
    stdout: ADDED,
    stderr: '',
  });

  const later = await runCommand(addSilence, {
    ...{ url, account: 'main', for: '1d', from: '2026-07-05T22:00:00+02:00', comment: 'Move' },
  });
  const laterId = idIn(later.stdout);
  expect(later.stdout).toMatch('account main, from 2026-07-05T20:00:00Z until 2026-07-06T20:00:00Z\n');

  const { stdout } = await runCommand(listSilences, { url });
  expect(stdout.replace(id, 'one---------').replace(laterId, 'two---------')).toBe(
    `silence       state    account  alert             subject  from                  until                 comment
one---------  active   main     CollectorFailing  traffic  2026-07-05T12:01:30Z  2026-07-05T14:01:30Z  Anna asks the provider
two---------  pending  main     *                 *        2026-07-05T20:00:00Z  2026-07-06T20:00:00Z  Move

maintenance  state                       accounts  alerts     days     hours        time zone
weekly       until 2026-07-05T14:00:00Z  main      DataStale  sun,sat  12:00-14:00  UTC
nightly      from 2026-07-05T21:30:00Z   *         *          *        23:30-01:00  Europe/Paris
`,
  );

  await runCommand(removeSilence, { url, id: laterId });
  expect(await runCommand(removeSilence, { url, id })).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: `silence ${id}: removed. Receivers are notified of alerts that it kept back, if they still fire\n`,
  });
  expect((await runCommand(listSilences, { url })).stdout).toMatch(/^no silences\n\nmaintenance /);
  expect(await runCommand(removeSilence, { url, id: laterId })).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: `error: silence_id: "${laterId}" is not known\n`,
  });
});

it('lists expired silences only on demand, and says that a silence matches nothing yet', async () => {
  const url = await serve();
  const { stdout } = await runCommand(addSilence, { url, ...SILENCE, subject: 'nobody' });
  expect(stdout).toMatch('\nno pending or firing alert matches now; later ones will\n');
  await daemon.advance(2 * HOUR);
  expect((await runCommand(listSilences, { url })).stdout).toMatch(/^no silences\n/);
  expect((await runCommand(listSilences, { url, expired: true })).stdout).toMatch(/ expired .* nobody /);
});

it('adds and lists a silence until the alert is resolved', async () => {
  const url = await serve();
  const { for: _, ...silence } = SILENCE;
  const { stdout } = await runCommand(addSilence, { url, ...silence, untilResolved: true });
  const end = /until (resolved, or 20\S+Z)\n/.exec(stdout)?.[1];
  expect((await runCommand(listSilences, { url })).stdout).toContain(`  ${end}  Anna`);
  await runCommand(removeSilence, { url, id: idIn(stdout) });
});

it('prints why the daemon refuses a silence', async () => {
  const url = await serve();
  expect(await runCommand(addSilence, { url, ...SILENCE, alert: 'QuotaLow' })).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'error: alert: "QuotaLow" is not known. Did you mean ProxyUserQuotaLow?\n',
  });
});

describe('a daemon with TLS and passwords', () => {
  const startProtected = async (more: object = {}) => {
    const tls = { cert_file: 'server.pem', key_file: 'server.key', ...more };
    const web = { tls_server_config: tls, basic_auth_users: { anna: HASH } };
    const url = await serve(join(createWebFolder(JSON.stringify(web)), 'web.yml'));
    const folder = createFolder({ password: `${PASSWORD}\n`, guess: 'canary-guess\n' });
    const certificate = (name: string): string => join(CERTIFICATES, name);
    return { url, folder, caFile: certificate('ca.pem'), certificate };
  };

  it('takes the password from a file, and never shows it', async () => {
    const { url, folder, caFile } = await startProtected();
    const list = (options: object) => runCommand(listSilences, { url, caFile, ...options });
    const login = { user: 'anna', passwordFile: join(folder, 'password') };
    expect((await list(login)).stdout).toMatch(/^no silences/);
    const failures = await Promise.all([
      list({}),
      list({ user: 'anna' }),
      list({ ...login, passwordFile: join(folder, 'guess') }),
      list({ ...login, passwordFile: join(folder, 'nothing') }),
      list({ ...login, bearerTokenFile: join(folder, 'guess') }),
      list({ bearerTokenFile: join(folder, 'guess') }),
      list({ ...login, caFile: undefined }),
      list({ ...login, url: url.replace('https', 'http') }),
    ]);
    expect(failures.map(({ stderr }) => stderr.replaceAll(url, 'URL').replaceAll(folder, '/folder'))).toEqual(
      [
        'error: URL demands a user name and a password: give --user and --password-file\n',
        'error: give --user and --password-file together\n',
        'error: URL rejects the user name or the password\n',
        'error: cannot read /folder/nothing (no such file)\n',
        'error: give either --user or --bearer-token-file, not both\n',
        'error: URL rejects the token of --bearer-token-file\n',
        expect.stringMatching(
          /^error: cannot ask the daemon at URL: the certificate is not trusted\. Give its authority with --ca-file \(\w+\)\n$/,
        ),
        expect.stringMatching(
          /: the connection was closed\. If the daemon serves TLS, begin the address with https:/,
        ),
      ],
    );
    expect(failures.map(({ code, stdout }) => [code, stdout])).toEqual(failures.map(() => [1, '']));
    expect(JSON.stringify(failures)).not.toContain('canary');
  });

  it('may demand a client certificate', async () => {
    const { url, folder, caFile, certificate } = await startProtected({
      client_auth_type: 'RequireAndVerifyClientCert',
      client_ca_file: 'ca.pem',
    });
    const options = { url, caFile, user: 'anna', passwordFile: join(folder, 'password') };
    expect((await runCommand(listSilences, options)).code).toBe(1);
    const own = { certFile: certificate('client.pem'), keyFile: certificate('client.key') };
    expect((await runCommand(listSilences, { ...options, ...own })).stdout).toMatch(/^no silences/);
  });
});

it('says what to do if nothing listens, or something else', async () => {
  const closed = await runCommand(listSilences, { url: 'http://127.0.0.1:9' });
  expect(closed.stderr).toBe(
    'error: cannot ask the daemon at http://127.0.0.1:9: nothing listens there. Check that the daemon runs, and give its address with --url. The daemon logs the address at its start (ECONNREFUSED)\n',
  );
  await using other = createServer((_, response) => void response.end('<html>')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  expect((await runCommand(listSilences, { url })).stderr).toBe(
    `error: ${url} answered 200, but not as proxywatch does. Check that --url is the address of a proxywatch daemon of the same version\n`,
  );
});

it('refuses a password in the address, and does not repeat it', async () => {
  expect(await runToEnd('silence', 'list', '--url', 'http://anna:canary@127.0.0.1:9')).toEqual({
    ...{ code: 1, signal: null, stdout: '' },
    stderr:
      'error: --url or PROXYWATCH_URL: a URL with a user name or password in it; expected an http:// or https:// address without user name and password\n',
  });
});

it('refuses a query in the address, and does not repeat it', async () => {
  const { code, stderr } = await runCommand(listSilences, { url: 'http://127.0.0.1:9/?token=canary' });
  expect([code, stderr]).toEqual([
    1,
    'error: --url or PROXYWATCH_URL: a URL with ? or # in it; expected an address to which proxywatch can append a path\n',
  ]);
});
