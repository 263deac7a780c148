// proxywatch export remote-write rewind: makes the daemon send stored history again to a receiver that lost its data.

import { loadSettings } from '../../daemon/load-settings.ts';
import { asPolledSince, wholeDayFrom } from '../../daemon/remote-write/histories.ts';
import type { Settings } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { secondText } from '../../lib/time.ts';
import type { StreamKey } from '../../store/publication-store.ts';
import {
  type Rewound,
  rewindReceiver,
  type UnsentHistory,
} from '../../store/sqlite/publication/receivers.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { tableLines } from '../format.ts';
import { type InstantInZone, mistakeInReceiver, type ShardOption, withShard } from '../options.ts';

export interface RewindOptions extends ShardOption {
  readonly config: string;
  readonly receiver: string;
  readonly to: InstantInZone;
}

/** Throws ConfigError, and StoreError while a daemon uses the store. */
export const rewind = async (
  { env, stdout, stderr }: CommandContext,
  { config, receiver: name, to, ...option }: RewindOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, withShard(env, option));
  // Samples that come twice do no harm, so the earliest midnight of all accounts serves all of them.
  const zones = settings.accounts.map(({ time_zone }) => time_zone);
  // A shard may have no accounts, and yet a store from the time when it had some.
  const at = Math.min(...(zones.length > 0 ? zones : ['UTC']).map(to));
  const mistake = mistakeIn(settings, name, at);
  const rewound = mistake === undefined ? await rewindTo(settings, name, at) : undefined;
  if (rewound === undefined) {
    stderr.write(
      `error: ${mistake ?? `${name} has got nothing yet, so there is nothing to rewind. A new receiver begins at its start in the configuration`}\n`,
    );
    return 1;
  }
  for (const line of report(settings, name, rewound)) stdout.write(`${line}\n`);
  return 0;
};

/** Rewinds to the start of the day if the store may have it as one row. Throws StoreError. */
const rewindTo = (settings: Settings, name: string, at: number): Promise<Rewound | undefined> =>
  rewindReceiver(settings.store.path, name, at, (rolledUp) =>
    wholeDayFrom(at, rolledUp, settings, systemClock.now()),
  );

const mistakeIn = (settings: Settings, name: string, at: number): string | undefined =>
  mistakeInReceiver(settings.remote_write, 'remote_write', name) ??
  (at > systemClock.now()
    ? `--to (${secondText(at)}) is in the future. Give the time from which the receiver lost its data`
    : undefined);

const report = (settings: Settings, name: string, { to, rolledUp, unsent }: Rewound): string[] => {
  // The daemon sends nothing of accounts that are not configured.
  const sent = unsent.filter(({ account }) =>
    settings.accounts.some((configured) => configured.name === account),
  );
  const finestSince = asPolledSince(rolledUp, settings, systemClock.now());
  return [
    `${name}: rewound to ${secondText(to)}`,
    ...(sent.length === 0
      ? ['no history is published since then, so the receiver gets only corrections again']
      : ['when the daemon runs, the receiver gets this history with its corrections:', ...tableOf(sent)]),
    ...(to < finestSince
      ? [
          `warning: the store has traffic and the use of proxy users before ${secondText(finestSince)} only in sums of an hour or of a day. If the receiver still has samples from before that time, its sums become too high. Delete these samples at the receiver before you start the daemon, or rewind to a later time`,
        ]
      : []),
  ];
};

const COLUMNS = ['account', 'history', 'from', 'before'].map((header) => ({ header }));

const HISTORIES: Readonly<Record<StreamKey['source'], string>> = {
  traffic: 'traffic',
  ledger: 'residential ledger',
  mobile_ledger: 'mobile ledger',
  users: 'proxy users',
  tests: 'proxy tests',
};

const tableOf = (histories: readonly UnsentHistory[]): string[] =>
  tableLines(
    COLUMNS,
    histories.map(({ account, source, from, until }) => {
      // Rows of ledgers are dates.
      const format = source === 'ledger' || source === 'mobile_ledger' ? formatDate : secondText;
      return [account, HISTORIES[source], format(from), format(until)];
    }),
  );

const formatDate = (at: number): string => new Date(at).toISOString().slice(0, 10);
