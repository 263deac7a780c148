// Declares the commands that run the daemon, and those that check its configuration, its surroundings and its numbers.

import { REPORT_UNITS } from '../../lib/calendar.ts';
import {
  configOption,
  DEFAULT_CONFIG,
  DEMO_ADDRESS,
  listenOption,
  optional,
  parseDate,
  parseMonth,
  required,
  shardOption,
} from '../options.ts';
import type { CommandSpec } from './command.ts';

export const RUN: CommandSpec = {
  name: 'run',
  summary: 'Run the daemon.',
  description:
    'Run the daemon. The daemon polls the accounts, and serves metrics, the status page and the API. SIGHUP reloads the configuration. SIGTERM or SIGINT stops the daemon.',
  options: [configOption(), shardOption()],
  exitCodes: {
    0: 'a signal stopped the daemon',
    1: 'the daemon could not start, or a second signal ended it at once',
  },
  examples: ['--config config.yaml'],
  load: async () => (await import('../run.ts')).run,
};

export const DEMO: CommandSpec = {
  name: 'demo',
  summary: 'Run the daemon against a simulated provider.',
  description:
    'Run the daemon against a built-in simulated provider. You need no account and no keys. With --break, break something in the demo that runs at the address of --listen.',
  options: [
    listenOption(DEMO_ADDRESS).env('PROXYWATCH_LISTEN'),
    optional(
      '--data <dir>',
      'folder of the store (default: a temporary folder, which the demo deletes when it ends)',
    ),
    optional('--break <what>', 'break this in the demo that runs; nothing repairs all')
      .choices(['proxy', 'target', 'tester', 'provider', 'keys', 'nothing'])
      .conflicts('data'),
  ],
  exitCodes: {
    0: 'a signal stopped the demo, or it is broken as you asked',
    1: 'the demo could not start, a second signal ended it at once, or no demo runs there',
  },
  examples: [`--listen ${DEMO_ADDRESS}`, '--break proxy'],
  load: async () => (await import('../demo/demo.ts')).demo,
};

export const INIT: CommandSpec = {
  name: 'init',
  summary: 'Write a first configuration.',
  description:
    'Write a first configuration. The command takes the keys from the variables PROXY_PUBLIC_KEY and PROXY_PRIVATE_KEY, or asks for them on a terminal, and tries them. It writes a configuration that does not contain them, and runs doctor. It overwrites no file.',
  options: [
    optional('--config <file>', 'configuration file to write').default(DEFAULT_CONFIG),
    optional('--name <name>', 'name of the account').default('main'),
    optional('--base-url <url>', "address of the provider's API, if it is not that of Byteful"),
  ],
  exitCodes: {
    0: 'the configuration is written, and doctor found no failure',
    1: 'the command wrote nothing, or doctor found a failure',
  },
  examples: ['--config config.yaml'],
  load: async () => (await import('../init/init.ts')).init,
};

export const CHECK_CONFIG: CommandSpec = {
  name: 'check-config',
  summary: 'Check the configuration, and estimate its costs.',
  description:
    'Check the configuration. Print every error with its line. If there are no errors, print warnings and an estimate of requests, series and test runs.',
  options: [configOption(), shardOption()],
  exitCodes: {
    0: 'the configuration has no errors. The command can still print warnings',
    1: 'the configuration has at least one error',
  },
  examples: ['--config config.yaml'],
  load: async () => (await import('../check-config.ts')).checkConfig,
};

export const DOCTOR: CommandSpec = {
  name: 'doctor',
  summary: 'Check keys, endpoints, clock, store and receivers.',
  description:
    'Check everything that the daemon depends on: keys, endpoints, sources of proxies, clock, time zone, pace, store and receivers. Print the next step for each problem. Doctor does not test proxies, and does not send notifications or samples.',
  options: [
    configOption(),
    shardOption(),
    optional(
      '--report <file>',
      "also write a report (JSON) of the differences between the provider's answers and documentation",
    ),
  ],
  exitCodes: {
    0: 'no check failed. Doctor can still print warnings',
    1: 'at least one check failed, or the configuration has errors',
  },
  examples: ['--config config.yaml'],
  load: async () => (await import('../doctor/doctor.ts')).doctor,
};

export const RECONCILE: CommandSpec = {
  name: 'reconcile',
  summary: 'Compare the numbers of several sources for each day.',
  description:
    "Compare, for each day, the provider's numbers with each other and with the stored numbers. Explain the differences. You can run this command while the daemon runs.",
  options: [
    configOption(),
    shardOption(),
    required('--from <date>', "first day, such as 2026-07-01, in the account's time_zone", parseDate),
    required('--to <date>', 'last day (inclusive)', parseDate),
  ],
  exitCodes: {
    0: 'the result of every comparison is ok',
    1: 'at least one result is DIFFERS: the unexplained difference is more than 1% of the bytes',
    2: 'no result is DIFFERS, but at least one result is unknown, or no comparison was possible',
  },
  examples: ['--config config.yaml --from 2026-07-01 --to 2026-07-31'],
  load: async () => (await import('../reconcile.ts')).reconcile,
};

export const INVOICE: CommandSpec = {
  name: 'invoice',
  summary: 'Print what is known of a month, to check an invoice.',
  description:
    'Print the stored numbers of a month, to compare them with an invoice of the provider: added and used bytes by reason, service and user, late changes, services, days that do not add up, and what is unknown. The command sends no request to the provider. You can run this command while the daemon runs.',
  options: [
    configOption(),
    optional(
      '--month <month>',
      "month, such as 2026-07, in the account's time_zone (default: the last month that is over)",
      parseMonth,
    ),
    optional('--account <name>', 'only this account'),
    optional('--format <format>', 'format of the output').choices(['text', 'csv', 'json']).default('text'),
    shardOption(),
  ],
  exitCodes: {
    0: 'the ledgers were read completely three hours after the end of the month or later, and no compared day differs',
    1: 'sources of at least one day differ by more than 1% without an explanation, or the configuration has errors',
    2: 'no compared day differs, but a ledger was not read so late, or some of its rows could not be decoded',
  },
  examples: ['--config config.yaml --month 2026-07'],
  load: async () => (await import('../invoice.ts')).invoice,
};

export const REPORT: CommandSpec = {
  name: 'report',
  summary: 'Print a week or month of each account.',
  description:
    'Print a week or month from the store: bytes, the largest users, what is left, alerts, uptime, changes, and what is unknown. The command sends no request to the provider. You can run this command while the daemon runs.',
  options: [
    configOption(),
    optional('--period <period>', 'length; weeks begin on Monday').choices(REPORT_UNITS).default('week'),
    optional(
      '--from <date>',
      'a day of the week or month, such as 2026-07-05 (default: the last one that is over)',
      parseDate,
    ),
    optional('--account <name>', 'only this account'),
    optional('--format <format>', 'format of the output').choices(['text', 'json']).default('text'),
    optional('--send <receiver>', 'send the reports to this receiver instead of printing them'),
    shardOption(),
  ],
  exitCodes: {
    0: 'the reports are printed, or the receiver accepted them',
    1: 'there is no such account or receiver, the receiver did not accept a report, or the configuration has errors',
  },
  examples: ['--config config.yaml --period month'],
  load: async () => (await import('../report.ts')).report,
};
