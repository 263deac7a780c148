// Tests that certificates and keys in PEM are read as they are, unlike credentials: TLS ignores what surrounds them.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { listSilences } from '../../src/cli/silence.ts';
import { loadConfig } from '../../src/config/load.ts';
import { remoteWriteOptions } from '../../src/daemon/remote-write/options.ts';
import { runCommand } from '../cli/run-command.ts';
import { pem } from '../http/web-config-support.ts';
import { configErrorOf, createFolder } from './support.ts';

const PEM = pem('ca.pem');
const TEXTS = [`\n# Issuer: one\n${PEM}`, `${PEM}\n\n`, `\r\n${PEM.replaceAll('\n', '\r\n')}\r\n`];

const schema = z.object({ remote_write: remoteWriteOptions });

const tlsOf = (tls: string, text: string) => {
  const yaml = `remote_write: [{name: main, url: "https://192.0.2.1/", tls: {${tls}}}]`;
  const folder = createFolder({ 'config.yaml': yaml, pem: text });
  return loadConfig(join(folder, 'config.yaml'), schema, { PEM: text }).config.remote_write[0]?.tls;
};

test.each(TEXTS)('%# a bundle with line breaks around it is read as it is', async (text) => {
  for (const tls of [
    'ca_file: pem, cert_file: pem, key_file: pem',
    `ca: "$\{PEM}", cert: "$\{PEM}", key: "$\{PEM}"`,
  ]) {
    const { ca, cert, key } = tlsOf(tls, text) ?? {};
    expect([ca, cert, key].map((each) => each?.reveal())).toEqual([text, text, text]);
  }
  const file = join(createFolder({ pem: text }), 'pem');
  const options = { url: 'https://127.0.0.1:9', caFile: file };
  expect((await runCommand(listSilences, options)).stderr).toContain('nothing listens there');
});

test('a file with nothing but line breaks is no PEM', () => {
  const { message } = configErrorOf(() => tlsOf('ca_file: pem', '\n\n'));
  expect(message).toMatch(/tls\.ca_file: expected a file that contains PEM/);
});
