// Orders the proxies of a round so that a line that does not work costs no bytes of metered proxies.

import type { LineState } from './line-state.ts';
import type { ProbedProxy } from './probed-proxies.ts';

/**
 * While the line of this machine seems down, free proxies come first, and then one metered proxy. Behind a firewall that
 * allows only the proxies, one of them passes, and the other metered proxies follow.
 */
export function* stagesOf(
  proxies: readonly ProbedProxy[],
  line: Pick<LineState, 'isDown'>,
): Generator<readonly ProbedProxy[]> {
  if (!line.isDown) return yield proxies;
  yield proxies.filter(({ isMetered }) => !isMetered);
  const metered = proxies.filter(({ isMetered }) => isMetered);
  if (line.isDown) yield metered.splice(0, 1);
  if (!line.isDown) yield metered;
}
