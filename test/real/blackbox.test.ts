// Tests that a probe on request has the metrics of blackbox_exporter, with the same values for the same proxy and target.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { probeText } from '../../src/metrics/probe-text.ts';
import { createFolder } from '../config/support.ts';
import { CA } from '../prober/certificates.ts';
import { FakeProxy, httpTunnel } from '../prober/fake-proxy.ts';
import { greet, LOGIN, proxyAt, run, startTarget } from '../prober/run-probe.ts';
import { freeAddress } from '../support/free-port.ts';
import { Samples } from '../support/samples.ts';
import { engines } from './engines.ts';
import { ServerProcess } from './server-process.ts';
import { describeWith } from './with-programs.ts';

const startBlackbox = async (program: string, proxyPort: number) => {
  const folder = createFolder({ 'ca.pem': CA });
  const http = {
    proxy_url: `http://${LOGIN}@127.0.0.1:${proxyPort}`,
    ...{ tls_config: { ca_file: join(folder, 'ca.pem') }, preferred_ip_protocol: 'ip4' },
  };
  const config = join(folder, 'blackbox.json');
  writeFileSync(config, JSON.stringify({ modules: { http: { prober: 'http', timeout: '20s', http } } }));
  const address = await freeAddress();
  const args = [`--config.file=${config}`, `--web.listen-address=${address}`];
  const server = await ServerProcess.start(program, args, `http://${address}/-/healthy`);
  return {
    probe: async (target: string) =>
      (await fetch(`http://${address}/probe?module=http&target=${target}`)).text(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

const typesIn = (text: string) => new Set(text.match(/(?<=^# TYPE ).*$/gm));

/** Names and types. The others are those of proxywatch alone. */
const SHARED = [
  ...['probe_success gauge', 'probe_duration_seconds gauge', 'probe_http_status_code gauge'],
  'probe_ssl_earliest_cert_expiry gauge',
];

const PROGRAM = 'prometheus-blackbox-exporter';

describe.each(engines(PROGRAM))('$name', ({ path }) => {
  describeWith([path], 'and proxywatch', () => {
    test('measure the same', async () => {
      await using target = await startTarget(greet);
      await using proxy = await FakeProxy.start(httpTunnel(target.port));
      await using blackbox = await startBlackbox(path, proxy.port);
      const url = `https://localhost:${target.port}/`;
      const { failure, durationMs, status, certificate } = await run({
        url,
        depth: 'http',
        proxy: proxyAt(proxy.port),
      });
      const own = probeText({
        ...{
          isSuccessful: failure === null,
          durationMs,
          phases: {},
          bytes: null,
          status,
          failure: null,
          ageMs: 0,
        },
        certificateNotAfter: certificate?.notAfter ?? null,
      });
      const other = await blackbox.probe(url);
      const [ours, theirs] = [new Samples(own), new Samples(other)];
      expect([...typesIn(own)].filter((name) => typesIn(other).has(name))).toEqual(SHARED);
      for (const name of ['probe_success', 'probe_http_status_code', 'probe_ssl_earliest_cert_expiry'])
        expect([name, ours.value(name)]).toEqual([name, theirs.value(name)]);
    });
  });
});
