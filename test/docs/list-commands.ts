// Makes the program print its commands and options as JSON instead of running one: node --import THIS src/main.ts

import { Command } from 'commander';

/** What a command takes; `required` are the options without which it does not run. */
export interface CommandUsage {
  readonly name: string;
  /** Whether no help lists it, because its name is a former one. */
  readonly isHidden: boolean;
  readonly options: readonly string[];
  readonly required: readonly string[];
  /** The text of --help. */
  readonly help: string;
}

const usagesOf = (command: Command, parents: readonly string[] = [], isHidden = false): CommandUsage[] => {
  if (command.commands.length > 0)
    return command.commands.flatMap((inner) =>
      usagesOf(inner, [...parents, inner.name()], isHidden || isHiddenIn(command, inner)),
    );
  const { options } = command;
  return [
    {
      name: parents.join(' '),
      isHidden,
      options: options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)),
      required: options.flatMap(({ mandatory, long }) => (mandatory && long ? [long] : [])),
      help: helpOf(command),
    },
  ];
};

const isHiddenIn = (parent: Command, inner: Command): boolean =>
  !parent.createHelp().visibleCommands(parent).includes(inner);

const helpOf = (command: Command): string => {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
};

Command.prototype.parseAsync = async function (this: Command) {
  console.log(JSON.stringify(usagesOf(this)));
  return this;
};
