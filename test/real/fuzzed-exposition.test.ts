// Fuzzes the names and numbers in the store, and compares what promtool and a real Prometheus read from /metrics.

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { getText, waitUntil } from '../cli/program.ts';
import { poll, StubAccount, userRow } from '../collectors/stub-account.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';
import { anyText } from '../support/fuzzed-text.ts';
import { startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

const user = fc.record({
  id: anyText().filter((id) => id !== ''),
  used: fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 53 - 1, 2 ** 52 + 1, 1_234_567_890_123)),
  access: anyText(),
});

describeWith(['prometheus', 'promtool'], 'Prometheus', () => {
  test(
    'reads the same names and numbers that the provider answers',
    async () => {
      // A seed that is printed and can be set, as in the other fuzz tests.
      const { numRuns = 0, seed = Date.now() } = cases(300);
      console.log(`the seed is ${seed}`);
      const users = new Map(
        fc.sample(user, { numRuns, seed }).map((each) => [each.id.toWellFormed(), each] as const),
      );
      await using account = await StubAccount.start();
      account.users = [...users.values()].map(({ id, used, access }) =>
        userRow(id, { proxy_user_residential_bytes_used: used, proxy_user_access_type: access }),
      );
      await using harness = await account.buildHarness('proxy_users');
      const { app, clock } = harness;
      await poll(harness);
      await using server = await startHttpServer({
        ...{ listen: { host: '127.0.0.1', port: 0 }, view: createView({ app, clock, version: '1.2.3' }) },
        ...{ reload: async () => ({ result: 'no_file' }), clock, log: silentLog },
      });
      const address = `127.0.0.1:${server.address.port}`;
      expect(await promtoolProblems(await getText(`http://${address}/metrics`))).toBe('');
      await using prometheus = await startPrometheus({ targets: [address] });
      const query = 'proxywatch_proxy_user_used_bytes{product_type="residential"}';
      await waitUntil(async () => (await prometheus.query(query)).length > 0);
      const expected = [...users].map(([id, { used }]) => [id, used]);
      const found = (await prometheus.query(query)).map(({ labels, value }) => [labels.proxy_user_id, value]);
      expect(found.toSorted()).toEqual(expected.toSorted());
      const types = (await prometheus.query('proxywatch_proxy_user_info')).map(({ labels }) => [
        labels.proxy_user_id,
        labels.access_type ?? '',
      ]);
      expect(types.toSorted()).toEqual(
        [...users].map(([id, { access }]) => [id, access.toWellFormed()]).toSorted(),
      );
    },
    FUZZ_TIMEOUT,
  );
});

/** Returns what promtool prints about the text of /metrics; nothing if it finds no problem. */
const promtoolProblems = async (metrics: string): Promise<string> => {
  const child = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  // promtool ends at the first line that it cannot read.
  child.stdin.on('error', () => {}).end(metrics);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return output + errors;
};
