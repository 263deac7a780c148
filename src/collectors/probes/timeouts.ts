// Turns the configured time limits into those of a probe.

import type { ProbeTimeouts } from '../../prober/probe.ts';
import type { ProbeOptions } from './options.ts';

export const timeoutsOf = ({
  timeout,
  timeouts,
}: Pick<ProbeOptions, 'timeout' | 'timeouts'>): ProbeTimeouts => ({
  ...timeouts,
  total: timeout,
});
