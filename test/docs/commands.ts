// Reads the commands of the program, and finds calls of them in the documentation.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from './documents.ts';
import type { CommandUsage } from './list-commands.ts';

/** Returns all commands, such as `store check`. A group of commands, such as `store`, is none itself. */
export const readCommands = async (): Promise<CommandUsage[]> =>
  (await readAllCommands()).filter(({ isHidden }) => !isHidden);

/** Returns also the commands that no help lists. */
export const readAllCommands = async (): Promise<CommandUsage[]> => {
  const args = ['--disable-warning=ExperimentalWarning', '--import', './test/docs/list-commands.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, 'src/main.ts'], { cwd: ROOT });
  return JSON.parse(stdout);
};

/** What may stand before `proxywatch` where it is a command: nothing, `sudo -u …`, or another program that runs it. */
const BEFORE_COMMAND =
  /^(?:\w+=\S*\s+)*(?:sudo(?:\s+-\S+(?:\s+[^-\s]\S*)?)*|nice|time|npx|.*\s--|(?:docker|podman)\b.*\bexec\b.*\s\S+)?$/;

const PROGRAM =
  /(?:^|\s)(?:npm run (?:--silent |-s )?proxywatch --|node \S*main\.js|(?:\S*\/)?proxywatch)(?=\s|$)/g;

/** Returns the arguments of each call of proxywatch in shell commands. */
export const callsIn = (shell: string): string[][] =>
  shell
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/\$\(\([^()]*\)\)/g, '1')
    .replaceAll(/\$\([^()]*\)/g, 'output')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .flatMap((line) => line.replace(/\s#\s.*$/, '').split(/\|\|?|&&?|;|^\s*\$ /))
    .flatMap((command) => callOf(command.trim()) ?? []);

const callOf = (command: string): [string[]] | undefined => {
  const match = [...command.matchAll(PROGRAM)].findLast(({ index }) =>
    BEFORE_COMMAND.test(command.slice(0, index).trim()),
  );
  if (!match) return undefined;
  const rest = command.slice(match.index + match[0].length).replace(/\s*\d?>.*$/, '');
  return [rest.match(/"[^"]*"|'[^']*'|\S+/g) ?? []];
};

/** Returns what is wrong with the arguments of a call, such as an option that does not exist. */
export const mistakesIn = (args: readonly string[], commands: readonly CommandUsage[]): string[] => {
  const words = args.slice(0, args.findIndex((word) => !/^[a-z][a-z-]*$/.test(word)) >>> 0);
  const command = [3, 2, 1]
    .map((length) => words.slice(0, length).join(' '))
    .flatMap((wanted) => commands.find(({ name }) => name === wanted) ?? [])[0];
  const flags = args.flatMap((word) => /^--?[a-z][\w-]*/.exec(word)?.[0] ?? []);
  if (!command) return words.length > 0 ? [`no command ${words.slice(0, 2).join(' ')}`] : [];
  if (flags.includes('--help')) return [];
  return [
    ...flags
      .filter((flag) => !command.options.includes(flag))
      .map((flag) => `${command.name} has no option ${flag}`),
    ...command.required
      .filter((flag) => !flags.includes(flag))
      .map((flag) => `${command.name} needs ${flag}`),
  ];
};
