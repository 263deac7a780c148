// Tests a public page in Chromium, light and dark: without a login it is drawn with its style, and loads nothing else. A page of
// another site can show its badge.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDaemon, servePublic, TOKEN, UNLISTED } from '../http/public/serve-public.ts';
import type { Harness } from '../support/harness.ts';
import { axeFindings, brokenWords, openBrowser, visit } from './browser.ts';
import { describeWith } from './with-programs.ts';

describeWith(['chromium'], 'a public page', () => {
  let daemon: Harness;
  beforeAll(async () => {
    daemon = await buildDaemon();
  });
  afterAll(() => daemon[Symbol.asyncDispose]());

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('is drawn without a login, %i pixels wide, %s', async (width, colorScheme) => {
    await using server = await servePublic(daemon);
    await using browser = await openBrowser();
    const url = `${server.url}/public/${TOKEN}`;
    await using visited = await visit(browser, url, { viewport: { width, height: 844 }, colorScheme });
    const { page, problems } = visited;
    expect(problems).toEqual([]);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Our <proxies>');
    expect(await page.content()).not.toContain(UNLISTED);
    const color = await page.evaluate(`getComputedStyle(document.querySelector('strong')).color`);
    expect(color).toBe(colorScheme === 'light' ? 'rgb(23, 105, 58)' : 'rgb(130, 216, 165)');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await brokenWords(page)).toEqual([]);
    expect(await axeFindings(page)).toEqual([]);
  });

  test('has a badge that other sites can show', async () => {
    await using server = await servePublic(daemon);
    await using browser = await openBrowser();
    const other = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><title>x</title><img src="${server.url}/badge/${TOKEN}.svg" alt="state">`);
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const page = await browser.newPage();
    await page.goto(`http://localhost:${port}/`);
    const size =
      'const {naturalWidth, naturalHeight} = document.images[0]; [naturalWidth > 100, naturalHeight]';
    expect(await page.evaluate(size)).toEqual([true, 20]);
    other.close();
  });
});
