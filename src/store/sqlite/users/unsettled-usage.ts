// The part of a user's use that the next listings may still change, as its row stores it; most users have none.

import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { Fall } from '../../usage.ts';

export interface Unsettled {
  readonly falls: Readonly<Record<MeteredType, readonly Fall[]>>;
  /** Whether the user has not been seen in this epoch: its use at the next sighting is its starting point. */
  readonly restarts: boolean;
}

type PackedFall = [old: number, at: number, counted: number, held: number | null];
type Packed = Readonly<Partial<Record<MeteredType, PackedFall[]> & { restarts: true }>>;

const NOTHING: Unsettled = { falls: { residential: [], mobile: [] }, restarts: false };

/** The value for every user in a new epoch. */
export const RESTARTING = JSON.stringify({ restarts: true } satisfies Packed);

export const unsettledOf = (kept: string | null): Unsettled => {
  if (kept === null) return NOTHING;
  const { residential = [], mobile = [], restarts = false } = JSON.parse(kept) as Packed;
  return { falls: { residential: residential.map(unpack), mobile: mobile.map(unpack) }, restarts };
};

export const packUnsettled = ({ falls, restarts }: Unsettled): string | null => {
  const known = METERED_TYPES.filter((type) => falls[type].length > 0);
  if (known.length === 0 && !restarts) return null;
  const packed = Object.fromEntries(known.map((type) => [type, falls[type].map(pack)]));
  return JSON.stringify({ ...packed, ...(restarts && { restarts }) });
};

/** Whether the next sighting changes the row even if the provider's answer is the same. */
export const isWaiting = (kept: string | null): boolean => {
  if (kept === null) return false;
  const { falls, restarts } = unsettledOf(kept);
  return restarts || isHolding(falls);
};

/** Whether a fall waits for the user to be seen once more. */
export const isHolding = (falls: Unsettled['falls']): boolean =>
  METERED_TYPES.some((type) => falls[type].at(-1)?.held != null);

const pack = ({ old, at, counted, held }: Fall): PackedFall => [old, at, counted, held];

const unpack = ([old, at, counted, held]: PackedFall): Fall => ({ old, at, counted, held });
