// Masks secrets in the lines of a trace.

import { basicCredentials } from './basic-auth.ts';
import type { ProbeRequest } from './probe.ts';

export type Mask = (line: string) => string;

const MAX_LENGTH = 500;
/** Shorter parts of an address, such as a word, occur in too many lines. */
const MIN_LENGTH = 4;

/** Headers whose values are secrets, in requests and in answers. */
const SECRET_HEADERS = /^((?:proxy-)?authorization|(?:set-)?cookie|location)(\s*:).*$/i;

/** Returns a function that hides credentials, the path of the target, and a line that repeats one of them. */
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
