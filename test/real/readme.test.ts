// Runs the README's commands from a clone to a firing alert in Alertmanager, on free ports.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ROOT, textOf } from '../docs/documents.ts';
import { freePort } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

const [, BLOCK = ''] = /## From a clone to an alert\n.*?```sh\n(.*?)```/s.exec(textOf('README.md')) ?? [];
const [install, ...COMMANDS] = BLOCK.trim().split('\n');
const PROMETHEUS = 'deploy/local/prometheus.yml';
const CHECK_EVERY_MS = 500;

test('it takes five commands', () => {
  expect(install).toBe('npm ci');
  expect(COMMANDS).toHaveLength(4);
});

describeWith(['prometheus', 'prometheus-alertmanager', 'amtool'], 'the commands', () => {
  test('lead to an alert that fires', async () => {
    await using workspace = await createWorkspace();
    const started = COMMANDS.slice(0, -1).map((command) => workspace.start(command));
    const ask = COMMANDS.at(-1) ?? '';
    let alerts = '';
    while (!/ProxyFailing .*\bactive\b/.test(alerts)) {
      alerts = await workspace.outputOf(ask);
      for (const { output, isRunning } of started) expect(isRunning(), output()).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
    }
    expect(alerts).toContain('Alertname');
  });
});

/** Runs commands of the README in the checkout, with the test's own ports and folders. */
const createWorkspace = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-readme-'));
  const [demo, prometheus, alertmanager] = [await freePort(), await freePort(), await freePort()];
  const relocated = (words: string): string =>
    words
      .replaceAll('127.0.0.1:9876', `127.0.0.1:${demo}`)
      .replaceAll('127.0.0.1:9090', `127.0.0.1:${prometheus}`)
      .replaceAll('127.0.0.1:9093', `127.0.0.1:${alertmanager}`)
      .replaceAll('/tmp/', `${folder}/`)
      .replace(PROMETHEUS, join(folder, 'prometheus.yml'))
      .replace('npm start', `npm start -- --listen 127.0.0.1:${demo}`)
      .replace(/ &$/, '');
  const config = relocated(await readFile(join(ROOT, PROMETHEUS), 'utf8'));
  await writeFile(join(folder, 'prometheus.yml'), config.replace('../..', ROOT));
  await mkdir(join(folder, 'bin'));
  // In Debian the program has another name.
  await symlink('/usr/bin/prometheus-alertmanager', join(folder, 'bin/alertmanager'));
  const env = { ...process.env, PATH: [process.env.PATH, join(folder, 'bin')].join(delimiter) };
  const children: ReturnType<typeof spawn>[] = [];
  const run = (command: string) =>
    spawn('bash', ['-c', relocated(command)], {
      cwd: ROOT,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    start: (command: string) => {
      expect(command).toMatch(/ &$/);
      const child = run(command);
      children.push(child);
      let output = `${command}\n`;
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          output += chunk;
        });
      return { output: () => output, isRunning: () => child.exitCode === null };
    },
    outputOf: (command: string) => text(run(command).stdout),
    [Symbol.asyncDispose]: async () => {
      for (const child of children) {
        if (child.exitCode !== null || child.pid === undefined) continue;
        const closed = once(child, 'close');
        // Stops the shell and everything that it started.
        process.kill(-child.pid, 'SIGTERM');
        await closed;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
};
