// web.yml's users and headers: who is let in, what is told of passwords, and what every answer carries.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ask,
  HASH,
  OTHER_HASH,
  OTHER_PASSWORD,
  PASSWORD,
  SLOW_HASH,
  startWebServer,
  TLS,
} from './web-config-support.ts';

const as = (user: string, password: string) => ({ auth: `${user}:${password}` });

const USERS = { basic_auth_users: { prometheus: HASH } };

describe('users', () => {
  it.each([
    ['nobody', {}, 401],
    ['the user', as('prometheus', PASSWORD), 200],
    ['the user with another password', as('prometheus', 'guess'), 401],
    ['an unknown user', as('nobody', PASSWORD), 401],
    ['a name of every object', as('constructor', PASSWORD), 401],
    ['a header of another kind', { headers: { authorization: `Bearer ${PASSWORD}` } }, 401],
    ['a header without a colon', { headers: { authorization: `Basic ${btoa('prometheus')}` } }, 401],
  ])('lets %s in or not', async (_, options, status) => {
    await using server = await startWebServer(USERS);
    expect((await ask(`${server.url}/metrics`, options)).status).toBe(status);
  });

  it.each(['/', '/metrics', '/-/healthy', '/-/ready', '/api/v1/status', '/nothing'])(
    'have to name themselves for %s',
    async (path) => {
      await using server = await startWebServer(USERS);
      for (const method of ['GET', 'POST', 'DELETE']) {
        expect(await ask(server.url + path, { method })).toMatchObject({
          status: 401,
          headers: {
            'www-authenticate': 'Basic realm="proxywatch", charset="UTF-8"',
            'cache-control': 'no-store',
          },
          body: '{"error":"a user name and a password are needed"}',
        });
      }
    },
  );

  it.each(['$2a', '$2b', '$2y'])('have hashes of the kind %s', async (kind) => {
    await using server = await startWebServer({ basic_auth_users: { me: HASH.replace('$2b', kind) } });
    expect((await ask(`${server.url}/metrics`, as('me', PASSWORD))).status).toBe(200);
  });

  it('have a password with colons and letters of any script', async () => {
    const hash = '$2b$04$m2SI9gLxWWXoQNUsWdCDKOmHnVitxnqbS5yjVWmBHaj6JbtGz9Mv2';
    await using server = await startWebServer({ basic_auth_users: { zoë: hash } });
    expect((await ask(`${server.url}/metrics`, as('zoë', 'pass:wörd:€'))).status).toBe(200);
  });

  it('do not wait for the guesses of others once they were let in', async () => {
    await using server = await startWebServer({ basic_auth_users: { prometheus: SLOW_HASH } });
    const get = async (user: string, password: string) =>
      (await ask(`${server.url}/metrics`, as(user, password))).status;
    expect(await get('prometheus', PASSWORD)).toBe(200);
    const order: string[] = [];
    const guesses = ['one', 'two', 'three', 'four'].map(async (guess) => {
      expect(await get(guess === 'four' ? 'prometheus' : 'nobody', guess)).toBe(401);
      order.push(guess);
    });
    expect(await get('prometheus', PASSWORD)).toBe(200);
    order.push('known');
    await Promise.all(guesses);
    // Nor do guesses end sooner because there is no such user.
    expect(order.indexOf('known')).toBeLessThan(order.indexOf('three'));
  });

  it('change with the file', async () => {
    await using server = await startWebServer(USERS);
    const get = async (password: string) =>
      (await ask(`${server.url}/metrics`, as('prometheus', password))).status;
    expect(await get(PASSWORD)).toBe(200);
    server.configure({ basic_auth_users: { prometheus: OTHER_HASH } });
    expect([await get(PASSWORD), await get(OTHER_PASSWORD)]).toEqual([401, 200]);
    server.configure({});
    expect(await get('anything')).toBe(200);
  });

  it('stay while the file is not sound, which is told once and without a hash', async () => {
    await using server = await startWebServer(USERS);
    server.configure({ basic_auth_users: { prometheus: OTHER_HASH.slice(0, -1) } });
    const get = async (password: string) =>
      (await ask(`${server.url}/metrics`, as('prometheus', password))).status;
    expect([await get(PASSWORD), await get(OTHER_PASSWORD)]).toEqual([200, 401]);
    const errors = server.lines.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(server.lines)).not.toMatch(/canary|\$2b/);
    expect(errors[0]?.mistakes).toEqual([
      expect.stringMatching(/web\.yml:1:\d+: basic_auth_users\.prometheus: expected a bcrypt hash/),
    ]);
    writeFileSync(
      join(server.folder, 'web.yml'),
      JSON.stringify({ basic_auth_users: { prometheus: OTHER_HASH } }),
    );
    expect(await get(OTHER_PASSWORD)).toBe(200);
  });

  it('are asked for over TLS as well', async () => {
    await using server = await startWebServer({ tls_server_config: TLS, ...USERS });
    expect((await ask(`${server.url}/metrics`)).status).toBe(401);
    expect((await ask(`${server.url}/metrics`, as('prometheus', PASSWORD))).status).toBe(200);
  });
});

describe('headers', () => {
  it('are on every answer, in the place of our own', async () => {
    const headers = {
      'Strict-Transport-Security': 'max-age=31536000',
      'X-Frame-Options': 'deny',
      'Content-Security-Policy': "default-src 'self'",
    };
    await using server = await startWebServer({ http_server_config: { headers } });
    for (const path of ['/', '/metrics', '/nothing']) {
      expect((await ask(server.url + path)).headers).toMatchObject({
        'strict-transport-security': 'max-age=31536000',
        'x-frame-options': 'deny',
        'content-security-policy': "default-src 'self'",
        'x-content-type-options': 'nosniff',
      });
    }
  });
});
