// Tests that the page of commands has every command with its options, defaults and exit codes, as --help shows them, and
// that alerts name commands that work.

import { beforeAll, expect, test } from 'vitest';
import { ALERTS } from '../../src/alerts/table.ts';
import { callsIn, mistakesIn, readCommands } from './commands.ts';
import { codeWordsOf, tableRowsOf, textOf } from './documents.ts';
import type { CommandUsage } from './list-commands.ts';

const PAGE = textOf('docs/reference/commands.md');

/** The section of each command, by its name. */
const SECTIONS = new Map(
  PAGE.split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

let commands: readonly CommandUsage[] = [];

beforeAll(async () => {
  commands = await readCommands();
});

const firstWord = (cell: string): string => (codeWordsOf(cell)[0] ?? '').split(' ')[0] ?? '';

test('every command has a section, and there is no other', () => {
  expect([...SECTIONS.keys()].toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
});

test('the first table has every command, with a link to its section', () => {
  const [intro = ''] = PAGE.split(/^## /m);
  const rows = tableRowsOf(intro).map(({ command = '' }) => ({
    name: /`([a-z-]+(?: [a-z]+)?)/.exec(command)?.[1],
    anchor: /\(#(.*)\)/.exec(command)?.[1],
  }));
  expect(rows.toSorted((a, b) => String(a.name).localeCompare(String(b.name)))).toEqual(
    commands
      .map(({ name }) => ({ name, anchor: name.replaceAll(' ', '-') }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
  );
});

test('the first table and the sections have the options of each command', () => {
  for (const { name, options: all, required } of commands) {
    const options = all.filter((option) => option.startsWith('--'));
    const [intro = ''] = PAGE.split(/^## /m);
    const [, usage = ''] = new RegExp(`\\[\`(${name}[^\`]*)\``).exec(intro) ?? [];
    const optional = options.filter((option) => !required.includes(option));
    expect([name, usage.match(/--[a-z][a-z-]*/g) ?? []]).toEqual([name, [...required, ...optional]]);
    for (const option of optional) expect(usage).toMatch(new RegExp(`\\[${option}`));

    const rows = tableRowsOf(SECTIONS.get(name) ?? '').map((row) => ({
      option: firstWord(row.option ?? row['argument or option'] ?? ''),
      text: row.meaning ?? '',
    }));
    const documented = rows.filter(({ option }) => option.startsWith('--'));
    expect([name, documented.map(({ option }) => option)]).toEqual([name, [...required, ...optional]]);
    const isRequired = documented.filter(({ text }) => /\brequired$/.test(text)).map(({ option }) => option);
    expect([name, isRequired]).toEqual([name, required]);
  }
});

test('the exit codes are those of --help', () => {
  for (const { name, help } of commands) {
    const [, codes = ''] = /\nExit codes:\n([\s\S]*?)\n\n/.exec(help) ?? [];
    const shown = codes.split('\n').map((line) => line.trim().split(' ')[0] ?? '');
    expect([name, shown.length > 0 && shown[0] !== '']).toEqual([name, true]);
    const section = SECTIONS.get(name) ?? '';
    const documented = tableRowsOf(section).flatMap((row) => row['exit code'] ?? []);
    // A command that cannot fail has a sentence instead of a table.
    if (documented.length === 0)
      expect([name, shown, section]).toEqual([
        name,
        ['0'],
        expect.stringContaining('always ends with the exit code 0'),
      ]);
    else expect([name, documented]).toEqual([name, shown]);
  }
});

test('the examples of --help call their command with its options', () => {
  for (const { name, required, help } of commands) {
    const [, example = ''] = /\nExample:\n {2}proxywatch (.*)\n/.exec(help) ?? [];
    expect(example.startsWith(name)).toBe(true);
    for (const option of required) expect(example).toContain(`${option} `);
    expect(SECTIONS.get(name)).toContain(`proxywatch ${name}`);
  }
});

test('the defaults are those of --help', () => {
  for (const { name, help } of commands.filter(({ options }) => options.includes('--listen'))) {
    const [, address = ''] = /default: (\d[\d.:]+)/.exec(help) ?? [];
    const row = tableRowsOf(SECTIONS.get(name) ?? '').find(({ option = '' }) => option.includes('--listen'));
    expect(row?.default).toContain(`\`${address}\``);
  }
});

test('the commands of what to do first about each alert have all that they need', () => {
  for (const { name, checks } of ALERTS) {
    const calls = checks.flatMap(codeWordsOf).flatMap(callsIn);
    expect([name, calls.length]).not.toEqual([name, 0]);
    expect([name, calls.flatMap((call) => mistakesIn(call, commands))]).toEqual([name, []]);
  }
});
