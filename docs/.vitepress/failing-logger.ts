// Makes a build fail on a warning, such as a code block in an unknown language.

import type { UserConfig } from 'vitepress';

type Logger = NonNullable<NonNullable<UserConfig['vite']>['customLogger']>;

const warned = new Set<string>();

const warn = (message: string): void => {
  logger.hasWarned = true;
  process.exitCode = 1;
  console.error(`warning: ${message.trim()}`);
};

export const logger: Logger = {
  hasWarned: false,
  info: (message) => console.log(message),
  warn,
  warnOnce: (message) => {
    if (!warned.has(message)) warn(message);
    warned.add(message);
  },
  error: (message) => console.error(message),
  clearScreen: () => {},
  hasErrorLogged: () => false,
};
