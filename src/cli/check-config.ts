// proxywatch check-config: prints every mistake of the file, or warnings and an estimate of what the configuration costs.

import { describeMistake } from '../config/config-error.ts';
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
  for (const line of estimate(settings, Date.now())) stdout.write(`${line}\n`);
  return 0;
};
