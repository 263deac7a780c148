#!/usr/bin/env node
// Runs the command line. Only this file touches the process: its arguments, environment and signals.

import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { parseAddressOption } from './cli/address-option.ts';
import { backfill } from './cli/backfill.ts';
import { checkConfig } from './cli/check-config.ts';
import type { CommandContext, ExitCode } from './cli/context.ts';
import { parseDateOption } from './cli/date-option.ts';
import { demo } from './cli/demo/demo.ts';
import { describeError } from './cli/describe-error.ts';
import { doctor } from './cli/doctor/doctor.ts';
import { EXPECTED_INSTANT, parseInstantOption } from './cli/instant-option.ts';
import { once } from './cli/once.ts';
import { reconcile } from './cli/reconcile.ts';
import { rules } from './cli/rules.ts';
import { run } from './cli/run.ts';
import { schema } from './cli/schema.ts';
import { simulate } from './cli/simulate.ts';
import { backUpStore } from './cli/store/backup.ts';
import { checkStore } from './cli/store/check.ts';
import { restoreStore } from './cli/store/restore.ts';

/** The process exits this long after the first stop signal, even if something still hangs. */
const EXIT_AFTER_MS = 9_500;
/** A terminal signals all processes of its group, and npm signals its child again: within this time they count as one. */
const REPEATED_SIGNAL_MS = 500;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const stopping = new AbortController();

const context: CommandContext = {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stopping.signal,
  version,
  nodeVersion: process.versions.node,
  onHangup: (listener) => void process.on('SIGHUP', listener),
};

/** Runs a command and ends the process with its exit code. */
const command =
  <O>(execute: (context: CommandContext, options: O) => Promise<ExitCode>) =>
  async (options: O): Promise<void> => {
    try {
      process.exitCode = await execute(context, options);
    } catch (error) {
      process.stderr.write(`${describeError(error)}\n`);
      process.exitCode = 1;
    }
  };

/** The first stop signal ends the daemon in good order, the second ends it at once. */
const onStopSignal = (): void => {
  if (!stopping.signal.aborted) stop();
  else if (performance.now() - stopSignalAtMs > REPEATED_SIGNAL_MS) process.exit(1);
};

let stopSignalAtMs = 0;

/** Like `command`, but for a command that takes a file argument. */
const fileCommand =
  <O extends { readonly file: string }>(
    execute: (context: CommandContext, options: O) => Promise<ExitCode>,
  ) =>
  (file: string, options: Omit<O, 'file'>): Promise<void> =>
    command(execute)({ ...options, file } as O);

const stop = (): void => {
  stopSignalAtMs = performance.now();
  stopping.abort(new Error('proxywatch was told to stop'));
  setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
};

const program = new Command('proxywatch')
  .description('Watches an account at a proxy provider and serves Prometheus.')
  .version(version)
  .showHelpAfterError('(--help tells more)');

const listenOption = (address: string) =>
  new Option('--listen <address>', 'address to serve on')
    .argParser(parseAddressOption)
    .default(parseAddressOption(address), address);

const CONFIG = ['--config <file>', 'configuration file (YAML)'] as const;

program
  .command('run')
  .description('run the daemon')
  .requiredOption(...CONFIG)
  .action(command(run));
program
  .command('demo')
  .description('run the daemon against a simulated provider')
  .addOption(listenOption('127.0.0.1:9876').env('PROXYWATCH_LISTEN'))
  .option('--data <dir>', 'folder to keep the store in (default: a temporary one)')
  .action(command(demo));
program
  .command('once')
  .description('run every collector once in a temporary store and print the metrics')
  .requiredOption(...CONFIG)
  .option('--tests', 'run proxy tests too; they cost test runs')
  .action(command(once));
program
  .command('check-config')
  .description('check the configuration and tell what it will cost')
  .requiredOption(...CONFIG)
  .action(command(checkConfig));
program
  .command('doctor')
  .description(
    'try keys, endpoints, clock, time zone, pace, store, receivers and sources of proxies; no proxy tests, no notifications',
  )
  .requiredOption(...CONFIG)
  .action(command(doctor));
program
  .command('reconcile')
  .description("compare each day's sources: the provider's numbers with each other and with the store's")
  .requiredOption(...CONFIG)
  .requiredOption('--from <date>', "first day (YYYY-MM-DD, the provider's)", parseDateOption)
  .requiredOption('--to <date>', 'last day', parseDateOption)
  .action(command(reconcile));
program
  .command('backfill')
  .description('write stored history as OpenMetrics for promtool, also while the daemon runs')
  .requiredOption(...CONFIG)
  .requiredOption('--from <time>', `what starts at or after it: ${EXPECTED_INSTANT}`, parseInstantOption)
  .requiredOption('--to <time>', 'what starts before it, given likewise', parseInstantOption)
  .requiredOption('--output <file>', 'file to write, - for standard output')
  .action(command(backfill));
program.command('schema').description('print the JSON Schema of the configuration').action(command(schema));
program.command('rules').description('print the alert rules for Prometheus').action(command(rules));
const store = program.command('store').description("check, back up or restore the daemon's store");
store
  .command('check')
  .description('check the store, also while the daemon runs')
  .requiredOption(...CONFIG)
  .action(command(checkStore));
store
  .command('backup')
  .description('copy the store to a file, also while the daemon runs')
  .argument('<file>', 'file to make')
  .requiredOption(...CONFIG)
  .option('--overwrite', 'replace the file if it is there')
  .action(fileCommand(backUpStore));
store
  .command('restore')
  .description('put a backup in the place of the store, while the daemon does not run')
  .argument('<file>', 'backup to restore')
  .requiredOption(...CONFIG)
  .action(fileCommand(restoreStore));
program
  .command('simulate')
  .description('run the simulated provider alone')
  .addOption(listenOption('127.0.0.1:8080'))
  .option('--scenario <file>', 'scenario of the simulated account (YAML)')
  .action(command(simulate));

process.on('SIGTERM', onStopSignal);
process.on('SIGINT', onStopSignal);
// The reader of the output may close it early, as `head` does.
process.stdout.on('error', () => process.exit(1));
await program.parseAsync();
