// Defines how a command is declared, and adds it to the command line with a help that ends with exit codes and examples.

import type { Command, Help, Option } from 'commander';
import type { CommandContext, ExitCode } from '../context.ts';

/** Runs with the options and arguments, as the command declares them. */
type Execute = (context: CommandContext, options: never) => Promise<ExitCode>;

export interface CommandSpec {
  readonly name: string;
  /** A sentence for the list of commands; the description if not given. */
  readonly summary?: string;
  readonly description: string;
  /** The names of the arguments, under which their values come with the options, and what they mean. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: readonly Option[];
  readonly exitCodes: Readonly<Record<number, string>>;
  /** What follows the name of the command. */
  readonly examples: readonly string[];
  /** Changes what no other field declares. */
  readonly customize?: (command: Command) => void;
  /** Whether a lookup of the system may still run when the command has ended. */
  readonly endsSoon?: boolean;
  /** Imports the code, so that commands that do not run take no memory. It may refuse options by `command.error`. */
  readonly load: (options: object, command: Command) => Promise<Execute>;
}

export interface CommandGroup {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly (CommandSpec | CommandGroup)[];
}

export type Run = (spec: CommandSpec, command: Command, options: object) => Promise<void>;

interface Adding {
  readonly run: Run;
  /** Whether the help of the parent leaves the command out. */
  readonly hidden?: boolean;
}

export const addCommand = (parent: Command, spec: CommandSpec | CommandGroup, adding: Adding): void => {
  const command = parent.command(spec.name, { hidden: adding.hidden ?? false }).description(spec.description);
  if ('commands' in spec) {
    for (const inner of spec.commands) addCommand(command, inner, { run: adding.run });
    return;
  }
  if (spec.summary !== undefined) command.summary(spec.summary);
  const names = Object.keys(spec.arguments ?? {});
  for (const name of names) command.argument(`<${name}>`, spec.arguments?.[name]);
  for (const option of spec.options ?? []) command.addOption(option);
  command.addHelpText('after', () => helpEnd(command, spec));
  spec.customize?.(command);
  command.action(() => {
    const values = Object.fromEntries(names.map((name, index) => [name, command.args[index]]));
    return adding.run(spec, command, { ...command.opts(), ...values });
  });
};

const COLUMNS = 80;
const INDENT = '  ';

/** Commander wraps what stands above this text, but not this text itself. */
const helpEnd = (command: Command, { exitCodes, examples }: CommandSpec): string => {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: command.configureOutput().getOutHelpWidth?.() || COLUMNS });
  return [
    '',
    'Exit codes:',
    ...Object.entries(exitCodes).map(([code, meaning]) => help.formatItem(code, 1, meaning, help)),
    '',
    `Example${examples.length > 1 ? 's' : ''}:`,
    ...examples.map((example) => shellLines(`${pathOf(command)} ${example}`, help)),
  ].join('\n');
};

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Breaks a long example before an option, as a shell accepts it. */
const shellLines = (example: string, { helpWidth = COLUMNS }: Help): string => {
  const lines = [''];
  for (const part of example.trim().split(/ (?=--)/)) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && INDENT.length + line.length + part.length + 3 > helpWidth)
      lines.push(`${INDENT}${part}`);
    else lines[lines.length - 1] = line === '' ? part : `${line} ${part}`;
  }
  return lines.map((line) => `${INDENT}${line}`).join(' \\\n');
};
