// Finds mistakes that concern several settings, which the schema alone cannot find.

import { windowMistakes } from '../../alerts/muting/maintenance-window.ts';
import { receiverMistakes } from '../../alerts/receivers/options.ts';
import type { Path } from '../../config/config-error.ts';
import { remoteWriteMistakes } from '../remote-write/mistakes.ts';
import { retentionMistakes } from '../retention.ts';
import { collectorsOf, type Settings } from '../settings.ts';
import type { Shard } from '../shards/shard.ts';
import { shardMistakes } from '../shards/shard-mistakes.ts';

interface RuleMistake {
  readonly path: Path;
  readonly message: string;
}

/** Finds mistakes that concern several settings, which the schema alone cannot find. */
export const crossFieldMistakes = (settings: Settings, shard: Shard): RuleMistake[] => [
  ...retentionMistakes(
    settings.store.retention,
    settings.accounts.flatMap(({ traffic }) => traffic || []),
  ),
  ...receiverMistakes(
    settings.alerts.receivers,
    settings.accounts.map(({ name }) => name),
  ).map(({ path, message }) => ({
    path: ['alerts', 'receivers', ...path],
    message,
  })),
  ...remoteWriteMistakes(settings.remote_write).map(({ path, message }) => ({
    path: ['remote_write', ...path],
    message,
  })),
  ...windowMistakes(
    settings.alerts.maintenance,
    settings.accounts.map(({ name }) => name),
  ).map(({ path, message }) => ({ path: ['alerts', 'maintenance', ...path], message })),
  ...accountMistakes(settings),
  ...shardMistakes(settings, shard),
];

const accountMistakes = ({ accounts }: Settings): RuleMistake[] =>
  accounts.flatMap((settings, index) => [
    ...(accounts.findIndex(({ name }) => name === settings.name) === index
      ? []
      : [
          {
            path: ['accounts', index, 'name'],
            message: `another account has the name "${settings.name}" already`,
          },
        ]),
    ...collectorsOf(settings).flatMap(({ collector, options }) =>
      (collector.mistakes?.(options, settings) ?? []).map(({ path, message }) => ({
        path: ['accounts', index, collector.name, ...path],
        message,
      })),
    ),
  ]);
