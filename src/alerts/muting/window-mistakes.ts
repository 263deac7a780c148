// Finds mistakes in maintenance windows that the schema cannot find: repeated names, and unknown accounts and alerts.

import type { Path } from '../../config/config-error.ts';
import { describeUnknownName } from '../../config/near-names.ts';
import { ALERTS } from '../table.ts';
import { mutableAlerts } from './new-silence.ts';
import type { WindowOptions } from './window-options.ts';

interface WindowMistake {
  /** Starts at the list of windows. */
  readonly path: Path;
  readonly message: string;
}

export const windowMistakes = (
  windows: readonly WindowOptions[],
  accounts: readonly string[],
): WindowMistake[] => {
  const alerts = mutableAlerts(ALERTS);
  return windows.flatMap((window, index) => [
    ...(windows.findIndex(({ name }) => name === window.name) === index
      ? []
      : [{ path: [index, 'name'], message: `another window has the name "${window.name}" already` }]),
    ...unknownNames(window.accounts, accounts, [index, 'accounts']),
    ...unknownNames(window.alerts, alerts, [index, 'alerts']),
  ]);
};

const unknownNames = (names: readonly string[] = [], known: readonly string[], path: Path): WindowMistake[] =>
  names.flatMap((name, index) =>
    known.includes(name) ? [] : [{ path: [...path, index], message: describeUnknownName(name, known) }],
  );
