// Defines the error of a command that asks a running daemon, and describes why it could not be reached.

/** Its message says what to do, and holds no secret. */
export class DaemonError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DaemonError';
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'nothing listens there. Check that the daemon runs, and give its address with --url. The daemon logs the address at its start',
  ENOTFOUND: 'the host name is unknown. Check --url',
  EAI_AGAIN: 'the host name cannot be resolved now. Check the network, or give an IP address',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 seconds. Check --url and firewalls',
  UND_ERR_HEADERS_TIMEOUT: 'no answer within 30 seconds. Read the log of the daemon',
  UND_ERR_SOCKET: 'the connection was closed. If the daemon serves TLS, begin the address with https://',
  ECONNRESET:
    'the connection was closed. If the daemon demands a certificate, give --cert-file and --key-file',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the daemon does not serve TLS. Begin the address with http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the daemon does not serve TLS. Begin the address with http://',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name. Use a name of the certificate',
  CERT_HAS_EXPIRED: 'the certificate has expired',
};

/** Node has about ten codes for certificates of unknown authorities. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_|UNTRUSTED/;

/** `url` holds no secret. The message of the error is left out, because it may repeat headers. */
export const describeConnectionError = (error: unknown, url: string): string => {
  const code = codeOf(error);
  const advice =
    ADVICE[code] ??
    (UNTRUSTED.test(code)
      ? 'the certificate is not trusted. Give its authority with --ca-file'
      : 'no answer');
  return `cannot ask the daemon at ${url}: ${advice} (${code})`;
};

/** A connection to several addresses has an error for each of them. */
const codeOf = (error: unknown): string => {
  const { code, name, errors, cause } = error as Partial<NodeJS.ErrnoException & AggregateError>;
  if (typeof code === 'string') return code;
  const inner = (errors?.[0] ?? cause) as unknown;
  return inner ? codeOf(inner) : (name ?? 'unknown error');
};
