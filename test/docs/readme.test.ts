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

test('it says that no image is published, and links to how to build one', () => {
  const [, page = ''] =
    /^- No image, chart or npm package is published yet: \[build the image\]\((.+)\)/m.exec(README) ?? [];
  expect(textOf(page)).toMatch(/^docker build /m);
});

test('it has at most 650 words', () => {
  expect(README.trim().split(/\s+/).length).toBeLessThanOrEqual(650);
});

test.each([
  ['the README', README],
  ['the package', DESCRIPTION],
  ['the site', textOf('docs/index.md')],
])('%s names the provider, and says that it is unofficial', (_, text) => {
  expect(text.replaceAll('*', '')).toContain('Byteful (formerly Ping Proxies)');
  expect(text).toMatch(/\b[Uu]nofficial\b/);
});

test('its configuration loads, without proxy tests', () => {
  const yaml = codeBlocksIn('README.md').filter(({ language }) => language === 'yaml');
  expect(yaml).toHaveLength(1);
  const folder = createFolder({ 'config.yaml': yaml[0]?.text ?? '' });
  const env = { PROXY_PUBLIC_KEY: 'public', PROXY_PRIVATE_KEY: 'private' };
  const [account] = loadSettings(join(folder, 'config.yaml'), env).config.accounts;
  expect(account).toMatchObject({ base_url: DEFAULT_BASE_URL, proxy_tests: false });
});
