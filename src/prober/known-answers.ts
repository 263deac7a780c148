// Recognises the answers with which common proxy programs say that they did not reach the target.

import type { HttpHead } from './http-head.ts';
import type { Cause } from './probe.ts';

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
