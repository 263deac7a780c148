// Serves the series of a compressed exposition, from the file itself or with prom-client: node scrape-server.ts KIND FILE PORT

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { Gauge, Registry } from 'prom-client';

const [, , kind, file = '', port] = process.argv;

const body = readFileSync(file);

const registryOf = (text: string): Registry => {
  const registry = new Registry();
  const samples = Array.from(
    text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm),
    ([, name = '', labels = '', value]) => {
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return { name, labels: Object.fromEntries(pairs.map(([, label, of]) => [label, of])), value };
    },
  );
  for (const [name, own = []] of Object.entries(Object.groupBy(samples, (sample) => sample.name))) {
    const labelNames = [...new Set(own.flatMap(({ labels }) => Object.keys(labels)))];
    const gauge = new Gauge({ name, help: 'bench', labelNames, registers: [registry] });
    for (const { labels, value } of own) gauge.set(labels, Number(value));
  }
  return registry;
};

const registry = kind === 'prom-client' ? registryOf(gunzipSync(body).toString()) : undefined;
createServer(async (_request, response) => {
  const answer = registry ? await promisify(gzip)(await registry.metrics()) : body;
  response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': answer.length }).end(answer);
}).listen(Number(port), '127.0.0.1');
