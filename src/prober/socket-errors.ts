// Says why a socket or the resolver failed.

import { type Cause, ProbeError } from './probe.ts';

const CAUSES: Readonly<Record<string, Cause>> = {
  ...{ ECONNREFUSED: 'refused', ECONNRESET: 'reset', ECONNABORTED: 'reset', EPIPE: 'reset' },
  ...{ ETIMEDOUT: 'timeout', EHOSTUNREACH: 'unreachable', EHOSTDOWN: 'unreachable' },
  ...{ ENETUNREACH: 'unreachable', ENETDOWN: 'unreachable', ERR_STREAM_WRITE_AFTER_END: 'closed' },
  ...{ EMFILE: 'local', ENFILE: 'local', ENOBUFS: 'local', ENOMEM: 'local', EAI_MEMORY: 'local' },
  ...{ EADDRNOTAVAIL: 'local', EACCES: 'local', EPERM: 'local' },
  ...{ ENOTFOUND: 'dns', EAI_AGAIN: 'dns', EAI_FAIL: 'dns', EPROTO: 'protocol' },
};

const WORDS: Readonly<Partial<Record<Cause, string>>> = {
  refused: 'the connection was refused',
  reset: 'the connection was reset',
  closed: 'the other side closed the connection',
  timeout: 'the connection timed out',
  unreachable: 'no network route leads to the address',
  local: 'this machine could not make the connection',
  dns: 'the name could not be resolved',
  protocol: 'the answer is not TLS, or no common version or cipher of TLS exists',
};

/** When several addresses failed, the reason that says most about the other side comes first. */
const MOST_TELLING: readonly Cause[] = ['refused', 'reset', 'closed', 'protocol', 'timeout', 'unreachable'];

export const closedError = (): ProbeError => new ProbeError('closed', 'the other side closed the connection');

/** Returns the reason of a failure in words, with the system's code. `otherwise` is the cause of an unknown code. */
export const socketError = (error: Error, otherwise: Cause = 'local'): ProbeError => {
  if (error instanceof AggregateError && error.errors.length > 0) return mostTelling(error.errors);
  const code = codeOf(error);
  // Node.js reports a close during the handshake of TLS as a reset. A real reset comes from a call of the system.
  if (code === 'ECONNRESET' && !('syscall' in error)) return closedError();
  const cause = CAUSES[code] ?? (/^ERR_(SSL|TLS|OSSL)/.test(code) ? 'protocol' : otherwise);
  return new ProbeError(cause, code === '' ? wordsOf(cause) : `${wordsOf(cause)} (${code})`);
};

const mostTelling = (errors: readonly unknown[]): ProbeError => {
  const reasons = errors.filter((error) => error instanceof Error).map((error) => socketError(error));
  const ranked = MOST_TELLING.flatMap((cause) => reasons.filter(({ reason }) => reason === cause));
  return ranked[0] ?? reasons[0] ?? new ProbeError('local', wordsOf('local'));
};

const wordsOf = (cause: Cause): string => WORDS[cause] ?? cause;

/** Returns the code of an error if it is a plain identifier, because a code can come from a library's text. */
const codeOf = (error: Error): string => {
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z\d_]{1,60}$/.test(code) ? code : '';
};
