// Tests that proxywatch probe ends soon after its report, also while a lookup of the system still runs.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFolder } from '../config/support.ts';
import { Program, waitUntil } from './program.ts';

/** A lookup occupies a thread that cannot be ended, as opening a pipe to which nobody writes does. */
const ENDLESS_LOOKUP = `
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
dns.lookup = () => {
  fs.open(process.env.ENDLESS_PIPE, 'r', () => {});
  process.stderr.write('lookup\\n');
};
syncBuiltinESMExports();
`;

const startWithEndlessLookup = (args: readonly string[]): Program => {
  const folder = createFolder({ 'lookup.mjs': ENDLESS_LOOKUP });
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const env = { NODE_OPTIONS: `--import=${join(folder, 'lookup.mjs')}`, ENDLESS_PIPE: pipe };
  const program = Program.start(['probe', 'gate.example.com:80', 'https://192.0.2.1/', ...args], { env });
  // A thread that waits also holds up the end of the process by any other signal.
  onTestFinished(() => program.kill('SIGKILL'));
  return program;
};

test('it prints its whole report and ends with 1', async () => {
  const program = startWithEndlessLookup(['--timeout', '100ms']);
  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(program.stdout).toMatch(/^The proxy fails \(resolve_timeout\): .* check the DNS servers/m);
  expect(program.stdout).toMatch(/\.\n$/);
  expect(program.stderr).toBe('lookup\n');
});

test('a stop signal ends it with 1', async () => {
  const program = startWithEndlessLookup(['--timeout', '10m']);
  await waitUntil(() => program.stderr === 'lookup\n');
  program.kill('SIGINT');
  expect(await program.ended).toEqual({ code: 1, signal: null });
});
