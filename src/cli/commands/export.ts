// Declares the commands that give metrics, history and rules to other programs.

import {
  configOption,
  EXPECTED_INSTANT,
  optional,
  parseDate,
  parseInstant,
  required,
  shardOption,
} from '../options.ts';
import type { CommandGroup, CommandSpec } from './command.ts';

const ONCE: CommandSpec = {
  name: 'once',
  summary: 'Run every collector once, and print the metrics.',
  description:
    'Run every collector once with a temporary store. The command prints the metrics to standard output and the log to standard error.',
  options: [
    configOption(),
    shardOption(),
    optional('--tests', 'also test proxies. The tests cost test runs and traffic'),
  ],
  exitCodes: {
    0: 'every collector succeeded',
    1: 'at least one collector failed, completely or in part',
  },
  examples: ['--config config.yaml > metrics.txt'],
  load: async () => (await import('../export.ts')).once,
};

const BACKFILL: CommandSpec = {
  name: 'backfill',
  summary: 'Write stored history for Prometheus.',
  description:
    'Write the stored history as OpenMetrics text, which promtool can import. You can run this command while the daemon runs.',
  options: [
    configOption(),
    shardOption(),
    required('--from <time>', `start of the period (inclusive): ${EXPECTED_INSTANT}`, parseInstant),
    required('--to <time>', 'end of the period (exclusive), in the same forms as --from', parseInstant),
    required('--output <file>', 'file to write. If you give -, the command writes to standard output'),
  ],
  exitCodes: {
    0: 'the file is complete',
    1: 'the command wrote no file. An existing file is unchanged',
  },
  examples: ['--config config.yaml --from 2026-06-01 --to 2026-07-01 --output history.om'],
  load: async () => (await import('../export.ts')).backfill,
};

const RULES: CommandSpec = {
  name: 'rules',
  summary: 'Print the alert rules for Prometheus.',
  description:
    'Print the alert rules for Prometheus. If you give a configuration, the alerts contain links to the documentation, the status page and the dashboard. The configuration contains the addresses of these links.',
  options: [optional('--config <file>', 'configuration file (YAML) with the addresses of the links')],
  exitCodes: { 0: 'the command printed the rules', 1: 'the configuration has errors' },
  examples: ['--config config.yaml > proxywatch.rules.yml'],
  load: async () => (await import('../export.ts')).rules,
};

const receiverOption = () => required('--receiver <name>', 'name of the receiver in remote_write');

const REWIND: CommandSpec = {
  name: 'rewind',
  summary: 'Send history to a receiver again.',
  description:
    'Send stored history to a receiver of remote write again, for example after the receiver lost its data. Stop the daemon first. The daemon sends the history after its next start.',
  options: [
    configOption(),
    shardOption(),
    receiverOption(),
    required(
      '--to <time>',
      `time from which the receiver gets the history again: ${EXPECTED_INSTANT}`,
      parseInstant,
    ),
  ],
  exitCodes: {
    0: 'the receiver is rewound',
    1: 'the store is unchanged: a daemon uses it, there is no such receiver, or the configuration has errors',
  },
  examples: ['--config config.yaml --receiver victoria --to 2026-07-01'],
  load: async () => (await import('../remote-write/rewind.ts')).rewind,
};

const VERIFY: CommandSpec = {
  name: 'verify',
  summary: 'Compare what a receiver has with what was sent.',
  description:
    'Query a receiver of remote write for the sums of each day, and compare them with the stored history that was sent. Print the days and series that differ. You can run this command while the daemon runs, but not with --repair.',
  options: [
    configOption(),
    receiverOption(),
    required('--from <date>', "first day, such as 2026-07-01, in the account's time_zone", parseDate),
    optional('--to <date>', 'last day (inclusive). The default is the last day that is over', parseDate),
    optional('--repair', 'rewind the receiver to the first day that it has lost samples of, as rewind does'),
    shardOption(),
  ],
  exitCodes: {
    0: 'no sum differs, or --repair has rewound the receiver for all days that differ',
    1: 'at least one sum differs',
    2: 'no sum was compared: the receiver does not answer, the daemon uses the store, or the configuration has errors',
  },
  examples: ['--config config.yaml --receiver victoria --from 2026-07-01'],
  load: async () => (await import('../remote-write/verify.ts')).verify,
};

export const EXPORT: CommandGroup = {
  name: 'export',
  description: 'Give metrics, history and alert rules to other programs.',
  commands: [
    ONCE,
    BACKFILL,
    RULES,
    {
      name: 'remote-write',
      description: 'Control what receivers of remote write get.',
      commands: [REWIND, VERIFY],
    },
  ],
};
