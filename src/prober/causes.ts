// Says why a proxy refused: by the provider's code, by a known answer, by the HTTP status, or by the reply of SOCKS5.

import {
  BAD_REQUEST,
  codeRangeOf,
  INVALID_NAME,
  type RefusalClass,
  UNREACHED,
  WRONG_LOGIN,
} from '../lib/refusal-codes.ts';
import type { HttpHead } from './http-head.ts';
import type { Cause, ProxyAnswer } from './probe.ts';

export interface KnownAnswer {
  /** The program and its version whose answer this is. */
  readonly program: string;
  /** The file of the program's source that writes the answer. */
  readonly source: string;
  readonly status: number;
  /** The beginning of a header's value, or the whole reason of the status line. */
  readonly sign: { readonly header: string; readonly begins: string } | { readonly reason: string };
  readonly cause: Extract<Cause, 'target_name' | 'target_unreachable' | 'proxy_or_target'>;
  readonly words: string;
}

const UNCONNECTED = 'the proxy could not connect to the target';
const UNRESOLVED = 'the proxy could not resolve the name of the target';

/** Answers whose status alone would say something else, also whether they come from the proxy or from the target. */
export const KNOWN_ANSWERS: readonly KnownAnswer[] = [
  {
    // Names that it cannot resolve, and parents that it cannot reach.
    ...{ program: 'squid 5.7', source: 'src/FwdState.cc', status: 500, cause: 'proxy_or_target' },
    sign: { header: 'x-squid-error', begins: 'ERR_CANNOT_FORWARD' },
    words: 'the proxy found no way to the target',
  },
  {
    ...{ program: 'squid 5.7', source: 'src/FwdState.cc', status: 503, cause: 'target_name' },
    ...{ sign: { header: 'x-squid-error', begins: 'ERR_DNS_FAIL' }, words: UNRESOLVED },
  },
  {
    // Targets that refuse, and names that it cannot resolve.
    ...{ program: 'tinyproxy 1.11.1', source: 'src/reqs.c', status: 500, cause: 'target_unreachable' },
    ...{ sign: { reason: 'Unable to connect' }, words: UNCONNECTED },
  },
  {
    ...{ program: 'privoxy 3.0.34', source: 'cgi.c', status: 404, cause: 'target_name' },
    ...{ sign: { reason: 'No such domain' }, words: UNRESOLVED },
  },
  {
    ...{ program: 'privoxy 3.0.34', source: 'cgi.c', status: 503, cause: 'target_unreachable' },
    ...{ sign: { reason: 'Connect failed' }, words: UNCONNECTED },
  },
  {
    // The next proxy that it is configured to use.
    ...{ program: 'privoxy 3.0.34', source: 'cgi.c', status: 503, cause: 'proxy_or_target' },
    ...{
      sign: { reason: 'Forwarding failure' },
      words: 'the proxy could not reach the target by its next proxy',
    },
  },
];

/** Returns undefined if no entry matches. */
export const knownAnswerOf = (head: HttpHead): KnownAnswer | undefined =>
  KNOWN_ANSWERS.find(({ status, sign }) => status === head.status && hasSign(head, sign));

/** Whether a proxy program made this answer itself. squid names its own errors in this header. */
export const isOfProxyProgram = (head: HttpHead): boolean =>
  knownAnswerOf(head) !== undefined || (head.status >= 400 && head.headers.has('x-squid-error'));

const hasSign = ({ headers, text }: HttpHead, sign: KnownAnswer['sign']): boolean =>
  'reason' in sign
    ? /^HTTP\/1\.[01] \d{3} (.*?)\r?\n/.exec(text)?.[1] === sign.reason
    : headers.get(sign.header)?.startsWith(sign.begins) === true;

interface Refusal {
  readonly cause: Cause;
  /** Undefined if neither the code nor the status has a class. */
  readonly refusal: RefusalClass | undefined;
  readonly message: string;
}

const CAUSES_OF_CLASSES = {
  credentials: 'credentials',
  options: 'options',
  target: 'target_unreachable',
  policy: 'policy',
  quota: 'quota',
  no_node: 'no_node',
  provider: 'provider',
  other: 'proxy_error',
} as const satisfies Readonly<Record<RefusalClass, Cause>>;

export const causeOfGroup = (group: number, refusal: RefusalClass): Cause =>
  group === INVALID_NAME ? 'target_name' : CAUSES_OF_CLASSES[refusal];

const BY_STATUS: Readonly<Record<number, readonly [Cause, RefusalClass | undefined, string]>> = {
  400: ['proxy_error', undefined, BAD_REQUEST],
  // tinyproxy answers 401 to wrong credentials.
  401: ['credentials', 'credentials', WRONG_LOGIN],
  403: ['policy', 'policy', 'the proxy does not allow this target'],
  407: ['credentials', 'credentials', WRONG_LOGIN],
  429: ['quota', 'quota', 'the proxy refuses because of too many requests'],
  500: ['proxy_or_target', undefined, 'the proxy does not say why it failed'],
  502: ['target_unreachable', 'target', UNREACHED],
  // Proxies of other makers, such as squid, answer 503 when the target cannot be reached.
  503: ['target_unreachable', 'target', UNREACHED],
  504: ['target_unreachable', 'target', 'the target did not answer the proxy in time'],
};

const BY_REPLY: Readonly<Record<number, readonly [Cause, RefusalClass | undefined, string]>> = {
  // microsocks answers so if it cannot resolve the name of the target.
  1: ['proxy_or_target', undefined, 'the proxy does not say why it failed'],
  2: ['policy', 'policy', 'the proxy does not allow this target'],
  3: ['target_unreachable', 'target', 'the proxy finds no network route to the target'],
  4: ['target_unreachable', 'target', UNREACHED],
  5: ['target_refused', 'target', 'the target refused the connection of the proxy'],
  6: ['target_unreachable', 'target', 'the target did not answer the proxy in time'],
  7: ['protocol', undefined, 'the proxy does not support the SOCKS5 command CONNECT'],
  8: ['protocol', undefined, 'the proxy does not support this type of address'],
};

/** Returns why an HTTP proxy refused. The provider's code says more than the status, so it comes first. */
export const refusalOf = (
  { status, code }: ProxyAnswer,
  hasCredentials: boolean,
  known?: KnownAnswer,
): Refusal => {
  const coded = code === null ? undefined : refusalOfCode(code);
  const named = `status ${status}${code === null ? '' : `, code ${code}`}`;
  if (coded) return { cause: coded.cause, refusal: coded.refusal, message: `${coded.words} (${named})` };
  if (known && code === null) {
    const refusal = known.cause === 'proxy_or_target' ? undefined : 'target';
    return { cause: known.cause, refusal, message: `${known.words} (${named})` };
  }
  const [cause, refusal, words] = BY_STATUS[status] ?? ['proxy_error', undefined, 'the proxy refused'];
  const text = cause === 'credentials' && !hasCredentials ? NEEDS_LOGIN : words;
  return { cause, refusal: refusal ?? (code === null ? undefined : 'other'), message: `${text} (${named})` };
};

const NEEDS_LOGIN = 'the proxy demands a user name and password';

export const socksRefusalOf = (reply: number): Refusal => {
  const [cause, refusal, words] = BY_REPLY[reply] ?? ['proxy_error', undefined, 'the proxy refused'];
  return { cause, refusal, message: `${words} (SOCKS5 reply ${reply})` };
};

/** Returns the cause that a code of the provider's proxies stands for; undefined if the text is no such code. */
export const causeOfCode = (code: string): Cause | undefined => refusalOfCode(code)?.cause;

/** Returns in words what such a code means; undefined if the text is no such code. */
export const meaningOfCode = (code: string): string | undefined => refusalOfCode(code)?.words;

/** Returns undefined for the code of success, 200, and for a code that is not in the table. */
const refusalOfCode = (code: string) => {
  const group = Number(code.slice(0, 3));
  const range = /^\d{4}$/.test(code) ? codeRangeOf(group) : undefined;
  if (!range) return undefined;
  const [, , refusal, words] = range;
  return { cause: causeOfGroup(group, refusal), refusal, words };
};
