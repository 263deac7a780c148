// proxywatch rules: prints the alert rules for Prometheus, with the links of a configuration if one is given.

import { rulesOf } from '../alerts/rules.ts';
import { ALERTS } from '../alerts/table.ts';
import { alertLinks, loadSettings } from '../daemon/settings.ts';
import type { CommandContext, ExitCode } from './context.ts';

/** Throws ConfigError with every mistake. */
export const rules = async (
  { env, stdout, docsUrl }: CommandContext,
  { config }: { config?: string },
): Promise<ExitCode> => {
  const links = config === undefined ? { docsUrl } : alertLinks(loadSettings(config, env).config, docsUrl);
  stdout.write(rulesOf(ALERTS, { links }));
  return 0;
};
