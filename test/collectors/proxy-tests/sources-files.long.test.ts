// Tests proxies found in files: what is read, which mistakes are reported, and what is kept when a file becomes invalid.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSettings } from '../../../src/daemon/load-settings.ts';
import type { Settings } from '../../../src/daemon/settings.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { createFolder } from '../../config/support.ts';
import type { Harness } from '../../support/harness.ts';
import { lastRun } from '../stub-account.ts';
import { buildHarnessFor, recordedLog, shownProxyIds } from './sources-support.ts';

const ONE = '192.0.2.1:8080:alice:hunter2';
const TWO = '192.0.2.2:8080:alice:hunter2';

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-sources-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const round = (harness: Harness): Promise<void> => harness.advance(10 * MINUTE);

/** Builds a daemon that tests the proxies of these files, with their folder and its logged warnings. */
const build = async (files: Readonly<Record<string, string>>, pattern = '*') => {
  const folder = makeFolder();
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const { log, lines } = recordedLog();
  const harness = await buildHarnessFor([{ file: join(folder, pattern) }], { log });
  const warnings = () => lines.filter((line) => line.startsWith('warn'));
  return { harness, folder, write, warnings };
};

describe('a file of proxies', () => {
  it.each([
    ['lines', 'a.txt', `# fleet\n\n${ONE}\r\n${TWO}\n`],
    ['a YAML list', 'a.yaml', `- ${ONE}\n- proxy: "${TWO}"\n`],
    ['a JSON list', 'a.json', JSON.stringify([{ proxy: ONE }, TWO])],
  ])('is read as %s', async (_, name, text) => {
    const { harness } = await build({ [name]: text });
    await using _harness = harness;
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080', '192.0.2.2:8080']);
    const samples = await harness.samples();
    expect(samples.all('proxywatch_proxy_test_success').every(({ value }) => value === 1)).toBe(true);
    expect(harness.simulator.requests.count('proxy_test_run/create', 200)).toBe(1);
  });

  it('may name a proxy, its id and its product type', async () => {
    const { harness } = await build({
      'a.yaml': `- {name: shop, product_type: isp, proxy: "${ONE}"}\n- {name: b, proxy_id: id-2, proxy: "${TWO}"}`,
    });
    await using _harness = harness;
    const infos = (await harness.samples()).all('proxywatch_proxy_info').map(({ labels }) => labels);
    expect(infos).toMatchObject([
      { proxy_id: 'id-2', name: 'b', product_type: '' },
      { proxy_id: 'shop', name: 'shop', product_type: 'isp' },
    ]);
  });

  it('keeps the lines as they are, including dollars', async () => {
    const { harness } = await build({ 'a.yaml': `- 192.0.2.1:8080:alice:pa$$$\{HOME}\n` });
    await using _harness = harness;
    const { body } = harness.simulator.requests.recent.at(-1) ?? {};
    expect(body).toContain(`"192.0.2.1:8080:alice:pa$$$\{HOME}"`);
  });

  it('is read again when it has changed, at the next round', async () => {
    const { harness, write } = await build({ 'a.txt': ONE });
    await using _harness = harness;
    write('a.txt', TWO);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080']);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.2:8080']);
    write('b.txt', ONE);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080', '192.0.2.2:8080']);
  });

  it('is logged with the number of a line that cannot be used, once for each change and without its text', async () => {
    const { harness, write, warnings } = await build({ 'a.txt': `${ONE}\n192.0.2.9:http:bob:hunter2\n` });
    await using _harness = harness;
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080']);
    expect(warnings()).toEqual([expect.stringContaining('/a.txt:2:1: expected a port from 1 to 65535')]);
    await round(harness);
    expect(warnings()).toHaveLength(1);
    write('a.txt', `${ONE}\n\n192.0.2.9:http:bob:hunter2\n`);
    await round(harness);
    expect(warnings()[1]).toContain('/a.txt:3:1: ');
    expect(warnings().join()).not.toMatch(/hunter2|bob|192\.0\.2\.9/);
  });

  it('has entries that cannot be used counted at every round', async () => {
    const { harness } = await build({
      'a.txt': `${ONE}\nhunter2\n`,
      'b.yaml': `- ${TWO}\n- {prxy: hunter2}\n`,
    });
    await using _harness = harness;
    const skipped = async () =>
      (await harness.samples()).value('proxywatch_items_skipped_total', { collector: 'proxy_tests' });
    expect(await skipped()).toBe(2);
    await round(harness);
    expect(await skipped()).toBe(4);
  });

  it.each([
    ['is no longer a list', 'a.yaml', `- ${ONE}\n- ${TWO}\n`, 'proxies: [hunter2'],
    ['is cut off', 'a.json', JSON.stringify([ONE, TWO]), `["${ONE}", "192.0`],
    ['is empty for a moment', 'a.yaml', `- ${ONE}\n- ${TWO}\n`, ''],
  ])('keeps its last good list when it %s', async (_, name, good, bad) => {
    const { harness, write, warnings } = await build({ [name]: good });
    await using _harness = harness;
    write(name, bad);
    await round(harness);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080', '192.0.2.2:8080']);
    expect(harness.simulator.requests.count('proxy_test_run/create', 200)).toBe(3);
    expect(warnings()).toEqual([expect.stringContaining('keeps testing its last valid list')]);
    expect(warnings().join()).not.toContain('hunter2');
  });

  it('keeps its last good list while it cannot be read, which is logged once', async () => {
    const { harness, folder, write, warnings } = await build({ 'a.txt': ONE });
    await using _harness = harness;
    rmSync(join(folder, 'a.txt'));
    // A folder takes its place, because permissions do not keep root from reading a file.
    mkdirSync(join(folder, 'a.txt'));
    await round(harness);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080']);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'internal' });
    expect(warnings()).toEqual([expect.stringContaining('cannot read this file (it is a folder)')]);
    rmSync(join(folder, 'a.txt'), { recursive: true });
    write('a.txt', TWO);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.2:8080']);
  });

  it('keeps its proxies while it is missing, which is logged once and makes each run partial', async () => {
    const { harness, folder, write, warnings } = await build({ 'a.txt': ONE }, 'a.txt');
    await using _harness = harness;
    rmSync(join(folder, 'a.txt'));
    for (const _ of [1, 2, 3]) {
      await round(harness);
      expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080']);
      expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'internal' });
    }
    expect(harness.simulator.requests.count('proxy_test_run/create', 200)).toBe(4);
    expect(warnings()).toEqual([expect.stringContaining('cannot read this file (no such file)')]);
    // After a restart the missing file does not count as an empty list either, although the password is lost.
    await harness.restart();
    for (const _ of [1, 2, 3]) await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080']);
    expect(harness.simulator.requests.count('proxy_test_run/create', 200)).toBe(4);
    write('a.txt', TWO);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.2:8080']);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
  });

  it('is read although a search before it meets a provider that is down', async () => {
    const { harness, folder, write } = await build({ 'a.txt': ONE }, 'a.txt');
    await using _harness = harness;
    const proxies = [{ search: {} }, { file: join(folder, 'a.txt') }];
    await harness.restart({ proxy_tests: { urls: ['https://example.com/'], proxies } });
    harness.simulator.faults.add({ kind: 'status', endpoint: 'proxy/search', status: 503 });
    await harness.restart();
    write('a.txt', TWO);
    await round(harness);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'server' });
    const { body } = harness.simulator.requests.recent.at(-1) ?? {};
    expect(JSON.parse(String(body)).proxies).toEqual([{ proxy_string: TWO }]);
  });

  it('that a pattern no longer finds counts as removed when it is not found twice in a row', async () => {
    const { harness, folder, write } = await build({ 'a.txt': ONE, 'b.txt': TWO });
    await using _harness = harness;
    rmSync(join(folder, 'a.txt'));
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080', '192.0.2.2:8080']);
    write('a.txt', ONE);
    await round(harness);
    rmSync(join(folder, 'a.txt'));
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080', '192.0.2.2:8080']);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.2:8080']);
  });

  it('may be removed with all others of its pattern, which leaves no proxies and a warning', async () => {
    const { harness, folder, warnings } = await build({ 'a.txt': ONE });
    await using _harness = harness;
    rmSync(join(folder, 'a.txt'));
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080']);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual([]);
    expect((await harness.samples()).all('proxywatch_fault', { kind: 'proxy' })).toEqual([]);
    expect(warnings()).toEqual([expect.stringContaining('there is no file of proxies at this path')]);
  });

  it('that has become empty loses its proxies when it is empty at the next round too', async () => {
    const { harness, write } = await build({ 'a.txt': ONE });
    await using _harness = harness;
    write('a.txt', '');
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual(['192.0.2.1:8080']);
    await round(harness);
    expect(await shownProxyIds(harness)).toEqual([]);
  });
});

describe('the configuration with files of proxies', () => {
  const load = (files: Readonly<Record<string, string>>, entry = '{file: "proxies/*"}') => {
    const proxies = `proxies: [${entry}]`;
    const folder = createFolder({
      'config.yaml': `accounts:
- {name: main, base_url: "https://example.com/", public_key: a, private_key: b, proxy_tests:
    {urls: ["https://example.com/"],
     ${proxies}}}
`,
      ...files,
    });
    return (): Settings => loadSettings(join(folder, 'config.yaml'), {}).config;
  };
  const messageOf = (load: () => unknown): string => {
    try {
      load();
    } catch (error) {
      return error instanceof Error ? error.message.replaceAll(/\/\S*\/(?=proxies|config)/g, '') : '';
    }
    return 'no mistake';
  };

  it('is valid if there is no file yet', () => {
    expect(messageOf(load({}))).toBe('no mistake');
  });

  it('names each mistake by file, line and column, and shows none of its text', () => {
    const message = messageOf(
      load({
        'proxies/a.yaml': `- ${ONE}\n- {name: x, prxy: "${TWO}"}\n- 192.0.2.3:hunter2\n`,
        'proxies/b.txt': `${TWO}\nhunter2\n${TWO}\n`,
      }),
    );
    expect(message.split('\n')).toEqual([
      'config.yaml:4:16: accounts[0].proxy_tests.proxies[0]: proxies/a.yaml:2:13: [1].prxy: unknown key; did you mean "proxy"?',
      'config.yaml:4:16: accounts[0].proxy_tests.proxies[0]: proxies/a.yaml:2:3: [1].proxy: missing; expected proxy or proxy_file',
      'config.yaml:4:16: accounts[0].proxy_tests.proxies[0]: proxies/a.yaml:3:3: [2]: not a valid proxy: expected host:port:username:password or a URL such as http://username:password@host:port',
      'config.yaml:4:16: accounts[0].proxy_tests.proxies[0]: proxies/b.txt:2:1: expected host:port:username:password or a URL such as http://username:password@host:port',
      'config.yaml:4:16: accounts[0].proxy_tests.proxies[0]: proxies/b.txt:3:1: a proxy above has the same name, id or address; give this one another name',
    ]);
  });

  it.each([
    ['192.0.2.1:80:alice:', 'not a valid proxy: the password is empty'],
    ['ftp://alice:hunter2@192.0.2.1:80', 'not a valid proxy: expected the scheme http, https or socks5'],
    ['192.0.2.1:0:alice:hunter2', 'not a valid proxy: expected a port from 1 to 65535'],
  ])('reports why a proxy in it, or in a file of its own, is invalid', (line, why) => {
    const [, message] = messageOf(load({}, `{proxy: "${line}"}`)).split('.proxy_tests.');
    expect(message).toBe(`proxies[0].proxy: ${why}`);
    const [, messageOfFile] = messageOf(load({ one: line }, '{proxy_file: one}')).split('.proxy_tests.');
    expect(messageOfFile).toBe(`proxies[0].proxy_file: the content of the file is ${why}`);
  });

  it.each([
    [
      'a form that does not exist',
      '{serch: {proxy_type: isp}}',
      'proxies[0]: expected a map with one of proxy, proxy_file, file, service_id, search, found a map',
    ],
    [
      'a text',
      '"192.0.2.1:8080:alice:hunter2"',
      'proxies[0]: expected a map with one of proxy, proxy_file, file, service_id, search, found text',
    ],
    [
      'a key that is misspelt',
      '{service_id: API-1, protcol: socks5}',
      'proxies[0].protcol: unknown key; did you mean "protocol"?',
    ],
    [
      'an unknown protocol',
      '{service_id: API-1, protocol: socks4}',
      'proxies[0].protocol: expected "http" or "socks5", found "socks4"',
    ],
    [
      'a number for a service',
      '{service_id: 17}',
      'proxies[0].service_id: expected text, found 17; put it in quotes to make it text',
    ],
    [
      'a search with a list as a value',
      '{search: {country_id: [fr]}}',
      'proxies[0].search.country_id: expected text, a number or true or false, found a list',
    ],
    [
      'a source twice',
      '{service_id: API-1}, {service_id: API-1}',
      'proxies[1]: the source "http proxies of service API-1" is configured twice; give this one another name',
    ],
    [
      'a proxy twice',
      `{proxy: "${ONE}"}, {proxy: "${ONE}"}`,
      'proxies[1]: the proxy "192.0.2.1:8080" is configured twice; give this one another name',
    ],
  ])('reports what is wrong with %s', (_, entry, expected) => {
    const [, message] = messageOf(load({}, entry)).split('.proxy_tests.');
    expect(message).toBe(expected);
  });
});
