// Tests what the command simulate says about the simulated provider and its proxies.

import { expect, test } from 'vitest';
import { simulate } from '../../src/cli/dev.ts';
import { runCommand } from './run-command.ts';

const listen = { host: '127.0.0.1', port: 0 };
const API = /^the simulated provider serves http:\/\/127\.0\.0\.1:\d+\/1\.0 \(public_key demo-public, .*\n/;

test('with proxies, it says where they are listed', async () => {
  const { code, stdout } = await runCommand(simulate, { listen, proxies: true }, AbortSignal.abort());
  expect(code).toBe(0);
  expect(stdout).toMatch(API);
  expect(stdout).toMatch(
    /\n60 simulated proxies and 2 gateways listen on loopback, .* 127\.0\.\d+\.1:\d+; http:\/\/127\.0\.0\.1:\d+\/-\/proxies lists them\n$/,
  );
});

test('without proxies, it says nothing about them', async () => {
  const { code, stdout } = await runCommand(simulate, { listen }, AbortSignal.abort());
  expect([code, stdout.split('\n').length]).toEqual([0, 2]);
  expect(stdout).toMatch(API);
});
