// proxywatch invoice: prints what the store knows of a month of each account, to compare it with an invoice of the provider.

import { closestMatch } from '../config/closest-match.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import { accountSettings, type Settings } from '../daemon/settings.ts';
import { readInvoice } from '../http/api/invoice/invoice.ts';
import type { Invoice } from '../http/api/invoice/invoice-json.ts';
import { invoiceLine, linesOf } from '../http/api/invoice/invoice-lines.ts';
import { csvOf } from '../http/api/lists/csv-answer.ts';
import { systemClock } from '../lib/clock.ts';
import { openSqliteStoreReadOnly } from '../store/sqlite/sqlite-store.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { invoiceReport } from './invoice-report.ts';
import { type ShardOption, shardText, withShard } from './options.ts';

export interface InvoiceOptions extends ShardOption {
  readonly config: string;
  /** `YYYY-MM`; the newest month that is over if not given. */
  readonly month?: string;
  readonly account?: string;
  readonly format: 'text' | 'csv' | 'json';
}

/**
 * Returns 1 if sources of a day differ, and 2 if a polled ledger was not read, or not all its rows, some hours after the end
 * of the month. It may run while the daemon runs: it sends no request, and writes nothing. Throws ConfigError and
 * StoreError.
 */
export const invoice = async (
  { env, stdout, stderr }: CommandContext,
  { config, month, account, format, ...option }: InvoiceOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, withShard(env, option));
  const accounts = settings.accounts.filter(({ name }) => account === undefined || name === account);
  if (accounts.length === 0) {
    stderr.write(`error: ${whyNone(settings, account)}\n`);
    return 1;
  }
  using store = openSqliteStoreReadOnly(settings.store.path);
  // The store is read once, so nothing needs to be cached.
  const view = { revision: () => '' };
  const invoices: Invoice[] = [];
  for (const each of accounts) {
    const found = { settings: accountSettings(each, settings), store, clock: systemClock };
    invoices.push(await readInvoice(view, found, month));
  }
  stdout.write(WRITERS[format](invoices));
  if (invoices.some(({ differences }) => differences.length > 0)) return 1;
  return invoices.every((invoice) => invoice.ledgers_complete) ? 0 : 2;
};

const WRITERS: Readonly<Record<InvoiceOptions['format'], (invoices: readonly Invoice[]) => string>> = {
  text: (invoices) => invoices.map(invoiceReport).join('\n'),
  csv: (invoices) => {
    const csv = csvOf(invoiceLine);
    return csv.header + csv.linesOf(invoices.flatMap(linesOf));
  },
  json: (invoices) => `${JSON.stringify(invoices, null, 2)}\n`,
};

export const whyNone = (settings: Settings, account: string | undefined): string => {
  const names = settings.accounts.map(({ name }) => name);
  if (account === undefined || names.length === 0) return shardText(settings) ?? 'there are no accounts';
  const meant = closestMatch(account, names);
  const hint = meant === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${meant}?`;
  return `--account: there is no account ${account}; ${hint}`;
};
