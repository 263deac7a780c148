// proxywatch export rules: prints the alert rules for Prometheus, with the links of a configuration if one is given.

import { rulesOf } from '../alerts/rules.ts';
import { ALERTS } from '../alerts/table.ts';
import { alertLinks } from '../daemon/addresses.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { withAllShards } from './options.ts';

/** Throws ConfigError with every mistake. */
export const rules = async (
  { env, stdout, docsUrl }: CommandContext,
  { config }: { config?: string },
): Promise<ExitCode> => {
  // The rules are about all shards, so they must not link to the page of one of them.
  const links =
    config === undefined ? { docsUrl } : alertLinks(loadSettings(config, withAllShards(env)).config, docsUrl);
  stdout.write(rulesOf(ALERTS, { links }));
  return 0;
};
