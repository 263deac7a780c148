// Opens a tunnel through a SOCKS5 proxy (RFC 1928, RFC 1929). The proxy resolves the target's name.

import type { Attempt } from './attempt.ts';
import { socksRefusalOf } from './causes.ts';
import type { ProbeProxy } from './probe.ts';
import { ProbeError } from './probe-error.ts';
import { addressBytes } from './socks5-address.ts';
import { choiceReader, loginReader, replyReader } from './socks5-readers.ts';

const NO_LOGIN = 0x00;
const LOGIN = 0x02;
const NO_METHOD = 0xff;
const MAX_FIELD_BYTES = 255;

export const openSocksTunnel = async (
  attempt: Attempt,
  proxy: ProbeProxy,
  host: string,
  port: number,
): Promise<void> => {
  const method = await chooseMethod(attempt, proxy);
  if (method === LOGIN) await logIn(attempt, proxy);
  await askForTunnel(attempt, host, port);
};

const chooseMethod = async (attempt: Attempt, { credentials }: ProbeProxy): Promise<number> => {
  const { connection } = attempt;
  const offered = credentials ? [NO_LOGIN, LOGIN] : [NO_LOGIN];
  connection.write(Buffer.from([5, offered.length, ...offered]));
  attempt.trace('>', () => [
    credentials
      ? 'SOCKS5: with or without a user name and password'
      : 'SOCKS5: without a user name and password',
  ]);
  const method = await connection.read(choiceReader());
  attempt.trace('<', () => [`SOCKS5: ${METHODS[method] ?? `method ${method}`}`]);
  if (method === NO_METHOD) throw refuseLogin(attempt, noMethodMessage(credentials !== undefined));
  if (method === LOGIN && !credentials) throw refuseLogin(attempt, noMethodMessage(false));
  if (!offered.includes(method))
    throw new ProbeError('protocol', 'the proxy chose a method that was not offered');
  return method;
};

const METHODS: Readonly<Record<number, string>> = {
  [NO_LOGIN]: 'no user name and password needed',
  [LOGIN]: 'user name and password, please',
  [NO_METHOD]: 'none of these methods is accepted',
};

const noMethodMessage = (hasCredentials: boolean): string =>
  hasCredentials
    ? 'the proxy accepts no user name and password, and no connection without them'
    : 'the proxy demands a user name and password';

const logIn = async (attempt: Attempt, { credentials }: ProbeProxy): Promise<void> => {
  if (!credentials) throw new ProbeError('protocol', 'the proxy chose a method that was not offered');
  const { connection } = attempt;
  connection.write(
    Buffer.concat([Buffer.from([1]), field(credentials.username), field(credentials.password.reveal())]),
  );
  attempt.trace('>', () => ['SOCKS5: user name and password [masked]']);
  const status = await connection.read(loginReader());
  attempt.trace('<', () => [status === 0 ? 'SOCKS5: logged in' : `SOCKS5: login failed (status ${status})`]);
  if (status !== 0) throw refuseLogin(attempt, 'the proxy refuses the user name or password');
};

const field = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_FIELD_BYTES) {
    throw new ProbeError(
      'credentials',
      'the user name or password is longer than the 255 bytes that SOCKS5 allows',
    );
  }
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
};

const refuseLogin = (attempt: Attempt, message: string): ProbeError => {
  attempt.findings.refusal = 'credentials';
  return new ProbeError('credentials', message);
};

const askForTunnel = async (attempt: Attempt, host: string, port: number): Promise<void> => {
  const { connection, findings } = attempt;
  connection.write(
    Buffer.concat([Buffer.from([5, 1, 0]), addressBytes(host), Buffer.from([port >> 8, port & 0xff])]),
  );
  attempt.trace('>', () => [`SOCKS5: CONNECT ${host} port ${port}`]);
  const reply = await connection.read(replyReader());
  attempt.trace('<', () => [`SOCKS5: reply ${reply}`]);
  findings.proxyAnswer = { status: reply, code: null, requestId: null };
  if (reply === 0) return;
  const { cause, refusal, message } = socksRefusalOf(reply);
  findings.refusal = refusal;
  throw new ProbeError(cause, message);
};
