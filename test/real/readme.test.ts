// Runs the commands of the tutorial from a clone to a firing alert in Alertmanager as they are there, on free ports.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT, textOf } from '../docs/documents.ts';
import { freeAddress } from '../support/free-port.ts';
import { describeWith } from './with-programs.ts';

const TUTORIAL = textOf('docs/tutorials/from-clone-to-alert.md');
const [APT, NPM, ...COMMANDS] = [...TUTORIAL.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
const FOLDER = '/tmp/proxywatch-tutorial';
const PROMETHEUS = 'deploy/local/prometheus.yml';
const STARTED_PROGRAMS = 3;
const GIVE_UP = `tail -n 20 ${FOLDER}/*.log >&2; exit 1`;
/** Makes each job a process group, as in an interactive shell, and stops the jobs when the shell ends. */
const AS_INTERACTIVE = 'set -m; trap "kill %1 %2 %3 2> /dev/null; wait" EXIT;';

test('it installs programs and packages before everything else', () => {
  expect(APT).toBe('sudo apt install prometheus prometheus-alertmanager\n');
  expect(NPM).toBe('npm ci\n');
});

test('it shows the configuration of Prometheus that it uses', () => {
  const [, shown = ''] = /```yaml\n(.*?)```/s.exec(TUTORIAL) ?? [];
  expect(parse(shown)).toEqual(parse(textOf(PROMETHEUS)));
});

// On one line, so that .ci/run finds the programs, and runs the test on those of the newer suite too.
const TITLE = 'the commands, pasted into a shell';
describeWith(['prometheus', 'promtool', 'prometheus-alertmanager', 'amtool', 'curl'], TITLE, () => {
  test('lead to an alert that fires, and clean up', async () => {
    await using workspace = await createWorkspace();
    const output = await workspace.run(COMMANDS.join('\n'));
    expect(output).toMatch(/^ProxyFailing .*\bactive\b/m);
    expect(output).toMatch(/^Alertname\b/m);
    expect(output).toMatch(/^proxywatch_fault\{.*kind="proxy".*\} => 1 /m);
    expect(existsSync(workspace.folder)).toBe(false);
    expect(await workspace.isDemoRunning()).toBe(false);
  });
});

/** Runs commands of the tutorial in the checkout, with ports and a folder of the test's own. */
const createWorkspace = async () => {
  const own = await mkdtemp(join(tmpdir(), 'proxywatch-clone-to-alert-'));
  const folder = join(own, 'tutorial');
  const [demo, prometheus, alertmanager] = [await freeAddress(), await freeAddress(), await freeAddress()];
  const relocated = (words: string): string =>
    words
      .replaceAll('127.0.0.1:9876', demo)
      .replaceAll('127.0.0.1:19090', prometheus)
      .replaceAll('127.0.0.1:19093', alertmanager)
      .replace(PROMETHEUS, join(own, 'prometheus.yml'))
      .replace('npm start', `npm start -- --listen ${demo}`)
      // A reader would wait in vain for a program that has ended.
      .replace('do sleep 2;', `do sleep 1; [ $(jobs -r | wc -l) = ${STARTED_PROGRAMS} ] || { ${GIVE_UP}; };`)
      .replaceAll(FOLDER, folder);
  await writeFile(join(own, 'prometheus.yml'), relocated(textOf(PROMETHEUS)).replace('../..', ROOT));
  let child: ReturnType<typeof spawn> | undefined;
  return {
    folder,
    /** Returns what the commands print. Rejects with their messages if one of the last commands fails. */
    run: async (commands: string): Promise<string> => {
      const shell = spawn('bash', ['-c', `${AS_INTERACTIVE}\n${relocated(commands)}`], {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = shell;
      const ended = once(shell, 'close');
      const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
      const [code] = await ended;
      if (code !== 0) throw new Error(`exit code ${code}: ${stderr}\n${stdout}`);
      return stdout;
    },
    isDemoRunning: () =>
      fetch(`http://${demo}/-/healthy`).then(
        () => true,
        () => false,
      ),
    [Symbol.asyncDispose]: async () => {
      if (child?.exitCode === null) {
        const closed = once(child, 'close');
        child.kill('SIGTERM');
        await closed;
      }
      await rm(own, { recursive: true, force: true });
    },
  };
};
