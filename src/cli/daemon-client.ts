// Sends requests to the API of a running daemon, with the credentials and certificates that its web.yml may demand.

import { readFileSync } from 'node:fs';
import type { Dispatcher } from 'undici';
import { describeReadError } from '../config/files.ts';
import { describeInvalidBaseUrl, parseBaseUrl } from '../config/network.ts';
import { describeSurroundings, withoutFinalNewline } from '../config/secret-file.ts';
import { objectIn } from '../lib/http-answer.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { Agent, request } from '../lib/undici.ts';
import type { CommandContext } from './context.ts';
import { DaemonError } from './end.ts';
import type { ConnectionOptions } from './options.ts';

const TIMEOUT_MS = 30 * SECOND;
/** Far more than the longest answer that a command asks for. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Returns the JSON of a successful answer. Throws DaemonError, which never repeats an address with a password. */
export const askDaemon = async (
  { signal, version }: Pick<CommandContext, 'signal' | 'version'>,
  options: ConnectionOptions,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<unknown> => {
  const base = parseBaseUrl(options.url);
  if (base === undefined)
    throw new DaemonError(`--url or PROXYWATCH_URL: ${describeInvalidBaseUrl(options.url)}`);
  const headers = { ...credentialsIn(options), 'user-agent': `proxywatch/${version}` };
  await using agent = agentFor(options);
  try {
    const answer = await request(`${base}/${path}`, {
      ...{ method, signal, dispatcher: agent, headersTimeout: TIMEOUT_MS, bodyTimeout: MINUTE },
      headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return await answerIn(answer, options);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DaemonError) throw error;
    throw new DaemonError(describeConnectionError(error, options.url), { cause: error });
  }
};

const agentFor = ({ caFile, certFile, keyFile }: ConnectionOptions): AsyncDisposable & Agent => {
  const tls = Object.entries({ ca: caFile, cert: certFile, key: keyFile }).flatMap(([name, file]) =>
    file === undefined ? [] : [[name, readFile(file)] as const],
  );
  const agent = new Agent({ connect: Object.fromEntries(tls), maxResponseSize: MAX_ANSWER_BYTES });
  return Object.assign(agent, { [Symbol.asyncDispose]: () => agent.destroy() });
};

const credentialsIn = ({
  user,
  passwordFile,
  bearerTokenFile,
}: ConnectionOptions): Record<string, string> => {
  if (bearerTokenFile !== undefined) {
    if (user !== undefined) throw new DaemonError('give either --user or --bearer-token-file, not both');
    return { authorization: `Bearer ${readSecret(bearerTokenFile)}` };
  }
  if ((user === undefined) !== (passwordFile === undefined))
    throw new DaemonError('give --user and --password-file together');
  if (user === undefined || passwordFile === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${readSecret(passwordFile)}`).toString('base64')}` };
};

/** Returns the content of the file as a secret of the configuration is read. Throws DaemonError. */
const readSecret = (file: string): string => {
  const text = withoutFinalNewline(readFile(file));
  const problem = describeSurroundings(text);
  if (problem !== undefined) throw new DaemonError(`${file}: the content of the file is ${problem}`);
  return text;
};

const readFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new DaemonError(`cannot read ${file} (${describeReadError(error)})`);
  }
};

const answerIn = async (
  { statusCode: status, body }: Dispatcher.ResponseData,
  options: ConnectionOptions,
): Promise<unknown> => {
  const { url } = options;
  const text = await body.text();
  const json = objectIn(text);
  if (status >= 200 && status < 300 && json !== undefined) return json;
  if (status === 401) throw new DaemonError(describeRejection(options));
  const error = (json as { readonly error?: unknown } | undefined)?.error;
  if (typeof error === 'string' && error !== 'not found')
    throw new DaemonError(error.replaceAll(/\p{C}/gu, ' '));
  throw new DaemonError(
    `${url} answered ${status}, but not as proxywatch does. Check that --url is the address of a proxywatch daemon of the same version`,
  );
};

const describeRejection = ({ url, user, bearerTokenFile }: ConnectionOptions): string => {
  if (bearerTokenFile !== undefined) return `${url} rejects the token of --bearer-token-file`;
  return user === undefined
    ? `${url} demands a user name and a password: give --user and --password-file`
    : `${url} rejects the user name or the password`;
};

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
const describeConnectionError = (error: unknown, url: string): string => {
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
