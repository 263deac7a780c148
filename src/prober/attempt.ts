// Holds what the steps of one probe share: the request, the connection, the phases, and what is known so far.

import { BYTE_LIMITS } from './byte-limits.ts';
import { Connection } from './connection.ts';
import { Phases } from './phases.ts';
import type { Phase, ProbeProxy, ProbeRequest, ProbeResult, TraceStep } from './probe.ts';

/** The parts of the result that the steps fill in. */
type Findings = {
  -readonly [K in
    | 'proxyAnswer'
    | 'refusal'
    | 'status'
    | 'certificate'
    | 'isResumed'
    | 'body']: ProbeResult[K];
};

export class Attempt {
  readonly request: ProbeRequest;
  readonly proxy: ProbeProxy | null;
  readonly connection: Connection;
  readonly phases: Phases;
  readonly findings: Findings = {
    proxyAnswer: null,
    refusal: undefined,
    status: null,
    certificate: null,
    isResumed: false,
    body: null,
  };
  #mask: Mask | undefined;

  constructor(request: ProbeRequest) {
    this.request = request;
    this.proxy = request.proxy;
    this.connection = new Connection(BYTE_LIMITS[request.target.depth], request.isMetered ?? false);
    this.phases = new Phases(request.timeouts, (error) => this.connection.fail(error));
  }

  begin(phase: Phase): void {
    this.phases.begin(phase);
  }

  /** Shows a step on the command line. Without a listener, the text is not even made. */
  trace(direction: TraceStep['direction'], lines: () => readonly string[]): void {
    const { trace } = this.request;
    if (!trace) return;
    this.#mask ??= createMask(this.request);
    for (const line of lines()) trace({ phase: this.phases.current, direction, text: this.#mask(line) });
  }
}

type Mask = (line: string) => string;

const MAX_LENGTH = 500;
/** Shorter parts of an address, such as a word, occur in too many lines. */
const MIN_LENGTH = 4;

/** Headers whose values are secrets, in requests and in answers. */
const SECRET_HEADERS = /^((?:proxy-)?authorization|(?:set-)?cookie|location)(\s*:).*$/i;

/** Returns a function that hides credentials and the path of the target in a trace, and a line that repeats one of them. */
export const createMask = (request: ProbeRequest): Mask => {
  const secrets = secretsOf(request);
  return (line) => {
    const text = line.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
    const [, name, colon] = SECRET_HEADERS.exec(text) ?? [];
    if (name !== undefined) return `${name}${colon} [masked]`;
    const lower = text.toLowerCase();
    // The line is cut afterwards, because its cut could leave the beginning of a secret.
    return secrets.some((secret) => lower.includes(secret))
      ? '[masked: the line repeats a secret]'
      : text.slice(0, MAX_LENGTH);
  };
};

const secretsOf = ({ proxy, target }: ProbeRequest): string[] => {
  const login = proxy?.credentials;
  const password = login?.password.reveal();
  const url = target.url.reveal();
  return [
    ...(login && password !== undefined
      ? [password, basicCredentials(login), encodeURIComponent(password)]
      : []),
    ...secretPartsOf(url),
  ].map((secret) => secret.toLowerCase());
};

/** The user, the password, the path and the query of an address. A path of a few letters is no secret. */
const secretPartsOf = (text: string): string[] => {
  if (!URL.canParse(text)) return [text];
  const { username, password, pathname, search } = new URL(text);
  const values = [...new URLSearchParams(search).values()];
  const login = Buffer.from(`${username}:${password}`).toString('base64');
  return [username, password, login, pathname, search, ...pathname.split('/'), ...values].filter(
    (part) => part.length >= MIN_LENGTH,
  );
};

type Credentials = NonNullable<ProbeProxy['credentials']>;

const basicCredentials = ({ username, password }: Credentials): string =>
  Buffer.from(`${username}:${password.reveal()}`).toString('base64');

/** Returns the header for a proxy, or nothing if the proxy knows its customers by their address. */
export const proxyAuthorization = ({ credentials }: ProbeProxy): string =>
  credentials ? `Proxy-Authorization: Basic ${basicCredentials(credentials)}\r\n` : '';
