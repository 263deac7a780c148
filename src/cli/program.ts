// Runs the command line. Only this file and end.ts touch the process: its arguments, environment, signals and end.

import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { NOTIFY, SILENCE } from './commands/alerts.ts';
import { addCommand, type Run } from './commands/command.ts';
import { CHECK_CONFIG, DEMO, DOCTOR, INIT, INVOICE, RECONCILE, REPORT, RUN } from './commands/daemon.ts';
import { DEV } from './commands/dev.ts';
import { EXPORT } from './commands/export.ts';
import { PROBE } from './commands/probe.ts';
import { STORE } from './commands/store.ts';
import { type CommandContext, docsUrlOf, type Manifest } from './context.ts';
import { describeError, endSoon } from './end.ts';

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

const run: Run = async ({ load, endsSoon }, command, options) => {
  try {
    const execute = await load(options, command);
    process.exitCode = await execute(context, options as never);
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`);
    process.exitCode = 1;
  }
  if (endsSoon) await endSoon();
};

/** The first stop signal ends the daemon in good order, the second ends it at once. */
const onStopSignal = (): void => {
  if (!stopping.signal.aborted) stop();
  else if (performance.now() - stopSignalAtMs > REPEATED_SIGNAL_MS) process.exit(1);
};

let stopSignalAtMs = 0;

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

for (const spec of [
  RUN,
  DEMO,
  INIT,
  CHECK_CONFIG,
  DOCTOR,
  PROBE,
  NOTIFY,
  SILENCE,
  RECONCILE,
  INVOICE,
  REPORT,
  STORE,
  EXPORT,
  DEV,
])
  addCommand(program, spec, { run });
// Their names of version 1.0.0.
for (const spec of [...EXPORT.commands, ...DEV.commands]) addCommand(program, spec, { run, hidden: true });

process.on('SIGTERM', onStopSignal);
process.on('SIGINT', onStopSignal);
// The reader of the output may close it early, as `head` does.
process.stdout.on('error', () => process.exit(1));
await program.parseAsync();
