// Finds the targets at fault that only a refusal by policy or a control shows.

import type { AttributedFault } from '../../faults/attribution.ts';
import { consecutiveFailures, hasFailed } from '../../faults/proxy-round.ts';
import type { ControlState, EvidenceCell } from '../evidence.ts';
import { causeOfCell } from './outcomes.ts';
import type { TesterView } from './tester-view.ts';

type WasFound = (url: string) => boolean;

const POLICY_REASON = 'the provider’s policy refuses this target through these proxies';
const AGREED_REASON = 'it fails from here without a proxy, and from the provider’s testers too';

export const isRefusedByPolicy = (cell: EvidenceCell): boolean => causeOfCell(cell) === 'policy';

/** A refusal by policy concerns a target and a product type. It is no fault of the proxies. */
export const policyFaults = (
  cells: readonly EvidenceCell[],
  faultAfter: number,
  wasFound: WasFound,
): AttributedFault[] =>
  [...Map.groupBy(cells, ({ url }) => url)].flatMap(([url, atUrl]) => {
    const byType = Map.groupBy(atUrl, ({ productType }) => productType);
    const productTypes = [...byType].flatMap(([type, ofType]) => {
      const refused = ofType.filter(isRefusedByPolicy);
      const lasting = refused.filter((cell) => consecutiveFailures(cell) >= faultAfter);
      const isFound = wasFound(url)
        ? 4 * refused.length >= ofType.length
        : lasting.length > 0 && 2 * lasting.length >= ofType.length;
      return isFound ? [type] : [];
    });
    if (productTypes.length === 0) return [];
    const scope = { productTypes: productTypes.sort(), isNamed: false };
    return [{ kind: 'target', subject: url, reason: POLICY_REASON, scope } as const];
  });

/** A target whose control fails is at fault only if the provider's testers fail there too. */
export const agreedFaults = (
  cells: readonly EvidenceCell[],
  controls: readonly ControlState[],
  view: TesterView,
  faultAfter: number,
  wasFound: WasFound,
): AttributedFault[] =>
  failingControls(controls).flatMap(({ url, failingRounds }) => {
    const { failing, tested } = view.atUrl(url);
    const isAgreed = tested > 0 && 2 * failing >= tested;
    const isLasting = failingRounds >= faultAfter || wasFound(url);
    return isAgreed && isLasting && failuresAt(url, cells) > 0
      ? [{ kind: 'target', subject: url, reason: AGREED_REASON } as const]
      : [];
  });

export const failingControls = (controls: readonly ControlState[]): ControlState[] =>
  controls.filter(({ isSuccessful }) => !isSuccessful);

/** The number of proxies that fail at a url. A used-up quota says nothing about it. */
export const failuresAt = (url: string, cells: readonly EvidenceCell[]): number =>
  cells.filter((cell) => cell.url === url && hasFailed(cell, 0) && causeOfCell(cell) !== 'quota').length;

/** Says what the control shows about a target at which proxies fail. */
export const blockedReason = (reason: string): string =>
  `blocked through proxies only: it works from here without a proxy (${reason})`;
