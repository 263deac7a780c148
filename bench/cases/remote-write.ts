// What it costs to send a week of history by remote write, including its reading from the store.

import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type Case, turnsOf } from '../harness.ts';
import { answers, listen } from '../processes.ts';
import type { Version } from '../versions.ts';
import { startDaemon, startProvider, textOf } from '../world.ts';

const [CPU, BYTES] = ['CPU of 1,000 samples', 'bytes of a sample'];
/** The last samples are sent when nothing came for so long. */
const QUIET_MS = 5_000;
/** Other protocols than remote write 1.0, with which they are compared. */
const PROTOCOLS = { 'remote write 2.0': { protocol: '2.0' }, OTLP: { type: 'otlp' } };
/** Says of each request in 2.0 that all of it was written. */
const ANSWER = { 'x-prometheus-remote-write-samples-written': 1e6 };

export const remoteWrite: Case = {
  title: 'a week of history by remote write (6 hours with --small)',
  figures: { [CPU]: { unit: 'ms' }, [BYTES]: { unit: 'bytes' } },
  contenders: async ({ versions, isSmall, stack }) => {
    const span = isSmall ? '6h' : '7d';
    let [bytes, lastAt] = [0, 0];
    const receiver = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on('end', () => {
        lastAt = performance.now();
        response.writeHead(204, ANSWER).end();
      });
    });
    const url = `http://127.0.0.1:${await listen(stack, receiver)}/`;
    const urls = [await startProvider(stack, { pace: null })];
    // Polls at the start alone, so that the second daemon only sends.
    const rarely = '0 0 1 1 *';
    const account = {
      ...{ requests_per_second: 1_000, traffic: { catch_up: span, schedule: rarely } },
      ...{ proxy_users: { schedule: rarely }, residential_ledger: { schedule: rarely } },
    };
    const turn = async (version: Version, stack: AsyncDisposableStack, protocol: object) => {
      const first = await startDaemon(stack, version, { urls, account });
      await answers(`${first.origin}/-/ready`, true, 500);
      await first.process.killed('SIGTERM');
      bytes = 0;
      const sections = { remote_write: [{ name: 'bench', url, start: span, ...protocol }] };
      const options = { urls, account, sections, folder: first.folder };
      const { process, origin } = await startDaemon(stack, version, options);
      await answers(`${origin}/-/healthy`);
      const startMs = process.cpuMs;
      while (bytes === 0 || performance.now() - lastAt < QUIET_MS) await setTimeout(100);
      const sent = /^proxywatch_remote_write_samples_total\{.*result="accepted".*\} (\S+)$/m;
      const samples = Number(sent.exec(await textOf(`${origin}/metrics`))?.[1]);
      return { [CPU]: (1_000 * (process.cpuMs - startMs)) / samples, [BYTES]: bytes / samples };
    };
    const others = Object.entries(PROTOCOLS).map(([name, protocol]) =>
      turnsOf(
        versions.slice(0, 1).map((version) => ({ ...version, name })),
        (version, stack) => turn(version, stack, protocol),
      ),
    );
    const turns = turnsOf(versions, (version, stack) => turn(version, stack, {}));
    return Object.assign(turns, ...others);
  },
};
