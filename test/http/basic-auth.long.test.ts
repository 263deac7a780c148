// Tests web.yml's users and headers: which requests are authorized, and which headers every answer has.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  HASH,
  OTHER_HASH,
  OTHER_PASSWORD,
  PASSWORD,
  request,
  startWebServer,
  TLS,
  type WebServer,
} from './web-config-support.ts';

const as = (user: string, password: string) => ({ auth: `${user}:${password}` });

const USERS = { basic_auth_users: { prometheus: HASH } };

describe('users', () => {
  it.each([
    ['no credentials', {}, 401],
    ['the user', as('prometheus', PASSWORD), 200],
    ['the user with another password', as('prometheus', 'guess'), 401],
    ['an unknown user', as('nobody', PASSWORD), 401],
    ['a property name of every object', as('constructor', PASSWORD), 401],
    ['a header of another kind', { headers: { authorization: `Bearer ${PASSWORD}` } }, 401],
    ['a header without a colon', { headers: { authorization: `Basic ${btoa('prometheus')}` } }, 401],
  ])('are authorized or not: %s', async (_, options, status) => {
    await using server = await startWebServer(USERS);
    expect((await request(`${server.url}/metrics`, options)).status).toBe(status);
  });

  it.each(['/', '/metrics', '/-/healthy', '/-/ready', '/api/v1/status', '/nothing'])(
    'must authenticate for %s',
    async (path) => {
      await using server = await startWebServer(USERS);
      for (const method of ['GET', 'POST', 'DELETE']) {
        expect(await request(server.url + path, { method })).toMatchObject({
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

  it.each(['$2a', '$2b', '$2y'])('may have hashes with the prefix %s', async (kind) => {
    await using server = await startWebServer({ basic_auth_users: { me: HASH.replace('$2b', kind) } });
    expect((await request(`${server.url}/metrics`, as('me', PASSWORD))).status).toBe(200);
  });

  it('may have a password with colons and letters of any script', async () => {
    const hash = '$2b$04$m2SI9gLxWWXoQNUsWdCDKOmHnVitxnqbS5yjVWmBHaj6JbtGz9Mv2';
    await using server = await startWebServer({ basic_auth_users: { zoë: hash } });
    expect((await request(`${server.url}/metrics`, as('zoë', 'pass:wörd:€'))).status).toBe(200);
  });

  it('change with the file', async () => {
    await using server = await startWebServer(USERS);
    const get = async (password: string) =>
      (await request(`${server.url}/metrics`, as('prometheus', password))).status;
    expect(await get(PASSWORD)).toBe(200);
    server.configure({ basic_auth_users: { prometheus: OTHER_HASH } });
    expect([await get(PASSWORD), await get(OTHER_PASSWORD)]).toEqual([401, 200]);
    server.configure({});
    expect(await get('anything')).toBe(200);
  });

  it('stay while the file is invalid, which is logged once and without a hash', async () => {
    await using server = await startWebServer(USERS);
    server.configure({ basic_auth_users: { prometheus: OTHER_HASH.slice(0, -1) } });
    const get = async (password: string) =>
      (await request(`${server.url}/metrics`, as('prometheus', password))).status;
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

  it('are required over TLS too', async () => {
    await using server = await startWebServer({ tls_server_config: TLS, ...USERS });
    expect((await request(`${server.url}/metrics`)).status).toBe(401);
    expect((await request(`${server.url}/metrics`, as('prometheus', PASSWORD))).status).toBe(200);
  });
});

/** A comparison with this hash would take years. */
const ENDLESS = { endless: HASH.replace('$04$', '$31$') };

/** Opens a connection that waits for the verdict on a guess. */
class Guess {
  readonly #sent: ClientRequest;
  readonly answer: Promise<IncomingMessage>;

  constructor(url: string, password: string, user = 'endless') {
    this.#sent = get(`${url}/metrics`, { agent: false, ...as(user, password) });
    this.answer = once(this.#sent, 'response').then(([response]) => response);
    this.answer.catch(() => {});
  }

  giveUp(): void {
    this.#sent.destroy();
  }
}

describe('guesses', () => {
  const statusOf = async (server: WebServer, user: string, password: string) =>
    (await request(`${server.url}/metrics`, as(user, password))).status;

  /** Sends guesses until the queue is full, and returns those that wait. */
  const fillQueue = async (server: WebServer, user = 'endless'): Promise<Guess[]> => {
    const guesses = Array.from({ length: 10 }, (_, i) => new Guess(server.url, `guess-${i}`, user));
    const waiting = new Set(guesses);
    for (const _ of ['ninth', 'tenth']) {
      const answered = [...waiting].map(async (guess) => ({ guess, response: await guess.answer }));
      const { guess, response } = await Promise.race(answered);
      expect(response).toMatchObject({ statusCode: 429, headers: { 'retry-after': '5' } });
      waiting.delete(guess);
    }
    return [...waiting];
  };

  // Guesses for unknown users take as long as those for the user with the most expensive hash.
  it.each(['endless', 'nobody'])(
    'beyond eight are rejected until clients of the others have gone: %s',
    async (user) => {
      await using server = await startWebServer({ basic_auth_users: { prometheus: HASH, ...ENDLESS } });
      const waiting = await fillQueue(server, user);
      expect(await statusOf(server, 'prometheus', PASSWORD)).toBe(429);
      for (const guess of waiting) guess.giveUp();
      await vi.waitUntil(async () => (await statusOf(server, 'prometheus', PASSWORD)) === 200, 20_000);
    },
  );

  it('that are rejected are logged once, and once when there have been none for a minute', async () => {
    await using server = await startWebServer({ basic_auth_users: ENDLESS });
    const logged = () => server.lines.filter(({ level }) => level !== 'trace');
    const begin = {
      level: 'warn',
      message: expect.stringMatching(/^too many passwords/),
      address: '127.0.0.1',
    };
    const waiting = await fillQueue(server);
    expect(logged()).toEqual([begin]);
    server.clock.advance(59_000);
    expect((await request(`${server.url}/metrics`)).status).toBe(401);
    expect(logged()).toHaveLength(1);
    server.clock.advance(1_000);
    expect((await request(`${server.url}/metrics`)).status).toBe(401);
    expect(logged()).toEqual([begin, { level: 'info', message: 'proxywatch checks all passwords again' }]);
    for (const guess of waiting) guess.giveUp();
  });

  it('do not delay known passwords, also after a reload that keeps the hash', async () => {
    await using server = await startWebServer({ basic_auth_users: { prometheus: HASH } });
    expect(await statusOf(server, 'prometheus', PASSWORD)).toBe(200);
    server.configure({ basic_auth_users: { prometheus: HASH, other: OTHER_HASH, ...ENDLESS } });
    expect(await statusOf(server, 'prometheus', 'old')).toBe(401);
    const waiting = await fillQueue(server);
    expect(await statusOf(server, 'prometheus', PASSWORD)).toBe(200);
    expect(await statusOf(server, 'prometheus', 'old')).toBe(401);
    expect(await statusOf(server, 'other', OTHER_PASSWORD)).toBe(429);
    for (const guess of waiting) guess.giveUp();
  });

  it('that are the same share one comparison', async () => {
    await using server = await startWebServer(USERS);
    const all = (password: string) =>
      Array.from({ length: 50 }, () => statusOf(server, 'prometheus', password));
    const [right, wrong] = [all(PASSWORD), all('wrong')];
    expect(new Set(await Promise.all(right))).toEqual(new Set([200]));
    expect(new Set(await Promise.all(wrong))).toEqual(new Set([401]));
  });

  it('do not delay the end of the server', async () => {
    const server = await startWebServer({ basic_auth_users: ENDLESS });
    await fillQueue(server);
    await server[Symbol.asyncDispose]();
  });
});

describe('headers', () => {
  it('are on every answer, and replace the default ones', async () => {
    const headers = {
      'Strict-Transport-Security': 'max-age=31536000',
      'X-Frame-Options': 'deny',
      'Content-Security-Policy': "default-src 'self'",
    };
    await using server = await startWebServer({ http_server_config: { headers } });
    for (const path of ['/', '/metrics', '/nothing']) {
      expect((await request(server.url + path)).headers).toMatchObject({
        'strict-transport-security': 'max-age=31536000',
        'x-frame-options': 'deny',
        'content-security-policy': "default-src 'self'",
        'x-content-type-options': 'nosniff',
      });
    }
  });
});
