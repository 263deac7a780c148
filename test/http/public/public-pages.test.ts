// Tests public pages and badges of a daemon that demands a login: who gets them, with which headers, and that they show nothing
// about the accounts but their names, states and uptime.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_CURRENCY } from '../../../src/config/primitives.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { bytes, money } from '../../../src/page/format.ts';
import type { Harness } from '../../support/harness.ts';
import { PASSWORD, request } from '../web-config-support.ts';
import { buildDaemon, servePublic, TARGET, TOKEN, UNLISTED, WEB_USER } from './serve-public.ts';

let daemon: Harness;

beforeAll(async () => {
  daemon = await buildDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const PAGE = `/public/${TOKEN}`;
const BADGE = `/badge/${TOKEN}.svg`;

it('shows the page without a login, for nobody to index, keep or embed', async () => {
  await using server = await servePublic(daemon);
  const { status, headers, body } = await request(server.url + PAGE);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'x-content-type-options': 'nosniff',
  });
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect(body).toContain('<h1>Our &lt;proxies&gt;</h1>');
  expect(body).toContain('<h2>main</h2>');
  expect(body).toMatch(/<strong>(Operational|Degraded)<\/strong>/);
  expect(body).toMatch(/<dt>Uptime, 24 hours<\/dt><dd>[\d.]+%<\/dd>/);
  // The daemon is younger than 30 days.
  expect(body).toMatch(/<dt>Uptime, (1 day|2 days)<\/dt>/);
  expect(body).toContain('<meta name="robots" content="noindex, nofollow">');
  expect(body).not.toMatch(/<script|<a |src=|http:/);
});

it('shows the badge to other sites, which must ask again each time', async () => {
  await using server = await servePublic(daemon);
  const { status, headers, body } = await request(server.url + BADGE);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'image/svg+xml; charset=utf-8',
    'cache-control': 'no-cache',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-robots-tag': 'noindex, nofollow',
  });
  expect(body).toMatch(/aria-label="Our &lt;proxies&gt;: [\d.]+% up/);
});

it.each([
  `/public/${TOKEN.slice(0, -1)}`,
  `/public/${TOKEN}x`,
  `/public/${TOKEN.toUpperCase()}`,
  `/public/${TOKEN}/`,
  `/public/${TOKEN}.svg`,
  '/public/',
  `/badge/${TOKEN}`,
  `/badge/${TOKEN}.png`,
  '/badge/.svg',
])('answers %s as any unknown path', async (path) => {
  await using server = await servePublic(daemon);
  const auth = { auth: `${WEB_USER}:${PASSWORD}` };
  const unknown = await request(`${server.url}/nothing`, auth);
  const withoutDate = ({ status, headers: { date: _, ...headers }, body }: typeof unknown) => ({
    ...{ status, headers, body },
  });
  expect(unknown.status).toBe(404);
  expect(withoutDate(await request(server.url + path))).toEqual(withoutDate(unknown));
});

it('demands a login for everything else, also for other methods of the same paths', async () => {
  await using server = await servePublic(daemon);
  for (const path of ['/', '/metrics', '/public', '/assets/x/style.css', '/api/v1/status'])
    expect([path, (await request(server.url + path)).status]).toEqual([path, 401]);
  for (const method of ['POST', 'DELETE', 'OPTIONS'])
    expect((await request(server.url + PAGE, { method })).status).toBe(401);
});

it('has no page without configuration', async () => {
  await using server = await servePublic(daemon, []);
  expect((await request(server.url + PAGE)).status).toBe(404);
});

it('shows no id, address, balance, price, name or token of what it sums up, and no other account', async () => {
  await using server = await servePublic(daemon);
  const page = (await request(server.url + PAGE)).body;
  const badge = (await request(server.url + BADGE)).body;
  const canaries = await canariesOf(server.url);
  expect(canaries.length).toBeGreaterThan(60);
  expect(canaries).toContain(UNLISTED);
  for (const amount of [/^[\d.]+ GB$/, /^\d+\.\d\d$/])
    expect(canaries.some((canary) => amount.test(canary))).toBe(true);
  for (const shown of [page, badge]) expect(canaries.filter((canary) => shown.includes(canary))).toEqual([]);
});

/** Returns the texts, numbers and formatted amounts of the API, except those that a public page may have. */
const canariesOf = async (url: string): Promise<string[]> => {
  const paths = ['proxies', 'inventory', 'users', 'services', 'testers', 'targets', 'ledger', 'accounts'];
  const answers = [];
  for (const path of paths)
    answers.push(await request(`${url}/api/v1/${path}`, { auth: `${WEB_USER}:${PASSWORD}` }));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
    else if (typeof value === 'string' || typeof value === 'number') found.push(String(value));
    // Any large number may be an amount of bytes or of money.
    if (typeof value === 'number' && value >= 1_000) found.push(bytes(value), money(value, '').trim());
  };
  for (const { body } of answers) collect(JSON.parse(body).data);
  const { publicKey, privateKey, baseUrl } = daemon.simulator;
  const names = [TOKEN, TARGET, WEB_USER, 'canary.example', DEFAULT_CURRENCY];
  const own = [...names, publicKey, privateKey, baseUrl, daemon.storePath];
  // Short texts and words of the page prove nothing.
  const canaries = found.filter(
    (text) => text.length >= 4 && !/^(http|main|proxies|unknown|operational)$/.test(text),
  );
  return [...new Set([...own, ...canaries])];
};

it('logs no token, not even a misspelt one', async () => {
  await using server = await servePublic(daemon);
  const paths = [PAGE, BADGE, `${PAGE}?x=${TOKEN}`, `${PAGE}/`, `/%70ublic/${TOKEN}`, `//public/${TOKEN}`];
  for (const path of [...paths, `/Public/${TOKEN}`, `/badges/${TOKEN}`])
    for (const method of ['GET', 'POST']) await request(server.url + path, { method });
  const logged = JSON.stringify(server.lines);
  expect(server.lines.filter(({ message }) => message === 'request answered').length).toBeGreaterThan(14);
  expect(logged).toContain('/public/*');
  expect(logged).not.toContain(TOKEN);
});

it('says unknown when the tests have stopped', async () => {
  await using server = await servePublic(daemon);
  daemon.clock.advance(HOUR);
  const page = (await request(server.url + PAGE)).body;
  expect(page).toContain('<strong>Unknown</strong>');
  expect(page).toContain('<dt>Proxies up</dt><dd>unknown</dd>');
  expect((await request(server.url + BADGE)).body).toContain(': unknown"');
});

it('reads the states at most every 15 seconds, however many ask', async () => {
  await using server = await servePublic(daemon);
  let reads = 0;
  const { tests } = daemon.app.store;
  const original = tests.proxies.bind(tests);
  tests.proxies = (account) => {
    reads += 1;
    return original(account);
  };
  await Promise.all(Array.from({ length: 20 }, () => request(server.url + PAGE)));
  await request(server.url + BADGE);
  tests.proxies = original;
  expect(reads).toBe(1);
});
