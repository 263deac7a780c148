// Limits the bytes that one probe takes on the raw socket, sent and received.

import { type Depth, ProbeError } from './probe.ts';

const KB = 1_024;
/** What TLS can cost: OpenSSL accepts certificates up to 100 kB in all. */
const TLS_HANDSHAKE = 112 * KB;
/** Our request, and the answer of the proxy, whose header is read up to 16 kB. */
const TUNNEL = 24 * KB;
/** The header and the body of the answer, each read up to 64 kB, with the framing of chunks and TLS records. */
const RESPONSE = 3 * 64 * KB + 8 * KB;

/** A probe that takes more is cut off. */
export const BYTE_LIMITS: Readonly<Record<Depth, number>> = {
  tunnel: TLS_HANDSHAKE + TUNNEL,
  tls: 2 * TLS_HANDSHAKE + TUNNEL,
  http: 2 * TLS_HANDSHAKE + TUNNEL + RESPONSE,
};

/**
 * The most that a metered probe takes beyond its limit. Each read of the raw socket, of 64 kB at most, is compared with
 * the limit. While the probe waits for nothing, Node.js reads on until 64 kB wait, so the next comparison can come two
 * reads later. What the kernel has received by then, and nobody has read, is not counted.
 */
export const MAX_OVERRUN_BYTES = 2 * 64 * KB;

export const tooManyBytes = (limit: number): ProbeError =>
  new ProbeError('protocol', `the answers are longer than the ${limit / KB} kB that a probe may take`);

export const tooLongRequest = (limit: number): ProbeError =>
  new ProbeError('local', `the request is longer than the ${limit / KB} kB that a probe may take`);
