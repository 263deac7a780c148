// proxywatch check-config: prints every mistake of the file, or warnings, the receivers of remote write, and an estimate of costs.

import { describeMistake } from '../config/config-error.ts';
import { formatDuration } from '../config/duration.ts';
import { proposeExternalUrl } from '../daemon/addresses.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import type { RemoteWriteOptions } from '../daemon/remote-write/options.ts';
import type { Settings } from '../daemon/settings.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { estimate } from './estimate.ts';
import { type ShardOption, withShard } from './options.ts';

/** Throws ConfigError with every mistake. */
export const checkConfig = async (
  { env, stdout }: CommandContext,
  { config, ...option }: { config: string } & ShardOption,
): Promise<ExitCode> => {
  const { config: settings, warnings } = loadSettings(config, withShard(env, option));
  stdout.write(`${config}: no mistakes\n`);
  for (const mistake of warnings) stdout.write(`warning: ${describeMistake(mistake)}\n`);
  const proposal = proposeExternalUrl(settings);
  if (proposal) stdout.write(`warning: ${proposal.found}. ${proposal.advice}\n`);
  for (const line of shardLines(settings)) stdout.write(`${line}\n`);
  for (const receiver of settings.remote_write) stdout.write(`${describeReceiver(receiver)}\n`);
  for (const line of estimate(settings, Date.now())) stdout.write(`${line}\n`);
  return 0;
};

/** Lists the accounts of each shard, if there are several. */
const shardLines = ({ sharding }: Settings): string[] => {
  if (!sharding || sharding.count === 1) return [];
  const { index: own, count, owners } = sharding;
  return Array.from({ length: count }, (_, index) => {
    const names = owners
      .filter(({ shard }) => shard === index)
      .map(({ account, isPinned }) => (isPinned ? `${account} (pinned)` : account));
    const which = index === own ? ' (this shard)' : '';
    return `shard ${index} of ${count}${which}: ${names.length > 0 ? names.join(', ') : 'no accounts'}`;
  });
};

/** The path and the query of the url may contain a token. */
const describeReceiver = ({ name, url, start }: RemoteWriteOptions): string => {
  const { host } = new URL(url.reveal());
  return `remote write ${name}: ${host}, start ${start === 'now' ? start : formatDuration(start)}`;
};
