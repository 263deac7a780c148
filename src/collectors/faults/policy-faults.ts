// Finds the targets that a policy of the provider refuses. Its refusals are no fault of the proxies.

import type { AttributedFault } from './attribution.ts';
import { isPolicy } from './own-setting.ts';
import { consecutiveFailures, type FaultCell, hasFailed } from './proxy-round.ts';

const REASON = 'the provider’s policy refuses this target through these proxies';

/** A refusal by policy concerns a target and a product type. It is no fault of the proxies. */
export const policyFaults = (
  cells: readonly FaultCell[],
  faultAfter: number,
  wasFound: (url: string) => boolean,
): AttributedFault[] =>
  [...Map.groupBy(cells, ({ url }) => url)].flatMap(([url, atUrl]) => {
    const byType = Map.groupBy(atUrl, ({ productType }) => productType);
    const productTypes = [...byType].flatMap(([type, ofType]) => {
      const refused = ofType.filter((cell) => hasFailed(cell, 0) && isPolicy(cell));
      const lasting = refused.filter((cell) => consecutiveFailures(cell) >= faultAfter);
      const isFound = wasFound(url)
        ? 4 * refused.length >= ofType.length
        : lasting.length > 0 && 2 * lasting.length >= ofType.length;
      return isFound ? [type] : [];
    });
    if (productTypes.length === 0) return [];
    const scope = { productTypes: productTypes.sort(), isNamed: false };
    return [{ kind: 'target', subject: url, reason: REASON, scope, code: 'tunnel_policy' } as const];
  });
