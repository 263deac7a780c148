// What it costs to send a week of history by remote write, including its reading from the store.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Case, eachVersion, temporaryFolder } from '../harness.ts';
import { answers } from '../processes.ts';
import { startDaemon, startProvider, textOf } from '../world.ts';

const [CPU, BYTES] = ['CPU of 1,000 samples', 'bytes of a sample'];
/** The last samples are sent when nothing came for so long. */
const QUIET_MS = 5_000;

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
        response.writeHead(204).end();
      });
    });
    stack.use(receiver.listen(0, '127.0.0.1'));
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/api/v1/write`;
    const provider = await startProvider(stack.use(temporaryFolder()).path, { pace: null });
    stack.use(provider.process);
    // Polls at the start alone, so that the second daemon only sends.
    const rarely = '0 0 1 1 *';
    const account = {
      ...{ requests_per_second: 1_000, traffic: { catch_up: span, schedule: rarely } },
      ...{ proxy_users: { schedule: rarely }, residential_ledger: { schedule: rarely } },
    };
    return eachVersion(versions, (version) => async () => {
      using folder = temporaryFolder();
      const options = { urls: [provider.url], account };
      const first = await startDaemon(version, folder.path, options);
      await answers(`${first.origin}/-/ready`, true, 500);
      await first.process.killed('SIGTERM');
      bytes = 0;
      const sections = { remote_write: [{ name: 'bench', url, start: span }] };
      const { process, origin } = await startDaemon(version, folder.path, { ...options, sections });
      await using sender = process;
      await answers(`${origin}/-/healthy`);
      const startMs = sender.cpuMs;
      while (bytes === 0 || performance.now() - lastAt < QUIET_MS) await setTimeout(100);
      const sent = /^proxywatch_remote_write_samples_total\{.*result="accepted".*\} (\S+)$/m;
      const samples = Number(sent.exec(await textOf(`${origin}/metrics`))?.[1]);
      return { [CPU]: (1_000 * (sender.cpuMs - startMs)) / samples, [BYTES]: bytes / samples };
    });
  },
};
