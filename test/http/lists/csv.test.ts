// Tests lists as CSV: all pages at once, one page with a link to the next, and texts that spreadsheets would run.

import { expect, it } from 'vitest';
import type { StoredAlert } from '../../../src/store/alert-store.ts';
import { alertView, NOW, startServer } from '../support.ts';
import { parseCsv } from './parse-csv.ts';

const alertOf = (n: number, subject = `user-${n}`): StoredAlert => ({
  ...{ account: 'main', alert: `Low${String(n).padStart(5, '0')}`, labels: { subject }, severity: 'warning' },
  ...{ value: 0.5, step: 0, since: NOW, firingSince: NOW, absentSince: null, skippedMs: 0, endedAt: null },
});
const serve = (count: number) =>
  startServer({ alerts: alertView(Array.from({ length: count }, (_, n) => alertOf(n))) });
const namesIn = (text: string): (string | undefined)[] =>
  parseCsv(text)
    .slice(1)
    .map(([alert]) => alert);

it('a list without a limit is sent whole', async () => {
  await using server = await serve(1_203);
  const response = await fetch(`${server.url}/api/v1/alerts?format=csv&sort=-alert`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="alerts.csv"',
  });
  expect([response.headers.get('link'), response.headers.get('etag')]).toEqual([null, null]);
  const names = namesIn(await response.text());
  expect(names).toEqual(Array.from({ length: 1_203 }, (_, n) => alertOf(1_202 - n).alert));
});

it('a list with a limit is one page, and links the next one', async () => {
  await using server = await serve(5);
  const names: unknown[] = [];
  let url: string | undefined = `${server.url}/api/v1/alerts?format=csv&limit=2&q=low`;
  for (let pages = 0; url !== undefined; pages += 1) {
    const response: Response = await fetch(url);
    names.push(...namesIn(await response.text()));
    const [, next] = /^<(.*)>; rel="next"$/.exec(response.headers.get('link') ?? '') ?? [];
    url = next && new URL(next, url).href;
    expect(pages).toBeLessThan(3);
  }
  expect(names).toEqual(Array.from({ length: 5 }, (_, n) => alertOf(n).alert));
});

it('a text that a spreadsheet would run begins with an apostrophe, and a number does not', async () => {
  const formulas = ['=1+1', '+1', '-1', '@a', '\tx', "'a", '\r', 'a=1', '1', '＝1'].map((name, n) => ({
    ...alertOf(n),
    alert: name,
    value: -1,
  }));
  await using server = await startServer({ alerts: alertView(formulas) });
  const text = await (await fetch(`${server.url}/api/v1/alerts?format=csv&sort=id`)).text();
  expect(text.split(/(?<!")\r\n/).map((line) => line.split(',')[0])).toEqual([
    'alert',
    "'\tx",
    '"\'\r"',
    "''a",
    "'+1",
    "'-1",
    '1',
    "'=1+1",
    "'@a",
    'a=1',
    "'＝1",
    '',
  ]);
  expect(text).toMatch(/^'-1,.*,-1,/m);
});

it('mistakes are answered with 400, and an empty list has its header', async () => {
  await using server = await serve(0);
  const wrong = await fetch(`${server.url}/api/v1/alerts?format=xml`);
  expect([wrong.status, await wrong.json()]).toEqual([400, { error: 'format: expected one of json, csv' }]);
  const cursor = Buffer.from('main\nx').toString('base64url');
  expect((await fetch(`${server.url}/api/v1/alerts?format=csv&cursor=${cursor}`)).status).toBe(400);
  const empty = await (await fetch(`${server.url}/api/v1/proxies?format=csv`)).text();
  expect(empty).toMatch(/^account,proxy_id,name,.*,uptime\.24h\.ratio,.*,tests\r\n$/);
  expect((await fetch(`${server.url}/api/v1/alerts?format=csv`, { method: 'HEAD' })).status).toBe(200);
});
