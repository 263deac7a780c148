// Runs the command line. Only this file and end-process.ts touch the process: its arguments, environment, signals and end.

import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { parseAddressOption } from './address-option.ts';
import type { CommandContext, ExitCode } from './context.ts';
import type { ConnectionOptions } from './daemon-client/daemon-client.ts';
import { parseDateOption } from './date-option.ts';
import { describeError } from './describe-error.ts';
import { endSoon } from './end-process.ts';
import type { ExplainOptions } from './explain/explain.ts';
import { helpEnd } from './help-end.ts';
import { EXPECTED_INSTANT, parseInstantOption } from './instant-option.ts';
import type { NotifyOptions } from './notify.ts';
import { docsUrlOf, type Manifest } from './package-docs.ts';
import { defineProbe } from './probe/define.ts';
import { shardOption } from './shard-option.ts';

/** The process exits this long after the first stop signal, even if something still hangs. */
const EXIT_AFTER_MS = 9_500;
/** A terminal signals all processes of its group, and npm signals its child again: within this time they count as one. */
const REPEATED_SIGNAL_MS = 500;

const manifest: Manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const { version } = manifest;

const stopping = new AbortController();

const context: CommandContext = {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stopping.signal,
  version,
  docsUrl: docsUrlOf(manifest),
  nodeVersion: process.versions.node,
  onHangup: (listener) => void process.on('SIGHUP', listener),
};

type Execute<O> = (context: CommandContext, options: O) => Promise<ExitCode>;

/** Loads and runs a command, and ends the process with its exit code. Commands that do not run take no memory. */
const command =
  <O>(load: () => Promise<Execute<O>>) =>
  async (options: O): Promise<void> => {
    try {
      const execute = await load();
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
  <O extends { readonly file: string }>(load: () => Promise<Execute<O>>) =>
  (file: string, options: Omit<O, 'file'>): Promise<void> =>
    command(load)({ ...options, file } as O);

const stop = (): void => {
  stopSignalAtMs = performance.now();
  stopping.abort(new DOMException('proxywatch received a stop signal', 'AbortError'));
  setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
};

const program = new Command('proxywatch')
  .description(
    'proxywatch monitors accounts at the proxy provider Byteful (formerly Ping Proxies), or at another provider with the same API. proxywatch serves Prometheus metrics, evaluates alerts, and shows a status page. proxywatch is unofficial: it is not affiliated with Byteful.',
  )
  .version(version, '-V, --version', 'print the version of proxywatch')
  .helpOption('-h, --help', 'print this help')
  .helpCommand('help [command]', 'Print the help of a command.')
  .showHelpAfterError('(Add --help to see the options.)')
  .addHelpText('after', '\nAdd --help to a command to see its options, exit codes and an example.');

const listenOption = (address: string) =>
  new Option('--listen <address>', 'address to serve on')
    .argParser(parseAddressOption)
    .default(parseAddressOption(address), address);

const CONFIG = ['--config <file>', 'configuration file (YAML)'] as const;

/** Adds the options of a command that asks a running daemon. Passwords are in files, because others can list arguments. */
const asksDaemon = (command: Command): Command =>
  command
    .addOption(
      new Option('--url <url>', 'address of the daemon')
        .default('http://127.0.0.1:9876')
        .env('PROXYWATCH_URL'),
    )
    .addOption(new Option('--user <name>', 'user name, if web.yml demands one').env('PROXYWATCH_USER'))
    .addOption(
      new Option('--password-file <file>', 'file that contains the password of the user').env(
        'PROXYWATCH_PASSWORD_FILE',
      ),
    )
    .option('--bearer-token-file <file>', 'file that contains a token for a reverse proxy')
    .addOption(
      new Option(
        '--ca-file <file>',
        'certificate (PEM) of the authority that issued the certificate of the daemon',
      ).env('PROXYWATCH_CA_FILE'),
    )
    .option('--cert-file <file>', 'client certificate (PEM), if web.yml demands one')
    .option('--key-file <file>', 'private key (PEM) of the client certificate');

program
  .command('run')
  .summary('Run the daemon.')
  .description(
    'Run the daemon. The daemon polls the accounts, and serves metrics, the status page and the API. SIGHUP reloads the configuration. SIGTERM or SIGINT stops the daemon.',
  )
  .requiredOption(...CONFIG)
  .addOption(shardOption())
  .addHelpText(
    'after',
    helpEnd(
      {
        0: 'a signal stopped the daemon',
        1: 'the daemon could not start, or a second signal ended it at once',
      },
      'run --config config.yaml',
    ),
  )
  .action(command(async () => (await import('./run.ts')).run));
program
  .command('demo')
  .summary('Run the daemon against a simulated provider.')
  .description('Run the daemon against a built-in simulated provider. You need no account and no keys.')
  .addOption(listenOption('127.0.0.1:9876').env('PROXYWATCH_LISTEN'))
  .option(
    '--data <dir>',
    'folder of the store (default: a temporary folder, which the demo deletes when it ends)',
  )
  .addHelpText(
    'after',
    helpEnd(
      { 0: 'a signal stopped the demo', 1: 'the demo could not start, or a second signal ended it at once' },
      'demo --listen 127.0.0.1:9876',
    ),
  )
  .action(command(async () => (await import('./demo/demo.ts')).demo));
program
  .command('once')
  .summary('Run every collector once, and print the metrics.')
  .description(
    'Run every collector once with a temporary store. The command prints the metrics to standard output and the log to standard error.',
  )
  .requiredOption(...CONFIG)
  .addOption(shardOption())
  .option('--tests', 'also test proxies. The tests cost test runs and traffic')
  .addHelpText(
    'after',
    helpEnd(
      { 0: 'every collector succeeded', 1: 'at least one collector failed, completely or in part' },
      'once --config config.yaml > metrics.txt',
    ),
  )
  .action(command(async () => (await import('./once.ts')).once));
program
  .command('check-config')
  .summary('Check the configuration, and estimate its costs.')
  .description(
    'Check the configuration. Print every error with its line. If there are no errors, print warnings and an estimate of requests, series and test runs.',
  )
  .requiredOption(...CONFIG)
  .addOption(shardOption())
  .addHelpText(
    'after',
    helpEnd(
      {
        0: 'the configuration has no errors. The command can still print warnings',
        1: 'the configuration has at least one error',
      },
      'check-config --config config.yaml',
    ),
  )
  .action(command(async () => (await import('./check-config.ts')).checkConfig));
program
  .command('doctor')
  .summary('Check keys, endpoints, clock, store and receivers.')
  .description(
    'Check everything that the daemon depends on: keys, endpoints, sources of proxies, clock, time zone, pace, store and receivers. Print the next step for each problem. Doctor does not test proxies, and does not send notifications or samples.',
  )
  .requiredOption(...CONFIG)
  .addOption(shardOption())
  .option(
    '--report <file>',
    "also write a report (JSON) of the differences between the provider's answers and documentation",
  )
  .addHelpText(
    'after',
    helpEnd(
      {
        0: 'no check failed. Doctor can still print warnings',
        1: 'at least one check failed, or the configuration has errors',
      },
      'doctor --config config.yaml',
    ),
  )
  .action(command(async () => (await import('./doctor/doctor.ts')).doctor));
defineProbe(program, async (args) => {
  await command(async () => (await import('./probe/probe.ts')).probe)(args);
  await endSoon();
});
/** Creates an option that has no meaning for a test notification. */
const explaining = (flags: string, description: string): Option =>
  new Option(flags, description).conflicts(['config', 'shard', 'receiver', 'severity']);
const notify = program
  .command('notify')
  .summary('Send a test notification, or explain why you were not notified.')
  .description(
    'With --config: send a test notification to all receivers, or to one receiver. Print for each receiver what came back. The daemon does not need to run.\n\nWith --explain: ask a running daemon why each receiver was notified of an alert, or not.',
  )
  .optionsGroup('Options for a test notification:')
  .option(...CONFIG)
  .addOption(shardOption())
  .option('--receiver <name>', 'name of the only receiver that gets the notification')
  .addOption(
    new Option('--severity <severity>', 'severity of the notification')
      .choices(['critical', 'warning', 'info'])
      .default('warning'),
  )
  .optionsGroup('Options for an explanation:')
  .addOption(explaining('--explain <alert>', 'name of the alert'))
  .addOption(explaining('--account <name>', 'only alerts of this account'))
  .addOption(
    explaining(
      '--subject <value>',
      'only alerts with a label of this value, such as the id of a proxy user. You can also write label=value',
    ),
  );
asksDaemon(notify)
  .addHelpText(
    'after',
    helpEnd(
      {
        0: 'every receiver accepted the notification, or the command printed the explanation',
        1: 'at least one receiver did not accept it, there is no such receiver, the configuration has errors, there is no such alert or account, or the daemon did not answer',
      },
      'notify --config config.yaml --receiver team\n  proxywatch notify --explain ProxyUserQuotaLow --account main',
    ),
  )
  .action((options: NotifyOptions | ExplainOptions) => {
    if ('explain' in options)
      return command(async () => (await import('./explain/explain.ts')).explain)(options);
    if (options.config === undefined)
      notify.error('error: give --config to send a test notification, or --explain to explain an alert');
    return command(async () => (await import('./notify.ts')).notify)(options);
  });
program
  .command('reconcile')
  .summary('Compare the numbers of several sources for each day.')
  .description(
    "Compare, for each day, the provider's numbers with each other and with the stored numbers. Explain the differences. You can run this command while the daemon runs.",
  )
  .requiredOption(...CONFIG)
  .addOption(shardOption())
  .requiredOption(
    '--from <date>',
    "first day, such as 2026-07-01, in the account's time_zone",
    parseDateOption,
  )
  .requiredOption('--to <date>', 'last day (inclusive)', parseDateOption)
  .addHelpText(
    'after',
    helpEnd(
      {
        0: 'the result of every comparison is ok',
        1: 'at least one result is DIFFERS: the unexplained difference is more than 1% of the bytes',
        2: 'no result is DIFFERS, but at least one result is unknown, or no comparison was possible',
      },
      'reconcile --config config.yaml --from 2026-07-01 --to 2026-07-31',
    ),
  )
  .action(command(async () => (await import('./reconcile.ts')).reconcile));
program
  .command('backfill')
  .summary('Write stored history for Prometheus.')
  .description(
    'Write the stored history as OpenMetrics text, which promtool can import. You can run this command while the daemon runs.',
  )
  .requiredOption(...CONFIG)
  .addOption(shardOption())
  .requiredOption('--from <time>', `start of the period (inclusive): ${EXPECTED_INSTANT}`, parseInstantOption)
  .requiredOption(
    '--to <time>',
    'end of the period (exclusive), in the same forms as --from',
    parseInstantOption,
  )
  .requiredOption('--output <file>', 'file to write. If you give -, the command writes to standard output')
  .addHelpText(
    'after',
    helpEnd(
      { 0: 'the file is complete', 1: 'the command wrote no file. An existing file is unchanged' },
      'backfill --config config.yaml --from 2026-06-01 --to 2026-07-01 --output history.om',
    ),
  )
  .action(command(async () => (await import('./backfill.ts')).backfill));
program
  .command('schema')
  .description('Print the JSON Schema of the configuration, for editors.')
  .addHelpText('after', helpEnd({ 0: 'the command printed the schema' }, 'schema > proxywatch.schema.json'))
  .action(command(async () => (await import('./schema.ts')).schema));
program
  .command('rules')
  .summary('Print the alert rules for Prometheus.')
  .description(
    'Print the alert rules for Prometheus. If you give a configuration, the alerts contain links to the documentation, the status page and the dashboard. The configuration contains the addresses of these links.',
  )
  .option('--config <file>', 'configuration file (YAML) with the addresses of the links')
  .addHelpText(
    'after',
    helpEnd(
      { 0: 'the command printed the rules', 1: 'the configuration has errors' },
      'rules --config config.yaml > proxywatch.rules.yml',
    ),
  )
  .action(command(async () => (await import('./rules.ts')).rules));
const store = program.command('store').description('Check, back up or restore the store.');
store
  .command('check')
  .summary('Check the store for damage.')
  .description('Check the store for damage. You can run this command while the daemon runs.')
  .requiredOption(...CONFIG)
  .addHelpText(
    'after',
    helpEnd(
      { 0: 'the store has no damage', 1: 'the store is damaged or unreadable' },
      'store check --config config.yaml',
    ),
  )
  .action(command(async () => (await import('./store/check.ts')).checkStore));
store
  .command('backup')
  .summary('Copy the store to a file.')
  .description(
    'Copy the store to a file, and check the copy. You can run this command while the daemon runs. With --account, move one account out of the store instead: stop the daemon first. The file then contains only this account.',
  )
  .argument('<file>', 'file to create; - writes the copy to standard output')
  .requiredOption(...CONFIG)
  .option('--overwrite', 'replace the file if it exists')
  .option('--account <name>', 'move this account out of the store, and write only this account')
  .addHelpText(
    'after',
    helpEnd(
      { 0: 'the backup is complete', 1: 'the command made no backup. An existing file is unchanged' },
      'store backup proxywatch-2026-07-05.db --config config.yaml',
    ),
  )
  .action(fileCommand(async () => (await import('./store/backup.ts')).backUpStore));
store
  .command('restore')
  .summary('Replace the store with a backup.')
  .description(
    'Replace the store with a backup. Stop the daemon first. The command keeps the replaced store under another name. With --merge, take in the account that "store backup --account" moved out of another store.',
  )
  .argument('<file>', 'backup to restore')
  .requiredOption(...CONFIG)
  .option('--merge', 'add the account in the file to the store')
  .addHelpText(
    'after',
    helpEnd(
      { 0: 'the backup is in place', 1: 'the store is unchanged' },
      'store restore proxywatch-2026-07-05.db --config config.yaml',
    ),
  )
  .action(fileCommand(async () => (await import('./store/restore.ts')).restoreStore));
const remoteWrite = program
  .command('remote-write')
  .description('Control what receivers of remote write get.');
remoteWrite
  .command('rewind')
  .summary('Send history to a receiver again.')
  .description(
    'Send stored history to a receiver of remote write again, for example after the receiver lost its data. Stop the daemon first. The daemon sends the history after its next start.',
  )
  .requiredOption(...CONFIG)
  .addOption(shardOption())
  .requiredOption('--receiver <name>', 'name of the receiver in remote_write')
  .requiredOption(
    '--to <time>',
    `time from which the receiver gets the history again: ${EXPECTED_INSTANT}`,
    parseInstantOption,
  )
  .addHelpText(
    'after',
    helpEnd(
      {
        0: 'the receiver is rewound',
        1: 'the store is unchanged: a daemon uses it, there is no such receiver, or the configuration has errors',
      },
      'remote-write rewind --config config.yaml --receiver victoria --to 2026-07-01',
    ),
  )
  .action(command(async () => (await import('./remote-write/rewind.ts')).rewind));
remoteWrite
  .command('verify')
  .summary('Compare what a receiver has with what was sent.')
  .description(
    'Query a receiver of remote write for the sums of each day, and compare them with the stored history that was sent. Print the days and series that differ. You can run this command while the daemon runs, but not with --repair.',
  )
  .requiredOption(...CONFIG)
  .requiredOption('--receiver <name>', 'name of the receiver in remote_write')
  .requiredOption(
    '--from <date>',
    "first day, such as 2026-07-01, in the account's time_zone",
    parseDateOption,
  )
  .option('--to <date>', 'last day (inclusive). The default is the last day that is over', parseDateOption)
  .option(
    '--repair',
    'rewind the receiver to the first day that it has lost samples of, as remote-write rewind does',
  )
  .addOption(shardOption())
  .addHelpText(
    'after',
    helpEnd(
      {
        0: 'no sum differs, or --repair has rewound the receiver for all days that differ',
        1: 'at least one sum differs',
        2: 'no sum was compared: the receiver does not answer, the daemon uses the store, or the configuration has errors',
      },
      'remote-write verify --config config.yaml --receiver victoria --from 2026-07-01',
    ),
  )
  .action(command(async () => (await import('./remote-write/verify.ts')).verify));
const silence = program
  .command('silence')
  .description('Hold notifications about alerts back: add, list or remove silences of a running daemon.');

asksDaemon(
  silence
    .command('add')
    .summary('Silence alerts.')
    .description(
      'Silence the alerts that match all of --account, --alert and --subject. Give at least one of them. The daemon evaluates the alerts as before, but sends no notifications about them until the silence ends.',
    )
    .requiredOption('--for <duration>', 'duration of the silence, such as 30m, 2h or 1d')
    .requiredOption('--comment <text>', 'who silences the alerts, and why')
    .option('--account <name>', 'only alerts of this account')
    .option('--alert <name>', 'only this alert')
    .option(
      '--subject <value>',
      'only alerts with a label of this value, such as the id of a proxy user. You can also write label=value',
    )
    .option('--from <time>', 'start of the silence, such as 2026-07-01T22:00:00+02:00 (default: now)'),
)
  .addHelpText(
    'after',
    helpEnd(
      { 0: 'the daemon added the silence', 1: 'the daemon refused the silence, or did not answer' },
      'silence add --account main --alert ProxyFailing --for 2h --comment "The provider replaces the proxies"',
    ),
  )
  .action(command(async () => (await import('./silence/add.ts')).addSilence));
asksDaemon(
  silence
    .command('list')
    .summary('List silences and maintenance windows.')
    .description('List the silences and the maintenance windows of the daemon.')
    .option('--expired', 'also list silences that ended in the last seven days'),
)
  .addHelpText(
    'after',
    helpEnd({ 0: 'the command printed the list', 1: 'the daemon did not answer' }, 'silence list'),
  )
  .action(command(async () => (await import('./silence/list.ts')).listSilences));
asksDaemon(
  silence
    .command('remove')
    .summary('Remove a silence.')
    .description('Remove a silence before its end. The daemon sends notifications about its alerts again.')
    .argument('<id>', 'id of the silence, as silence list prints it'),
)
  .addHelpText(
    'after',
    helpEnd(
      { 0: 'the daemon removed the silence', 1: 'there is no such silence, or the daemon did not answer' },
      'silence remove 3f2a9c71b04d',
    ),
  )
  .action((id: string, options: ConnectionOptions) =>
    command(async () => (await import('./silence/remove.ts')).removeSilence)({ ...options, id }),
  );
program
  .command('simulate')
  .summary('Run only the simulated provider.')
  .description(
    'Run only the simulated provider. If you give no scenario, the keys are demo-public and demo-private.',
  )
  .addOption(listenOption('127.0.0.1:8080'))
  .option('--scenario <file>', 'file that describes the simulated account (YAML)')
  .option('--proxies', 'also start the proxies of the simulated account, on loopback')
  .addHelpText(
    'after',
    helpEnd(
      { 0: 'a signal stopped the simulator', 1: 'the simulator could not start, or the scenario has errors' },
      'simulate --listen 127.0.0.1:8080',
    ),
  )
  .action(command(async () => (await import('./simulate.ts')).simulate));

process.on('SIGTERM', onStopSignal);
process.on('SIGINT', onStopSignal);
// The reader of the output may close it early, as `head` does.
process.stdout.on('error', () => process.exit(1));
await program.parseAsync();
