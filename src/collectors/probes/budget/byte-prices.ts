// Says which proxies are sold by the byte, and bounds and estimates the bytes of one probe on the raw socket, both ways.

import { METERED_TYPES, PRODUCT_TYPES } from '../../../lib/product-types.ts';
import { BYTE_LIMITS, MAX_OVERRUN_BYTES } from '../../../prober/byte-limits.ts';
import type { Depth, ProbeResult } from '../../../prober/probe.ts';
import type { BytePrice } from './byte-budget.ts';

const FREE_TYPES: ReadonlySet<string> = new Set(
  PRODUCT_TYPES.filter((type) => !METERED_TYPES.some((metered) => metered === type)),
);

/** An unknown type counts as metered, because its bytes may cost money. */
export const isMetered = (productType: string): boolean => !FREE_TYPES.has(productType);

/** The most bytes that a probe of this depth can take, with TLS to the proxy. */
export const MOST_BYTES: Readonly<Record<Depth, number>> = {
  tunnel: BYTE_LIMITS.tunnel + MAX_OVERRUN_BYTES,
  tls: BYTE_LIMITS.tls + MAX_OVERRUN_BYTES,
  http: BYTE_LIMITS.http + MAX_OVERRUN_BYTES,
};

/** Measured: a tunnel, TLS with the certificates of a usual target, and a small answer. */
export const USUAL_BYTES: Readonly<Record<Depth, number>> = { tunnel: 300, tls: 5_500, http: 7_500 };

/** How much one probe changes the estimate. */
const WEIGHT = 0.1;

export class ByteEstimates {
  readonly #byLabel = new Map<string, number>();

  of(label: string, depth: Depth): number {
    return this.#byLabel.get(label) ?? USUAL_BYTES[depth];
  }

  observe(label: string, depth: Depth, bytes: number): void {
    const before = this.of(label, depth);
    this.#byLabel.set(label, before + WEIGHT * (bytes - before));
  }
}

type Targets = readonly { readonly label: string; readonly target: { readonly depth: Depth } }[];

export const mostBytes = (targets: Targets): number =>
  targets.reduce((sum, { target }) => sum + MOST_BYTES[target.depth], 0);

export const priceOf = (targets: Targets, estimates: ByteEstimates): BytePrice => ({
  most: mostBytes(targets),
  estimate: targets.reduce((sum, { label, target }) => sum + estimates.of(label, target.depth), 0),
});

export const bytesOf = (bytes: readonly ProbeResult['bytes'][]): number =>
  bytes.reduce((sum, { sent, received }) => sum + sent + received, 0);
