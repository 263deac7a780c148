// Tests under which host names the server answers, so that a foreign page cannot read it by DNS rebinding.

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, test } from 'vitest';
import type { DaemonView } from '../../src/http/daemon-view.ts';
import type { HostSettings } from '../../src/http/host-check.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { NOW, noReload } from './support.ts';

const start = (host: string, settings: Partial<HostSettings>, warnings: unknown[] = []) =>
  startHttpServer({
    listen: { host, port: 0 },
    hosts: () => ({ allowedHosts: [], ...settings }),
    view: {} as DaemonView,
    reload: noReload,
    clock: new FakeClock(NOW),
    log: { ...silentLog, warn: (fields) => void warnings.push(fields) },
  });

/** Sends a request with these lines after the first, and returns the whole answer. */
const answerTo = async ({ address }: HttpServer, lines: string, version = '1.1', path = '/-/healthy') => {
  const host = address.host === '0.0.0.0' ? '127.0.0.1' : address.host;
  const socket = connect(address.port, host);
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/${version}\r\n${lines}Connection: close\r\n\r\n`);
  return text(socket);
};

const statusFor = async (server: HttpServer, host: string): Promise<number> =>
  Number((await answerTo(server, `Host: ${host}\r\n`)).split(' ')[1]);

const NAMES = { allowedHosts: ['proxy.example'], externalUrls: ['https://watch.example:8443/path/'] };
/** An attacker controls these names, some of which look like allowed ones. */
const FOREIGN = [
  'rebound.example',
  'localhost.rebound.example',
  'notlocalhost',
  'proxy.example.rebound.example',
  'sub.proxy.example',
  '127.0.0.1.rebound.example',
  '127.1',
  '0x7f000001',
  'rebound.example@localhost',
  '[::1].rebound.example',
  'watch.example:8443/path/',
];

describe.each([
  ['127.0.0.1', {}],
  ['localhost', {}],
  ['127.0.0.1', NAMES],
  ['0.0.0.0', NAMES],
])('a server on %s with the settings %j', (host, settings) => {
  it('answers its own names and all IP addresses, with any port', async () => {
    await using server = await start(host, settings);
    const local = ['localhost', 'LocalHost.', 'demo.localhost', '127.0.0.1', '127.8.9.10', '[::1]'];
    // A supervisor or Prometheus in a cluster requests the address of the pod.
    const remote = ['192.0.2.7', '[2001:db8::7]'];
    const named = 'allowedHosts' in settings ? ['proxy.example', 'PROXY.example.', 'watch.example'] : [];
    for (const name of [...local, ...remote, ...named])
      expect([name, await statusFor(server, name), await statusFor(server, `${name}:1234`)]).toEqual([
        name,
        200,
        200,
      ]);
  });

  it('refuses foreign names, before it looks at the path', async () => {
    await using server = await start(host, settings);
    const foreign = 'allowedHosts' in settings ? FOREIGN : [...FOREIGN, 'proxy.example', 'watch.example'];
    for (const name of foreign) expect([name, await statusFor(server, name)]).toEqual([name, 421]);
    expect(await answerTo(server, 'Host: rebound.example\r\n', '1.1', '/nowhere')).toMatch(
      /^HTTP\/1\.1 421 /,
    );
  });

  it('answers HTTP/1.0 without a name', async () => {
    await using server = await start(host, settings);
    expect(await answerTo(server, '', '1.0')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await answerTo(server, 'Host:\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('the answer names the setting, and the log names the host once', async () => {
  const warnings: unknown[] = [];
  await using server = await start('127.0.0.1', {}, warnings);
  const answer = await answerTo(server, 'Host: rebound.example:80\r\n');
  await answerTo(server, 'Host: other.example\r\n');
  expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\ncontent-type: application\/json/);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
    error:
      'proxywatch does not know the host name of this request; use an IP address or localhost, or add the name to the setting server.allowed_hosts',
  });
  expect(warnings).toEqual([{ host: 'rebound.example:80' }]);
});

test('a server answers the name on which it listens', async () => {
  // The system resolves this to a loopback address without asking anyone, but it is not a complete address.
  await using server = await start('127.1', {});
  expect([await statusFor(server, '127.1:80'), await statusFor(server, '127.2')]).toEqual([200, 421]);
});

test('without names, a server for other machines answers every name', async () => {
  await using server = await start('0.0.0.0', { externalUrls: ['https://watch.example/'] });
  expect(await statusFor(server, 'rebound.example')).toBe(200);
});

test('a star allows every name, and new settings take effect at once', async () => {
  let allowedHosts: string[] = [];
  await using server = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, hosts: () => ({ allowedHosts }) },
    ...{ view: {} as DaemonView, reload: noReload, clock: new FakeClock(NOW), log: silentLog },
  });
  expect(await statusFor(server, 'any.example')).toBe(421);
  allowedHosts = ['*'];
  expect(await statusFor(server, 'any.example')).toBe(200);
});
