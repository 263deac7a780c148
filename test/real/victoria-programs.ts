// Starts vmagent, vmalert and VictoriaMetrics as the how-to does, with what takes the alerts.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { codeBlocksIn } from '../docs/documents.ts';
import { freeAddress } from '../support/free-port.ts';
import { engines } from './engines.ts';
import { apiAt } from './prometheus-server.ts';
import { missingOf } from './with-programs.ts';

/** vmalert 1.79 does not know `keep_firing_for`, and has no tool. */
export const { name: TOOL_NAME, path: TOOL } = engines('vmalert-tool').find(
  ({ path }) => missingOf([path]).length === 0,
) ?? { name: 'vmalert-tool', path: 'vmalert-tool' };
const SECTION = codeBlocksIn('docs/how-to/get-paged.md');
const [SCRAPE = ''] = SECTION.filter(({ text }) => text.startsWith('# prometheus.yml\nrule_files')).map(
  ({ text }) => text,
);
const [COMMANDS = ''] = SECTION.filter(({ text }) => text.startsWith('victoria-metrics ')).map(
  ({ text }) => text,
);

type Labels = Readonly<Record<string, string>>;

/** Takes alerts as Alertmanager does. */
export const startReceiver = async () => {
  const received = new Set<string>();
  const server = createServer(async (request, response) => {
    for (const { labels } of (await json(request)) as { labels: Labels }[]) received.add(keyOf(labels));
    response.end();
  });
  const address = await freeAddress();
  const [host = '', port] = address.split(':');
  await once(server.listen(Number(port), host), 'listening');
  return { address, received, [Symbol.dispose]: () => void server.close() };
};

/** Without empty labels, of which VictoriaMetrics 1.79 returns some. */
export const keyOf = (labels: Labels): string =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([, value]) => value !== '')
      .toSorted(),
  );

/** Queries find the samples of the last 30 seconds, also on a busy machine that misses scrapes. */
const SOON_VISIBLE = '-search.latencyOffset=0s -search.minStalenessInterval=15s';
/** Without the delay, vmalert reads scrapes of which VictoriaMetrics has stored only a part. */
const EACH_SECOND = '-evaluationInterval=1s -rule.evalDelay=3s';

/**
 * Starts the programs of the how-to at free addresses, each with a second between two scrapes or evaluations. The rules are
 * `proxywatch.yml` in the folder.
 */
export const startPrograms = async (
  folder: string,
  target: string,
  receiver: string,
  victoria = 'victoria-metrics',
) => {
  const addresses = { '127.0.0.1:9876': target, '127.0.0.1:9093': receiver } as Record<string, string>;
  for (const port of ['8428', '8429', '8880']) addresses[`127.0.0.1:${port}`] = await freeAddress();
  const placed = (text: string): string =>
    text.replaceAll(/127\.0\.0\.1:\d+/g, (address) => addresses[address] ?? address);
  writeFileSync(join(folder, 'prometheus.yml'), placed(SCRAPE).replace('1m', '1s'));
  const commands = placed(COMMANDS)
    .replaceAll('\\\n', '')
    .replace(/^victoria-metrics/, `${victoria} ${SOON_VISIBLE}`)
    .replace('vmalert', `$& ${EACH_SECOND}`)
    .trim()
    .split('\n');
  // vmagent and vmalert are as new as the tool, and VictoriaMetrics is the one on the PATH or at its own path.
  const PATH = process.env.PATH ?? '';
  const children = commands.map((command, index) => {
    const env = { PATH: index === 0 ? PATH : `${resolve(TOOL, '..')}:${PATH}` };
    const exec = `exec ${command.replace(/ &$/, '')}`;
    const child = spawn('sh', ['-c', exec], { cwd: folder, stdio: 'ignore', env });
    return { child, ended: once(child, 'close') };
  });
  return {
    metrics: apiAt(addresses['127.0.0.1:8428'] ?? ''),
    alerting: apiAt(addresses['127.0.0.1:8880'] ?? ''),
    [Symbol.asyncDispose]: async () => {
      for (const { child, ended } of children) {
        child.kill('SIGKILL');
        await ended;
      }
    },
  };
};
