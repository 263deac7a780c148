// Bounds and estimates of the bytes of one probe on the raw socket, both ways.

import type { Depth } from '../../../prober/probe.ts';

const KB = 1024;
/** What TLS can cost: OpenSSL accepts certificates up to 100 kB in all. */
const TLS_HANDSHAKE = 112 * KB;
/** Our request, and the answer of the proxy, whose header is read up to 16 kB. */
const TUNNEL = 24 * KB;
/** The header and the body of the answer, each read up to 64 kB, and what the last read returned beyond that. */
const RESPONSE = 3 * 64 * KB + 8 * KB;

/** The most bytes that a probe of this depth can take, with TLS to the proxy. */
export const MOST_BYTES: Readonly<Record<Depth, number>> = {
  tunnel: TLS_HANDSHAKE + TUNNEL,
  tls: 2 * TLS_HANDSHAKE + TUNNEL,
  http: 2 * TLS_HANDSHAKE + TUNNEL + RESPONSE,
};

/** Measured: a tunnel, TLS with the certificates of a usual target, and a small answer. */
export const USUAL_BYTES: Readonly<Record<Depth, number>> = { tunnel: 300, tls: 5_500, http: 7_500 };
