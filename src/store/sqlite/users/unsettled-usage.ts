// Packs the part of a user's usage that later listings may still change, for storage in its row. Most users have none.

import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { Fall } from '../../usage.ts';

export interface UnsettledUsage {
  readonly falls: Readonly<Record<MeteredType, readonly Fall[]>>;
  /** Whether the user has not been observed in this epoch. Its use at the next observation is its starting point. */
  readonly restarts: boolean;
}

type PackedFall = [old: number, at: number, counted: number, held: number | null];
type PackedUsage = Readonly<Partial<Record<MeteredType, PackedFall[]> & { restarts: true }>>;

const SETTLED: UnsettledUsage = { falls: { residential: [], mobile: [] }, restarts: false };

/** The stored value of every user at the start of a new epoch. */
export const RESTARTED_USAGE = JSON.stringify({ restarts: true } satisfies PackedUsage);

export const unpackUnsettledUsage = (stored: string | null): UnsettledUsage => {
  if (stored === null) return SETTLED;
  const { residential = [], mobile = [], restarts = false } = JSON.parse(stored) as PackedUsage;
  return { falls: { residential: residential.map(unpackFall), mobile: mobile.map(unpackFall) }, restarts };
};

export const packUnsettledUsage = ({ falls, restarts }: UnsettledUsage): string | null => {
  const typesWithFalls = METERED_TYPES.filter((type) => falls[type].length > 0);
  if (typesWithFalls.length === 0 && !restarts) return null;
  const packed = Object.fromEntries(typesWithFalls.map((type) => [type, falls[type].map(packFall)]));
  return JSON.stringify({ ...packed, ...(restarts && { restarts }) });
};

/** Returns whether the next observation changes the row even if the provider's answer is the same. */
export const hasPendingChange = (stored: string | null): boolean => {
  if (stored === null) return false;
  const { falls, restarts } = unpackUnsettledUsage(stored);
  return restarts || hasHeldFall(falls);
};

/** Returns whether a fall waits for another observation of the user. */
export const hasHeldFall = (falls: UnsettledUsage['falls']): boolean =>
  METERED_TYPES.some((type) => falls[type].at(-1)?.held != null);

const packFall = ({ old, at, counted, held }: Fall): PackedFall => [old, at, counted, held];

const unpackFall = ([old, at, counted, held]: PackedFall): Fall => ({ old, at, counted, held });
