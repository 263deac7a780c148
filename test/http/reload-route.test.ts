// Tests POST /-/reload: its answers, and which requests it rejects.

import { expect, it } from 'vitest';
import type { ReloadAnswer } from '../../src/http/daemon-view.ts';
import { startServer } from './support.ts';

const RELOADED: ReloadAnswer = {
  result: 'reloaded',
  added: ['shop'],
  changed: ['main/traffic'],
  removed: [],
  needsRestart: ['server.listen'],
};
const MISTAKE = { file: 'c.yaml', line: 3, column: 5, path: 'accounts[0].name', message: 'expected text' };

it.each<[ReloadAnswer, number, object]>([
  [
    RELOADED,
    200,
    { added: ['shop'], changed: ['main/traffic'], removed: [], needs_restart: ['server.listen'] },
  ],
  [
    { result: 'mistakes', mistakes: [MISTAKE] },
    400,
    { error: 'the configuration has mistakes; the old configuration stays in effect', mistakes: [MISTAKE] },
  ],
  [
    { result: 'failed', error: 'the disk is full' },
    500,
    { error: 'the disk is full; the old configuration stays in effect' },
  ],
  [{ result: 'no_file' }, 501, { error: 'this daemon has no configuration file, so it cannot reload' }],
])('answers %o with %i', async (answer, status, body) => {
  await using server = await startServer({}, async () => answer);
  const response = await fetch(`${server.url}/-/reload`, { method: 'POST' });
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual(body);
});

it.each<[string, RequestInit]>([
  [
    'an empty form, as of curl -d ""',
    { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ],
  ['a form', { body: new URLSearchParams({ a: 'b' }) }],
  ['invalid JSON', { body: '{', headers: { 'content-type': 'application/json' } }],
])('ignores a body: %s', async (_, init) => {
  await using server = await startServer({}, async () => RELOADED);
  expect((await fetch(`${server.url}/-/reload`, { method: 'POST', ...init })).status).toBe(200);
});

it.each([
  ['of another site', { origin: 'https://example.com' }],
  ['of a file or a sandbox', { origin: 'null' }],
  [
    'of its own name, which may be that of a foreign page (DNS rebinding)',
    { origin: 'http://demo.localhost:9876', host: 'demo.localhost:9876' },
  ],
  ['whose browser sends only Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
])('rejects a page %s', async (_, headers) => {
  let reloads = 0;
  await using server = await startServer({}, async () => {
    reloads += 1;
    return RELOADED;
  });
  const response = await fetch(`${server.url}/-/reload`, { method: 'POST', headers });
  expect([response.status, reloads]).toEqual([403, 0]);
});

it('does not accept GET', async () => {
  await using server = await startServer();
  const response = await fetch(`${server.url}/-/reload`);
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
});
