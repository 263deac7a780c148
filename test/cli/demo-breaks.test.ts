// Tests what `demo --break` breaks in a running demo, that it can be repaired, and that web pages cannot break anything.

import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import {
  BREAKS,
  type Break,
  breakDemo,
  breakRoute,
  DemoBreaks,
  howToBreak,
} from '../../src/cli/demo/breaks.ts';
import { demo } from '../../src/cli/demo/demo.ts';
import type { RouteContext } from '../../src/http/server.ts';
import { demoScenario, startSimulator } from '../../src/simulator/simulator.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';
import { runCommand } from './run-command.ts';

const HOST = '127.0.0.1';

const startBreakable = async () => {
  const simulator = await startSimulator({
    ...{
      scenario: { ...demoScenario, users: 2 },
      now: () => Date.parse('2026-07-06T12:00:00Z'),
      proxies: {},
    },
  });
  onTestFinished(() => simulator[Symbol.asyncDispose]());
  const app = fastify();
  const lines: LogLine[] = [];
  breakRoute(new DemoBreaks(simulator), recordingLog(lines))(app, {} as RouteContext);
  await app.listen({ host: HOST, port: 0 });
  onTestFinished(() => app.close());
  return { simulator, port: (app.server.address() as AddressInfo).port, lines };
};

test('each break changes the simulated account, and all are repaired together', async () => {
  const { simulator, port } = await startBreakable();
  const apply = (what: Break) =>
    runCommand(
      (context, options: { listen: { host: string; port: number } }) =>
        breakDemo(context, options.listen, what),
      {
        listen: { host: '0.0.0.0', port },
      },
    );
  const lists = () => ({ outages: simulator.outages.list, faults: simulator.faults.list });
  const atStart = lists();
  for (const what of BREAKS.filter((each) => each !== 'nothing')) {
    const { code, stdout, stderr } = await apply(what);
    expect([what, code, stderr]).toEqual([what, 0, '']);
    expect(stdout).toMatch(
      / fires after .*\nThe status page is http:\/\/127\.0\.0\.1:\d+\. Repair all with: --break nothing\n$/,
    );
  }
  const broken = lists();
  expect(broken.outages.slice(0, atStart.outages.length)).toEqual(atStart.outages);
  expect(broken.outages.slice(atStart.outages.length).map(({ kind }) => kind)).toEqual([
    'proxy',
    'target',
    'tester',
  ]);
  expect(broken.faults.map((fault) => 'status' in fault && fault.status)).toEqual([503, 401]);
  const { stdout } = await apply('proxy');
  const [, name, type] = /^The proxy (([a-z]+)-\d+) /.exec(stdout) ?? [];
  // A gateway has no address of its own that could refuse connections.
  expect([name, ['isp', 'datacenter'].includes(type ?? '')]).toEqual([name, true]);
  expect((await apply('nothing')).stdout).toMatch(/^The account is as at the start of the demo\./);
  expect(lists()).toEqual(atStart);
});

test('a web page cannot break anything, and no other word can', async () => {
  const { simulator, port } = await startBreakable();
  const post = async (headers: Readonly<Record<string, string>>, body: string) => {
    const response = await fetch(`http://${HOST}:${port}/-/demo/break`, {
      ...{ method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } },
    });
    return response.status;
  };
  expect(await post({ origin: 'https://example.com' }, '{"break": "keys"}')).toBe(403);
  expect(await post({}, '{"break": "house"}')).toBe(400);
  expect(simulator.faults.list).toEqual([]);
});

test('without a demo, it says how to start one', async () => {
  const { code, stderr } = await runCommand(demo, { listen: { host: HOST, port: 9 }, break: 'proxy' });
  expect([code, stderr]).toEqual([
    1,
    'error: no demo answers at http://127.0.0.1:9. Start it with "proxywatch demo", or give its address with --listen\n',
  ]);
});

test('the hint has the address, unless it is the one that the command asks by default', async () => {
  const { port, lines } = await startBreakable();
  expect(lines.map(({ message }) => message)).toContain(
    `to break something, run in another terminal: npm run proxywatch -- demo --listen ${HOST}:${port} --break proxy (or target, tester, provider, keys, nothing)`,
  );
  expect(howToBreak({ host: '127.0.0.1', port: 9876 })).toContain('-- demo --break proxy ');
  expect(howToBreak({ host: '0.0.0.0', port: 9876 })).toContain('-- demo --break proxy ');
  expect(howToBreak({ host: '::', port: 9877 })).toContain('-- demo --listen 127.0.0.1:9877 --break proxy ');
  expect(howToBreak({ host: '::1', port: 9876 })).toContain('-- demo --listen [::1]:9876 --break proxy ');
});
