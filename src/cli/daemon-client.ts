// Sends requests to the API of a running daemon, with the credentials and certificates that its web.yml may demand.

import { readFileSync } from 'node:fs';
import type { Dispatcher } from 'undici';
import { describeInvalidBaseUrl, parseBaseUrl } from '../config/network.ts';
import { describeReadError } from '../config/read-error.ts';
import { describeSurroundings, withoutFinalNewline } from '../config/secret-text.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { Agent, request } from '../lib/undici.ts';
import type { CommandContext } from './context.ts';
import { DaemonError, describeConnectionError } from './daemon-error.ts';
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
  const json = parsed(text);
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

/** Returns the JSON object in the text; undefined if there is none. */
const parsed = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
