// Tests that Prometheus's own tool judges web.yml files as proxywatch does, and that Prometheus scrapes over TLS.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitUntil } from '../cli/program.ts';
import { SUITE_FILES, type SuiteFile } from '../http/exporter-toolkit/files.ts';
import {
  CERTIFICATES,
  createWebFolder,
  HASH,
  PASSWORD,
  startWebServer,
  TLS,
} from '../http/web-config-support.ts';
import { startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

/** Older versions of Prometheus do not know these, and those that are built with a newer Go no ciphers without ECDHE. */
const UNKNOWN =
  /field (cert|key|client_ca|client_allowed_sans|rate_limit) not found|unknown (curve: X25519MLKEM768|cipher: TLS_RSA_)/;

/** Prometheus reports the first only when it serves, and the others only in some versions. */
const UNCHECKED =
  /noHTTP2Cipher\.bad|clientCAs(Text)?_nocerts\.bad|client_san_(no_client_auth|optional_cert)\.bad/;

describeWith(['promtool'], 'promtool check web-config', () => {
  const verdictOn = (text: string): boolean | undefined => {
    const file = join(createWebFolder(text, 'server-rsa'), 'web.yml');
    const { status, stderr } = spawnSync('promtool', ['check', 'web-config', file], { encoding: 'utf8' });
    return UNKNOWN.test(stderr) ? undefined : status === 0;
  };

  test('judges files as proxywatch does', () => {
    const checked = Object.entries<SuiteFile>(SUITE_FILES).filter(([name]) => !UNCHECKED.test(name));
    const verdicts = checked.map(([name, { text }]) => [name, verdictOn(text)] as const);
    const known = verdicts.filter(([, isValid]) => isValid !== undefined);
    expect(known.length).toBeGreaterThan(25);
    const isValid = new Map(checked.map(([name, { mistake }]) => [name, mistake === undefined]));
    expect(known).toEqual(known.map(([name]) => [name, isValid.get(name)]));
  });
});

describeWith(['prometheus'], 'Prometheus', () => {
  test('scrapes over TLS with a password and a client certificate, although it prefers HTTP/2', async () => {
    const tls = { ...TLS, client_auth_type: 'RequireAndVerifyClientCert', client_ca_file: 'ca.pem' };
    const web = { tls_server_config: tls, basic_auth_users: { prometheus: HASH } };
    await using server = await startWebServer(web);
    const fileOf = (name: string): string => join(CERTIFICATES, name);
    const client = { cert_file: fileOf('client.pem'), key_file: fileOf('client.key') };
    await using prometheus = await startPrometheus({
      targets: [new URL(server.url).host],
      scrape: {
        scheme: 'https',
        tls_config: { ca_file: fileOf('ca.pem'), ...client },
        basic_auth: { username: 'prometheus', password: PASSWORD },
        enable_http2: true,
      },
    });
    await waitUntil(async () => (await prometheus.query('up'))[0]?.value === 1);
    expect(await prometheus.query('proxywatch_example_bytes')).toMatchObject([{ value: 1 }]);
  });
});
