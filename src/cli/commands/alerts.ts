// Declares the commands about notifications and silences.

import type { Option } from 'commander';
import { daemonOptions, optional, required, shardOption } from '../options.ts';
import type { CommandGroup, CommandSpec } from './command.ts';

const accountOption = () => optional('--account <name>', 'only alerts of this account');
const subjectOption = () =>
  optional(
    '--subject <value>',
    'only alerts with a label of this value, such as the id of a proxy user. You can also write label=value',
  );

const inGroup = (heading: string, options: readonly Option[]): Option[] =>
  options.map((option) => option.helpGroup(heading));

export const NOTIFY: CommandSpec = {
  name: 'notify',
  summary: 'Send a test notification, or explain why you were not notified.',
  description:
    'With --config: send a test notification to all receivers, or to one receiver. Print for each receiver what came back. The daemon does not need to run.\n\nWith --explain: ask a running daemon why each receiver was notified of an alert, or not.',
  options: [
    ...inGroup('Options for a test notification:', [
      optional('--config <file>', 'configuration file (YAML)'),
      shardOption(),
      optional('--receiver <name>', 'name of the only receiver that gets the notification'),
      optional('--severity <severity>', 'severity of the notification')
        .choices(['critical', 'warning', 'info'])
        .default('warning'),
    ]),
    ...inGroup('Options for an explanation:', [
      // These have no meaning for a test notification.
      ...[optional('--explain <alert>', 'name of the alert'), accountOption(), subjectOption()].map(
        (option) => option.conflicts(['config', 'shard', 'receiver', 'severity']),
      ),
      ...daemonOptions(),
    ]),
  ],
  exitCodes: {
    0: 'every receiver accepted the notification, or the command printed the explanation',
    1: 'at least one receiver did not accept it, there is no such receiver, the configuration has errors, there is no such alert or account, or the daemon did not answer',
  },
  examples: ['--config config.yaml --receiver team', '--explain ProxyUserQuotaLow --account main'],
  load: async (options, command) => {
    if ('explain' in options) return (await import('../explain.ts')).explain;
    if (!('config' in options))
      command.error('error: give --config to send a test notification, or --explain to explain an alert');
    return (await import('../notify.ts')).notify;
  },
};

export const SILENCE: CommandGroup = {
  name: 'silence',
  description: 'Hold notifications about alerts back: add, list or remove silences of a running daemon.',
  commands: [
    {
      name: 'add',
      summary: 'Silence alerts.',
      description:
        'Silence the alerts that match all of --account, --alert and --subject. Give at least one of them. The daemon evaluates the alerts as before, but sends no notifications about them until the silence ends.',
      options: [
        optional('--for <duration>', 'duration of the silence, such as 30m, 2h or 1d'),
        optional(
          '--until-resolved',
          'silence the alerts that match now until they are resolved, at the latest for --for (default: 7d)',
        ),
        required('--comment <text>', 'who silences the alerts, and why'),
        accountOption(),
        optional('--alert <name>', 'only this alert'),
        subjectOption(),
        optional('--from <time>', 'start of the silence, such as 2026-07-01T22:00:00+02:00 (default: now)'),
        ...daemonOptions(),
      ],
      exitCodes: {
        0: 'the daemon added the silence',
        1: 'the daemon refused the silence, or did not answer',
      },
      examples: [
        '--account main --alert ProxyFailing --for 2h --comment "The provider replaces the proxies"',
      ],
      load: async () => (await import('../silence.ts')).addSilence,
    },
    {
      name: 'list',
      summary: 'List silences and maintenance windows.',
      description: 'List the silences and the maintenance windows of the daemon.',
      options: [
        optional('--expired', 'also list silences that ended in the last seven days'),
        ...daemonOptions(),
      ],
      exitCodes: { 0: 'the command printed the list', 1: 'the daemon did not answer' },
      examples: [''],
      load: async () => (await import('../silence.ts')).listSilences,
    },
    {
      name: 'remove',
      summary: 'Remove a silence.',
      description:
        'End a silence, or delete it if it has not begun. The daemon sends notifications about its alerts again.',
      arguments: { id: 'id of the silence, as silence list prints it' },
      options: daemonOptions(),
      exitCodes: {
        0: 'the daemon removed the silence',
        1: 'there is no such silence, or the daemon did not answer',
      },
      examples: ['3f2a9c71b04d'],
      load: async () => (await import('../silence.ts')).removeSilence,
    },
  ],
};
