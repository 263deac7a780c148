// proxywatch rules: prints the alert rules for Prometheus.

import { rulesOf } from '../alerts/rules.ts';
import { ALERTS } from '../alerts/table.ts';
import type { CommandContext, ExitCode } from './context.ts';

export const rules = async ({ stdout }: CommandContext): Promise<ExitCode> => {
  stdout.write(rulesOf(ALERTS));
  return 0;
};
