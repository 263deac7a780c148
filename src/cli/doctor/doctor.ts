// proxywatch doctor: whether all that the daemon rests upon is well, and what to do where it isn't.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../daemon/settings.ts';
import { StoreError } from '../../store/errors.ts';
import { openSqliteStore, openSqliteStoreToRead } from '../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { checkCustomers, type Owned } from './customers.ts';
import { checkEndpoints } from './endpoints.ts';
import { type Check, type Finding, lineOf, ok } from './finding.ts';
import { checkReceivers } from './receivers.ts';
import { checkSources } from './sources.ts';
import { checkStore } from './store.ts';
import { checkClock, checkPace, checkZone } from './times.ts';
import { type Surroundings, type Visit, visit } from './visit.ts';

/**
 * A line for each thing looked at, as it comes; 1 when any has failed. Makes no proxy test, writes no store, and is
 * no trouble to a daemon that runs. Throws ConfigError.
 */
export const doctor = async (
  { env, stdout, signal, version }: CommandContext,
  { config: file }: { config: string },
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(file, env);
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-doctor-'));
  const tally = { ok: 0, unknown: 0, warning: 0, failed: 0 };
  try {
    using scratch = openSqliteStore({
      path: join(folder, 'scratch.db'),
      firstStepHoldMs: 0,
      isLasting: false,
    });
    const tell = (finding: Finding): void => {
      tally[finding.verdict] += 1;
      stdout.write(`${lineOf(finding)}\n`);
    };
    tell(ok('configuration', `${file} has no mistakes`));
    for await (const finding of examine({ settings, scratch, signal, version })) tell(finding);
  } finally {
    await rm(folder, { recursive: true });
  }
  stdout.write(
    `${tally.failed} failed, ${tally.warning} warnings, ${tally.unknown} unknown, ${tally.ok} ok\n`,
  );
  return tally.failed > 0 ? 1 : 0;
};

/** Of what all accounts share. */
const HOUSE_CHECKS: readonly Check<Surroundings>[] = [checkStore, checkReceivers];
/** Of each account, endpoints first: the others go by what was noticed then. */
const ACCOUNT_CHECKS: readonly Check<Visit>[] = [
  checkEndpoints,
  checkSources,
  checkClock,
  checkZone,
  checkPace,
];

async function* examine(surroundings: Surroundings): AsyncGenerator<Finding> {
  const { settings } = surroundings;
  for (const check of HOUSE_CHECKS) yield* check(surroundings);
  const owned: Owned[] = [];
  for (const account of settings.accounts) {
    await using visiting = visit(surroundings, account);
    for (const check of ACCOUNT_CHECKS) yield* check(visiting);
    const { customerId } = visiting.notes;
    if (customerId !== undefined) owned.push({ account, customerId });
  }
  using store = openToRead(settings.store.path);
  yield* checkCustomers(owned, store);
}

/** None where there is none yet, or none that can be read: its own check has told. */
const openToRead = (path: string): Store | undefined => {
  try {
    return openSqliteStoreToRead(path);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
};
