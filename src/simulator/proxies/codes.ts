// Lists the provider's codes with the HTTP status, the reply of SOCKS5 and the text that its proxies answer with.

export interface Refusal {
  /** Four digits. The last one is for the provider's support. */
  readonly code: number;
}

interface CodeClass {
  /** The first three digits: single ones, and ranges with both ends. */
  readonly digits: readonly (number | readonly [number, number])[];
  readonly status: number;
  readonly text: string;
  /** The reply code of SOCKS5, which has no headers. */
  readonly reply: number;
}

/** Replies of SOCKS5 (RFC 1928). */
export const SOCKS_REPLIES = {
  ...{ success: 0, failure: 1, forbidden: 2, networkUnreachable: 3, hostUnreachable: 4, refused: 5 },
  ...{ unsupportedCommand: 7, unsupportedAddress: 8 },
} as const;

const { failure, forbidden, networkUnreachable, hostUnreachable, refused } = SOCKS_REPLIES;

const CLASSES: readonly CodeClass[] = [
  { digits: [[201, 203], 208], status: 407, text: 'Proxy authentication failed.', reply: failure },
  { digits: [206], status: 400, text: 'Invalid options in the user name.', reply: failure },
  { digits: [301], status: 301, text: 'The target was moved.', reply: hostUnreachable },
  { digits: [311], status: 502, text: 'The target refused the connection.', reply: refused },
  {
    ...{ digits: [822, 823, 824], status: 502 },
    ...{ text: 'The network of the target is unreachable.', reply: networkUnreachable },
  },
  { digits: [310, 312, 820], status: 502, text: 'The target was not reached.', reply: hostUnreachable },
  { digits: [315], status: 400, text: 'Invalid host name of the target.', reply: hostUnreachable },
  { digits: [[316, 317], 423], status: 403, text: 'The target is not allowed.', reply: forbidden },
  { digits: [[411, 412]], status: 403, text: 'The connection lasted too long.', reply: forbidden },
  { digits: [420], status: 429, text: 'Request rate exceeded.', reply: forbidden },
  { digits: [421], status: 429, text: 'Concurrency limit exceeded.', reply: forbidden },
  { digits: [422], status: 429, text: 'Bandwidth limit exceeded.', reply: forbidden },
  { digits: [451, 821], status: 503, text: 'No node is available for these options.', reply: failure },
  {
    digits: [[100, 200], 207, 314, 410, 450, 452, [500, 502], [800, 810], [900, 901], 999],
    ...{ status: 500, text: 'Internal error.', reply: failure },
  },
  { digits: [902], status: 405, text: 'Unsupported method.', reply: failure },
  { digits: [910], status: 400, text: 'Malformed request.', reply: failure },
];

/** The codes that the simulated proxies use on their own. A fault can use every other code. */
export const CODES = {
  wrongPassword: 2011,
  unknownUser: 2021,
  disabledUser: 2031,
  noAccess: 2081,
  wrongOptions: 2061,
  unresolvedTarget: 3101,
  refusedTarget: 3111,
  invalidTarget: 3151,
  restrictedPort: 3161,
  brokenTarget: 8201,
  unreachableTarget: 8221,
  blockedTarget: 4231,
  bandwidthExceeded: 4221,
  noNode: 4511,
  internal: 5001,
  unsupportedMethod: 9021,
  malformedRequest: 9101,
} as const;

/** Returns undefined if the provider has no such code for a refusal. */
export const classOfCode = (code: number): Omit<CodeClass, 'digits'> | undefined => {
  const prefix = Math.floor(code / 10);
  return CLASSES.find(({ digits }) =>
    digits.some((one) => (typeof one === 'number' ? one === prefix : prefix >= one[0] && prefix <= one[1])),
  );
};
