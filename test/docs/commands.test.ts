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
  const rows = tableRowsOf(intro).flatMap(({ command }) =>
    command === undefined ? [] : [{ name: codeWordsOf(command)[0], anchor: /\(#(.*)\)/.exec(command)?.[1] }],
  );
  expect(rows.toSorted((a, b) => String(a.name).localeCompare(String(b.name)))).toEqual(
    commands
      .map(({ name }) => ({ name, anchor: name.replaceAll(' ', '-') }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
  );
});

/** The tables of options that several commands share, by the name of their first column. */
const SHARED = tableRowsOf(PAGE.split(/^## /m)[0] ?? '');

const optionsIn = (rows: readonly Record<string, string>[], column: string): string[] =>
  rows.map((row) => firstWord(row[column] ?? '')).filter((option) => option.startsWith('--'));

const OF_SEVERAL = optionsIn(SHARED, 'option of several commands');
const OF_DAEMON = optionsIn(SHARED, 'daemon option');

const usageOf = (name: string): string => codeWordsOf(SECTIONS.get(name) ?? '')[0] ?? '';

test('each section begins with the usage of its command: required options, then optional ones', () => {
  for (const { name, options: all, required } of commands) {
    const usage = usageOf(name);
    expect(usage.startsWith(`proxywatch ${name}`)).toBe(true);
    const options = all.filter((option) => option.startsWith('--'));
    const optional = options.filter((option) => !required.includes(option));
    const shown = usage
      .replace('[DAEMON OPTIONS]', OF_DAEMON.map((option) => `[${option}]`).join(' '))
      .match(/\[?--[a-z][a-z-]*/g);
    expect([name, shown ?? []]).toEqual([name, [...required, ...optional.map((option) => `[${option}`)]]);
  }
});

test('every option has a meaning, in the section of its command or in a table of shared options', () => {
  for (const { name, options } of commands) {
    const rows = tableRowsOf(SECTIONS.get(name) ?? '');
    const own = [...optionsIn(rows, 'option'), ...optionsIn(rows, 'argument or option')];
    const shared = [...OF_SEVERAL, ...(usageOf(name).includes('[DAEMON OPTIONS]') ? OF_DAEMON : [])];
    const long = options.filter((option) => option.startsWith('--'));
    expect([name, own.filter((option) => !long.includes(option))]).toEqual([name, []]);
    expect([name, long.filter((option) => !own.includes(option) && !shared.includes(option))]).toEqual([
      name,
      [],
    ]);
  }
});

test('exit codes other than 0 and 1 are those of --help', () => {
  for (const { name, help } of commands) {
    const [, codes = ''] = /\nExit codes:\n([\s\S]*?)\n\n/.exec(help) ?? [];
    const shown = [...codes.matchAll(/^ {2}(\d)/gm)].map(([, code]) => code);
    const section = SECTIONS.get(name) ?? '';
    const documented = tableRowsOf(section).flatMap((row) => row['exit code'] ?? []);
    expect([name, documented]).toEqual([name, shown.length > 2 ? shown : []]);
    // A command that cannot fail says so.
    expect([name, shown.includes('1')]).toEqual([
      name,
      !section.includes('always ends with the exit code 0'),
    ]);
  }
});

test('the examples of --help call their command with its options', () => {
  for (const { name, help } of commands) {
    const [, examples = ''] = /\nExamples?:\n([\s\S]*)$/.exec(help) ?? [];
    const calls = callsIn(examples);
    expect([name, calls.length]).not.toEqual([name, 0]);
    for (const call of calls) {
      expect(call.join(' ').startsWith(name)).toBe(true);
      expect(mistakesIn(call, commands)).toEqual([]);
    }
  }
});

test('the defaults are those of --help', () => {
  for (const { name, help } of commands.filter(({ options }) => options.includes('--listen'))) {
    const [, address = ''] = /default: (\d[\d.:]+)/.exec(help) ?? [];
    const row = tableRowsOf(SECTIONS.get(name) ?? '').find(({ option = '' }) => option.includes('--listen'));
    expect(row?.meaning).toContain(`\`${address}\``);
  }
});

test('the commands of what to do first about each alert have all that they need', () => {
  for (const { name, checks } of ALERTS) {
    const calls = checks.flatMap(codeWordsOf).flatMap(callsIn);
    expect([name, calls.length]).not.toEqual([name, 0]);
    expect([name, calls.flatMap((call) => mistakesIn(call, commands))]).toEqual([name, []]);
  }
});
