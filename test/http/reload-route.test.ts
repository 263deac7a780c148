// POST /-/reload: what the answers are, and who may not ask.

import { expect, it } from 'vitest';
import type { ReloadAnswer } from '../../src/http/view.ts';
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
    { error: 'the configuration has mistakes; the old configuration goes on', mistakes: [MISTAKE] },
  ],
  [
    { result: 'failed', error: 'the disk is full' },
    500,
    { error: 'the disk is full; the old configuration goes on' },
  ],
  [{ result: 'no_file' }, 501, { error: 'this daemon has no configuration file (the demo has none)' }],
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
  ['JSON that is none', { body: '{', headers: { 'content-type': 'application/json' } }],
])('does not look at a body: %s', async (_, init) => {
  await using server = await startServer({}, async () => RELOADED);
  expect((await fetch(`${server.url}/-/reload`, { method: 'POST', ...init })).status).toBe(200);
});

it.each([
  ['of another site', { origin: 'https://example.com' }],
  ['of a file or a sandbox', { origin: 'null' }],
  [
    'of a name that leads here, for once',
    { origin: 'http://rebound.example:9876', host: 'rebound.example:9876' },
  ],
  ['whose browser says where it comes from', { 'sec-fetch-site': 'same-origin' }],
])('refuses a page %s', async (_, headers) => {
  let asked = 0;
  await using server = await startServer({}, async () => {
    asked += 1;
    return RELOADED;
  });
  const response = await fetch(`${server.url}/-/reload`, { method: 'POST', headers });
  expect([response.status, asked]).toEqual([403, 0]);
});

it('is not for GET', async () => {
  await using server = await startServer();
  const response = await fetch(`${server.url}/-/reload`);
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
});
