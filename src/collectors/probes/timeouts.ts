// Turns the configured time limits into those of a probe.

import type { ProbeTimeouts } from '../../prober/probe.ts';
import type { ProbeOptions } from './options.ts';

/** Time limits of the controls at the start of a round, and of those that are asked again before results are stored. */
const CONTROLS = 2;

/** The longest that a probe takes (ms): before its own time begins, it can wait for a lookup as long as one may take. */
export const longestProbeMs = ({ timeout, timeouts }: Pick<ProbeOptions, 'timeout' | 'timeouts'>): number =>
  timeout + Math.min(timeouts.resolve, timeout);

/** The longest that a round takes in which each of its connections has only one proxy (ms). */
export const longestTurnMs = ({
  urls,
  exit,
  control,
  timeout,
}: Pick<ProbeOptions, 'urls' | 'exit' | 'control' | 'timeout'>): number =>
  timeout * (urls.length + (exit ? 1 : 0) + (control === false ? 0 : CONTROLS));

/** `limitMs` also limits the wait for a lookup. */
export const timeoutsOf = (
  { timeout, timeouts }: Pick<ProbeOptions, 'timeout' | 'timeouts'>,
  limitMs = Number.POSITIVE_INFINITY,
): ProbeTimeouts => ({ ...timeouts, total: Math.min(timeout, limitMs), deadline: limitMs });
