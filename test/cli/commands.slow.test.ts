// Tests that the names of commands of version 1.0.0 still work, that no help lists them, that a command refuses --shard where
// it has no effect, and that help fits into 80 columns.

import { beforeAll, expect, test } from 'vitest';
import { readAllCommands } from '../docs/commands.ts';
import type { CommandUsage } from '../docs/list-commands.ts';
import { runToEnd } from './program.ts';

/** The former name of each command, with its name. */
const FORMER: Readonly<Record<string, string>> = {
  once: 'export once',
  backfill: 'export backfill',
  rules: 'export rules',
  'remote-write rewind': 'export remote-write rewind',
  'remote-write verify': 'export remote-write verify',
  schema: 'dev schema',
  simulate: 'dev simulate',
};

let commands: readonly CommandUsage[] = [];

beforeAll(async () => {
  commands = await readAllCommands();
});

const find = (wanted: string): CommandUsage | undefined => commands.find(({ name }) => name === wanted);

/** Without how the lines are wrapped. */
const wordsOf = (help = ''): string => help.replaceAll(/[\\\s]+/g, ' ');

test('the former names are those of the commands in groups, with the same options and help', () => {
  const hidden = commands.filter(({ isHidden }) => isHidden).map(({ name }) => name);
  expect(hidden.toSorted()).toEqual(Object.keys(FORMER).toSorted());
  for (const [former, name] of Object.entries(FORMER)) {
    const [before, after] = [find(former), find(name)];
    expect([former, before?.options, before?.required]).toEqual([former, after?.options, after?.required]);
    expect(wordsOf(before?.help)).toBe(
      wordsOf(after?.help).replaceAll(`proxywatch ${name}`, `proxywatch ${former}`),
    );
  }
});

test.each([
  ['schema', 'dev schema'],
  [
    'backfill --config none.yaml --from 2026-07-02 --to 1d --output -',
    'export backfill --config none.yaml --from 2026-07-02 --to 1d --output -',
  ],
  ['remote-write rewind --config none.yaml', 'export remote-write rewind --config none.yaml'],
])('%s prints what its command prints, and ends as it does', async (former, call) => {
  const before = await runToEnd(...former.split(' '));
  expect(before.stdout + before.stderr).not.toBe('');
  expect(before).toEqual(await runToEnd(...call.split(' ')));
});

test('no help lists the former names', async () => {
  const { stdout } = await runToEnd('--help');
  expect(stdout).toMatch(/^ {2}export /m);
  const first = Object.keys(FORMER).map((name) => name.split(' ')[0]);
  expect(stdout).not.toMatch(new RegExp(`^ {2}(${first.join('|')}) `, 'm'));
});

test.each([
  'probe --shard 0/2 one two',
  'export rules --shard 0/2',
  'store check --config none.yaml --shard 0/2',
])('a command without a shard refuses the option: %s', async (call) => {
  const { code, stderr } = await runToEnd(...call.split(' '));
  expect([code !== 0, stderr]).toEqual([
    true,
    "error: unknown option '--shard'\n(Add --help to see the options.)\n",
  ]);
});

test('help fits into 80 columns, with its exit codes and examples', () => {
  for (const { name, help } of commands) {
    const long = help.split('\n').filter((line) => line.length > 80);
    expect([name, long]).toEqual([name, []]);
    expect([name, /\nExit codes:\n {2}0 {2}\S/.test(help)]).toEqual([name, true]);
  }
});
