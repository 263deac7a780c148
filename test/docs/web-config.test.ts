// Tests that each web.yml in the documentation has the format that proxywatch reads.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readWebSource } from '../../src/http/web-config/load.ts';
import { createFolder } from '../config/support.ts';
import { codeBlocksIn, DOCUMENTS } from './documents.ts';

const WEB_CONFIGS = DOCUMENTS.flatMap(codeBlocksIn).filter(
  ({ language, text }) =>
    language === 'yaml' && /^(tls_server_config|basic_auth_users|http_server_config|rate_limit):/m.test(text),
);

test('there are some', () => {
  expect(WEB_CONFIGS.length).toBeGreaterThan(1);
});

test.each(WEB_CONFIGS)('web.yml of $place is read', ({ text }) => {
  const file = join(createFolder({ 'web.yml': text }), 'web.yml');
  expect(() => readWebSource(file)).not.toThrow();
});
