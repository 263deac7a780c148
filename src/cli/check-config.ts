// proxywatch check-config: prints every mistake of the file, or warnings, the receivers of remote write, and an estimate of costs.

import { describeMistake } from '../config/config-error.ts';
import { formatDuration } from '../config/duration.ts';
import type { RemoteWriteOptions } from '../daemon/remote-write/options.ts';
import { loadSettings } from '../daemon/settings.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { estimate } from './estimate.ts';

/** Throws ConfigError with every mistake. */
export const checkConfig = async (
  { env, stdout }: CommandContext,
  { config }: { config: string },
): Promise<ExitCode> => {
  const { config: settings, warnings } = loadSettings(config, env);
  stdout.write(`${config}: no mistakes\n`);
  for (const mistake of warnings) stdout.write(`warning: ${describeMistake(mistake)}\n`);
  for (const receiver of settings.remote_write) stdout.write(`${describeReceiver(receiver)}\n`);
  for (const line of estimate(settings, Date.now())) stdout.write(`${line}\n`);
  return 0;
};

/** The path and the query of the url may contain a token. */
const describeReceiver = ({ name, url, start }: RemoteWriteOptions): string => {
  const { host } = new URL(url.reveal());
  return `remote write ${name}: ${host}, start ${start === 'now' ? start : formatDuration(start)}`;
};
