// Bounds and estimates of the bytes of one probe on the raw socket, both ways.

import { BYTE_LIMITS, MAX_OVERRUN_BYTES } from '../../../prober/byte-limits.ts';
import type { Depth } from '../../../prober/probe.ts';

/** The most bytes that a probe of this depth can take, with TLS to the proxy. */
export const MOST_BYTES: Readonly<Record<Depth, number>> = {
  tunnel: BYTE_LIMITS.tunnel + MAX_OVERRUN_BYTES,
  tls: BYTE_LIMITS.tls + MAX_OVERRUN_BYTES,
  http: BYTE_LIMITS.http + MAX_OVERRUN_BYTES,
};

/** Measured: a tunnel, TLS with the certificates of a usual target, and a small answer. */
export const USUAL_BYTES: Readonly<Record<Depth, number>> = { tunnel: 300, tls: 5_500, http: 7_500 };
