// Runs `remote-write verify` at a time of the week, and reads which sums it names.

import { vi } from 'vitest';
import { type VerifyOptions, verify } from '../../../../src/cli/remote-write/verify.ts';
import { type CommandResult, runCommand } from '../../../cli/run-command.ts';
import { keyOf, type Sums } from './sums.ts';

/** The command compares the days that are over by the clock of the machine. */
export const verifyAt = async (now: number, options: VerifyOptions): Promise<CommandResult> => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  try {
    return await runCommand(verify, options);
  } finally {
    vi.useRealTimers();
  }
};

const LINE = /^main +(\d{4}-\d\d-\d\d) +proxywatch_history_(\w+?)(?:\{(.*)\})? +\S+ +\S+ +(\S+)$/;

/** Returns what is missing of the sums that the report names. Series have no empty labels. */
export const missingIn = ({ stdout }: CommandResult): Sums =>
  new Map(
    stdout.split('\n').flatMap((line) => {
      const [, date = '', name = '', selector = '', missing = ''] = LINE.exec(line) ?? [];
      if (date === '') return [];
      const labels = Object.fromEntries(
        [...selector.matchAll(/(\w+)=("(?:[^"\\]|\\.)+")/g)].map(([, label = '', value = '']) => [
          label,
          JSON.parse(value) as string,
        ]),
      );
      return [[keyOf(name, labels, Date.parse(date)), Number(missing.replaceAll(',', ''))] as const];
    }),
  );
