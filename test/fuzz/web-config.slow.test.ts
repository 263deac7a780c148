// Fuzzes web.yml: any text gives either a configuration or mistakes that say where and what is wrong.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadWebConfig } from '../../src/http/web-config/load.ts';
import { createFolder } from '../config/support.ts';
import { HASH, pem } from '../http/web-config-support.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';
import { anyText } from '../support/fuzzed-text.ts';
import { changed, changesOf, nastyYaml, yamlText } from '../support/fuzzed-yaml.ts';
import { loadedOrReadable } from '../support/readable-mistakes.ts';

const EXAMPLE = `
tls_server_config:
  cert_file: server.pem
  key_file: server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: ca.pem
  client_allowed_sans: [client.example]
  min_version: TLS12
  max_version: TLS13
  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]
  prefer_server_cipher_suites: true
  curve_preferences: [CurveP256]
http_server_config:
  http2: false
  headers:
    X-Frame-Options: deny
    Strict-Transport-Security: max-age=1
basic_auth_users:
  alice: ${HASH}
  bob: ${HASH}
rate_limit:
  interval: 1s
  burst: 20
`;

const FILES = ['server.pem', 'server.key', 'ca.pem'];

const assertLoads = <T>(variants: fc.Arbitrary<T>, toText: (variant: T) => string, numRuns: number): void => {
  const file = join(createFolder(Object.fromEntries(FILES.map((name) => [name, pem(name)]))), 'web.yml');
  fc.assert(
    fc.property(variants, (variant) => {
      writeFileSync(file, toText(variant));
      loadedOrReadable(loadWebConfig, file, HASH.slice(10));
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    }),
    cases(numRuns),
  );
};

it(
  'any text is loaded or has readable mistakes',
  () => {
    assertLoads(fc.oneof(anyText(400), yamlText), (text) => text, 200);
  },
  FUZZ_TIMEOUT,
);

it(
  'a file with changed lines is loaded or has readable mistakes',
  () => {
    assertLoads(changesOf(EXAMPLE), (changes) => changed(EXAMPLE, changes), 200);
  },
  FUZZ_TIMEOUT,
);

it(
  'any value of a key is loaded or has readable mistakes',
  () => {
    const keys = [...EXAMPLE.matchAll(/^( *[\w-]+:) (?=\S)/gm)].map(([, key = '']) => key);
    const file = fc.constantFrom(...FILES, '.', '/dev/null', 'absent.pem');
    const value = fc.oneof(
      nastyYaml,
      anyText().map((text) => JSON.stringify(text)),
      file,
    );
    const replace = ([key, text]: readonly [string, string]) =>
      EXAMPLE.replace(new RegExp(`^${key}.*$`, 'm'), () => `${key} ${text}`);
    assertLoads(fc.tuple(fc.constantFrom(...keys), value), replace, 200);
  },
  FUZZ_TIMEOUT,
);
