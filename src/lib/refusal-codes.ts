// Lists the codes of the provider's proxies: which requests they refuse, and why.

/** The classes of the codes of failed requests. */
export const REFUSAL_CLASSES = [
  'credentials',
  'options',
  'target',
  'policy',
  'quota',
  'no_node',
  'provider',
  'other',
] as const;
export type RefusalClass = (typeof REFUSAL_CLASSES)[number];

/** The first and the last group of codes (the first three of four digits), their class, and what they mean. */
type CodeRange = readonly [first: number, last: number, refusal: RefusalClass, words: string];

export const WRONG_LOGIN = 'the proxy refuses the user name or password';
export const UNREACHED = 'the proxy could not reach the target';
const RESTRICTED = "the provider's policy does not allow this target";
const TOO_LONG = 'the connection lasted longer than the provider allows';
const FAULTY = 'the provider reports a fault of its own';
const NO_NODE = 'the provider has no exit node for these options';
export const BAD_REQUEST = 'the proxy does not understand the request';

export const INVALID_NAME = 315;

export const CODE_RANGES: readonly CodeRange[] = [
  [100, 200, 'provider', FAULTY],
  [201, 203, 'credentials', WRONG_LOGIN],
  [206, 206, 'options', 'the options in the user name are wrong'],
  [207, 207, 'provider', FAULTY],
  [208, 208, 'credentials', WRONG_LOGIN],
  [301, 301, 'target', 'the proxy answers with a redirect instead of a connection'],
  [310, 312, 'target', UNREACHED],
  [314, 314, 'provider', FAULTY],
  [INVALID_NAME, INVALID_NAME, 'target', 'the proxy says that the name of the target is invalid'],
  [316, 317, 'policy', RESTRICTED],
  [410, 410, 'provider', FAULTY],
  [411, 412, 'policy', TOO_LONG],
  [420, 420, 'quota', 'the limit of requests per time is exceeded'],
  [421, 421, 'quota', 'the limit of simultaneous connections is exceeded'],
  [422, 422, 'quota', 'the limit of bandwidth or traffic is exceeded'],
  [423, 423, 'policy', RESTRICTED],
  [450, 450, 'provider', FAULTY],
  [451, 451, 'no_node', NO_NODE],
  [452, 452, 'provider', FAULTY],
  [500, 502, 'provider', FAULTY],
  [800, 810, 'provider', FAULTY],
  [820, 820, 'target', UNREACHED],
  [821, 821, 'no_node', NO_NODE],
  [822, 824, 'target', UNREACHED],
  [900, 901, 'provider', FAULTY],
  [902, 902, 'other', 'the proxy does not support the method'],
  [910, 910, 'other', BAD_REQUEST],
  [999, 999, 'provider', FAULTY],
];

/** Returns undefined for a group of codes that is not in the table. */
export const codeRangeOf = (group: number): CodeRange | undefined =>
  CODE_RANGES.find(([first, last]) => group >= first && group <= last);
