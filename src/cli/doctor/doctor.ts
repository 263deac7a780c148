// proxywatch doctor: checks what the daemon depends on, advises what to do about problems, and proposes prices.

import { join } from 'node:path';
import { describeMistake } from '../../config/config-error.ts';
import { loadSettings } from '../../daemon/load-settings.ts';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { mayBeAbsent } from '../../provider/errors.ts';
import { providerReport } from '../../provider/report/account-report.ts';
import { type ProductPrice, readProducts } from '../../provider/resources/catalog.ts';
import { StoreError } from '../../store/errors.ts';
import { readStoredAccounts } from '../../store/sqlite/accounts/accounts.ts';
import { schemaVersionOf } from '../../store/sqlite/file/inspect.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { countOf } from '../format.ts';
import { readKnownNumbers } from '../known-numbers.ts';
import { type ShardOption, shardText, withShard } from '../options.ts';
import { checkOutputFile, inTemporaryFolder, writeOutputFile } from '../output-file.ts';
import {
  type AccountSession,
  adviceOn,
  captureError,
  type DoctorContext,
  mustStopRequests,
  openSession,
} from './account-session.ts';
import { type Check, type CheckResult, failed, lineOf, ok, unknown, warning } from './check-result.ts';
import {
  type AccountCustomer,
  checkCustomers,
  checkMovedOut,
  NO_HISTORY,
  type StoredHistory,
} from './customers.ts';
import { checkEndpoints, checkSources, checkTesters } from './endpoints.ts';
import { checkReceivers } from './receivers.ts';
import { checkRemoteWrite } from './remote-write.ts';
import { checkStore } from './store.ts';
import { checkClock, checkPace, checkZone } from './times.ts';

const ENDPOINT = 'product/search';
const UNIT_NOTE = 'The provider does not document whether a unit is GB or GiB: compare with an invoice.';

/** Reads the prices of the product types whose ledger is polled, or that have a price. */
async function* checkPrices(session: AccountSession): AsyncGenerator<CheckResult> {
  const { account } = session;
  for (const type of METERED_TYPES) {
    const isPriced = account.prices !== false && account.prices[type] !== undefined;
    if ((!account[`${type}_ledger`] && !isPriced) || mustStopRequests(session)) continue;
    const subject = `${account.name}: price of ${type} data`;
    const prices: ProductPrice[] = [];
    const error = await captureError(session, ENDPOINT, async (signal) => {
      for await (const { items } of readProducts(session.client, type, { signal })) {
        prices.push(...items.flatMap((product) => (product.isActive === false ? [] : product.prices)));
        return;
      }
    });
    const settings = [...new Set(prices.map(settingOf).filter((setting) => setting !== undefined))];
    // Without the section, nobody has asked for prices.
    if (settings.length === 0 && account.prices === false) continue;
    if (error && mayBeAbsent(error)) yield unknown(subject, 'the provider shows this account no prices');
    else if (error) yield failed(subject, error.message, adviceOn(error, []));
    else if (settings.length === 0) yield unknown(subject, 'the provider names no price of a unit');
    else yield ok(subject, proposalOf(type, settings), UNIT_NOTE);
  }
}

const proposalOf = (type: MeteredType, settings: readonly string[]): string =>
  `by the provider's products, a line of the section prices is "${type}: ${settings.join(`" or "${type}: `)}"`;

/** Writes a price as its setting; undefined if it is not the price of a unit. */
const settingOf = ({ perUnit, tierType, tiers }: ProductPrice): string | undefined => {
  if (!tiers?.length) return perUnit === null ? undefined : String(perUnit / 100);
  if (tierType !== 'volume' && tierType !== 'graduated') return undefined;
  const texts = tiers.map(({ upTo, amount }) =>
    upTo === null ? `{price: ${amount / 100}}` : `{up_to: ${upTo}, price: ${amount / 100}}`,
  );
  return `{type: ${tierType}, tiers: [${texts.join(', ')}]}`;
};

/**
 * Prints a line for each check as soon as it is done, and returns 1 if any has failed. With a file it also writes the
 * provider report. Makes no proxy tests, does not write the store, and does not disturb a running daemon. Throws
 * ConfigError.
 */
export const doctor = async (
  { env, stdout, signal, version }: CommandContext,
  { config: file, report: reportFile, ...option }: { config: string; report?: string } & ShardOption,
): Promise<ExitCode> => {
  const { config: settings, warnings } = loadSettings(file, withShard(env, option));
  // The requests should not be made in vain.
  if (reportFile !== undefined) checkOutputFile(reportFile);
  const counts = { ok: 0, unknown: 0, warning: 0, failed: 0 };
  await inTemporaryFolder('doctor', async (folder) => {
    using scratch = openSqliteStore({
      path: join(folder, 'scratch.db'),
      firstStepHoldMs: 0,
      isDurable: false,
    });
    const report = (finding: CheckResult): void => {
      counts[finding.status] += 1;
      stdout.write(`${lineOf(finding)}\n`);
    };
    report(ok('configuration', `${file} has no mistakes`));
    const shard = shardText(settings);
    if (shard !== undefined) report(ok('accounts', shard));
    for (const mistake of warnings) report(warning('configuration', describeMistake(mistake)));
    // The check of the store reports a store that cannot be read.
    const { numbers } = await readKnownNumbers(settings);
    const context = { settings, numbers, scratch, signal, version, reports: [] };
    for await (const finding of runChecks(context)) report(finding);
    if (reportFile !== undefined) report(await writeReport(reportFile, context));
  });
  stdout.write(
    `${counts.failed} failed, ${countOf(counts.warning, 'warning')}, ${counts.unknown} unknown, ${counts.ok} ok\n`,
  );
  return counts.failed > 0 ? 1 : 0;
};

/** Checks of what all accounts share. */
const SHARED_CHECKS: readonly Check<DoctorContext>[] = [checkStore, checkReceivers, checkRemoteWrite];
/** Checks of each account. Endpoints come first, because the others use the observations made there. */
const ACCOUNT_CHECKS: readonly Check<AccountSession>[] = [
  checkEndpoints,
  checkSources,
  checkTesters,
  checkPrices,
  checkClock,
  checkZone,
  checkPace,
];

async function* runChecks(context: DoctorContext): AsyncGenerator<CheckResult> {
  const { settings } = context;
  for (const check of SHARED_CHECKS) yield* check(context);
  const accounts: AccountCustomer[] = [];
  for (const account of settings.accounts) {
    await using session = openSession(context, account);
    for (const check of ACCOUNT_CHECKS) yield* check(session);
    const { customerId } = session.observations;
    if (customerId !== undefined) accounts.push({ account, customerId });
  }
  const history = readHistory(settings.store.path);
  yield* checkCustomers(accounts, history);
  yield* checkMovedOut(settings, history);
}

/** The check of the store has already reported a store that cannot be read. */
const readHistory = (path: string): StoredHistory => {
  try {
    return schemaVersionOf(path) === undefined ? NO_HISTORY : readStoredAccounts(path);
  } catch (error) {
    if (error instanceof StoreError) return 'unreadable';
    throw error;
  }
};

/** Writes the provider report. Call it after all checks, because it reports the answers that they got. Throws the system's errors. */
const writeReport = async (
  file: string,
  { version, reports, signal }: Pick<DoctorContext, 'version' | 'reports' | 'signal'>,
): Promise<CheckResult> => {
  const pieces = (async function* () {
    yield `${JSON.stringify(providerReport(version, reports), null, 2)}\n`;
  })();
  await writeOutputFile(file, pieces, signal);
  const found = `${file} lists how the provider's answers differ from its documentation, and contains no value of any field`;
  return ok('provider report', found);
};
