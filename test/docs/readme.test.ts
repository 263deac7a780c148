// Tests what every reader relies on in the README: its first screen, its length and its configuration.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { DEFAULT_BASE_URL } from '../../src/daemon/settings/account-schema.ts';
import { createFolder } from '../config/support.ts';
import { codeBlocksIn, textOf } from './documents.ts';

const README = textOf('README.md');
const DESCRIPTION = JSON.parse(textOf('package.json')).description as string;

test('the first screen shows how to try it and how to run its tests', () => {
  const [firstScreen = ''] = README.split(/^## /m);
  const blocks = [...firstScreen.matchAll(/```sh\n(.*?)\n```/gs)].map(([, block]) => block);
  expect(blocks).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  expect(firstScreen).toContain('<img src="docs/status-page.png"');
});

test('it has at most 150 lines', () => {
  expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test.each([
  ['the README', README],
  ['the package', DESCRIPTION],
  ['the site', textOf('docs/index.md')],
])('%s names the provider, and says that it is unofficial', (_, text) => {
  expect(text.replaceAll('*', '')).toContain('Byteful (formerly Ping Proxies)');
  expect(text).toMatch(/\b[Uu]nofficial\b/);
});

test('its configuration loads, with and without proxy tests', () => {
  const [account = '', tests = ''] = codeBlocksIn('README.md')
    .filter(({ language }) => language === 'yaml')
    .map(({ text }) => text);
  const folder = createFolder({ 'account.yaml': account, 'tests.yaml': account + tests });
  const env = { PROXY_PUBLIC_KEY: 'public', PROXY_PRIVATE_KEY: 'private', PROXY_PASSWORD: 'password' };
  const accountOf = (name: string) => loadSettings(join(folder, name), env).config.accounts[0];
  expect(accountOf('account.yaml')).toMatchObject({ base_url: DEFAULT_BASE_URL, proxy_tests: false });
  expect(accountOf('tests.yaml')).toMatchObject({ proxy_tests: { proxies: [{ name: 'fr-1' }] } });
});
