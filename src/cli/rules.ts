// proxywatch rules: prints the alert rules for Prometheus, with the links of a configuration if one is given.

import { rulesOf } from '../alerts/rules.ts';
import { ALERTS } from '../alerts/table.ts';
import { alertLinks } from '../daemon/addresses.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import type { CommandContext, ExitCode } from './context.ts';

/** Throws ConfigError with every mistake. */
export const rules = async (
  { env, stdout, docsUrl }: CommandContext,
  { config }: { config?: string },
): Promise<ExitCode> => {
  // The rules are about all shards, so they must not link to the page of one of them.
  const all = { ...env, PROXYWATCH_SHARD: undefined };
  const links = config === undefined ? { docsUrl } : alertLinks(loadSettings(config, all).config, docsUrl);
  stdout.write(rulesOf(ALERTS, { links }));
  return 0;
};
