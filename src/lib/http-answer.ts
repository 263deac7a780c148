// Reads the answers of receivers: the start of the text, the wait that they ask for, and why there is none.

import type { Dispatcher } from 'undici';
import { HIDDEN_MESSAGE, quotedText } from './quoted-text.ts';
import { HOUR, MINUTE, SECOND } from './time.ts';

export const startOf = async (body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> =>
  (await startBytesOf(body, maxBytes)).toString();

/** Reads at most the first bytes of an answer, which may be endless. */
export const startBytesOf = async (
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
};

const ELEMENTS =
  'html|head|body|title|meta|link|base|style|script|noscript|div|span|p|br|hr|h[1-6]|a|b|i|em|strong|font|center|' +
  'form|table|img|iframe|main|section|article|header|footer|nav|ul|ol|pre';
/** An element, the document type, or a comment that is longer than what was read of the answer. XML has other names. */
const HTML_START = new RegExp(`^<(?:(?:${ELEMENTS})(?=[\\s/>])|!doctype\\s+html\\b|!--)`, 'i');
/** What begins an XML document that is a page. Other XML is an answer for programs. */
const XHTML_START = /^<(?:html\b|!doctype\s+html\b)/i;

/**
 * Whether an answer is a page for people, such as the login page of a gateway, whatever its status. The content type does
 * not tell: Slack, for example, answers `ok` as text/html.
 */
export const isHtml = (text: string): boolean => {
  const { rest, isXml } = withoutPrologue(text);
  return (isXml ? XHTML_START : HTML_START).test(rest);
};

/** Skips blanks, a byte order mark, comments and XML declarations. It reads each character once, as a page can have many. */
const withoutPrologue = (text: string): { readonly rest: string; readonly isXml: boolean } => {
  let [rest, isXml] = [text.trimStart(), false];
  for (;;) {
    const isComment = rest.startsWith('<!--');
    if (!isComment && !rest.startsWith('<?')) return { rest, isXml };
    const end = rest.indexOf(isComment ? '-->' : '>');
    if (end < 0) return { rest, isXml };
    isXml ||= rest.startsWith('<?xml');
    rest = rest.slice(end + (isComment ? 3 : 1)).trimStart();
  }
};

/** Returns the object that the text is as JSON; undefined if it is none. */
export const objectIn = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Returns how long `Retry-After` asks to wait (ms), by the clock of the receiver if the answer has its time. */
export const askedWaitMs = (headers: Dispatcher.ResponseData['headers'], now: number): number | undefined =>
  retryAfterMs(headers['retry-after']?.toString(), Date.parse(String(headers.date)) || now, '');

/** Describes the error by its code alone, because its message may contain the address. */
export const connectionErrorText = (error: unknown): string => {
  const { code, name } = error as Partial<NodeJS.ErrnoException>;
  return `connection failed: ${code ?? name ?? 'unknown'}`;
};

/** This text replaces an answer that repeats a secret. */
const HIDDEN_ANSWER = 'the answer is not shown because it quotes credentials';
/** Shorter parts of a path are words. */
const MIN_TOKEN_LENGTH = 8;

/** Returns the answer as one line, unless it quotes a secret or a token in the path of an address. Undefined if empty. */
export const quotedAnswer = (text: string, secrets: readonly string[]): string | undefined => {
  const tokens = secrets.flatMap((secret) => URL.parse(secret)?.pathname.split(/[/:]/) ?? []);
  const quoted = quotedText(text, [...secrets, ...tokens.filter(({ length }) => length >= MIN_TOKEN_LENGTH)]);
  return quoted === HIDDEN_MESSAGE ? HIDDEN_ANSWER : quoted || undefined;
};

const UNITS: Readonly<Record<string, number>> = { second: SECOND, minute: MINUTE, hour: HOUR };

/**
 * Reads from a 429 how many milliseconds to wait; undefined if the answer does not name a time. `Retry-After` comes
 * first: seconds, or a date that is compared with the answer's own `Date`, so that the clocks need not agree.
 * Without it the message is searched, because the API's documentation shows only that ("Please try again in
 * 45 seconds.").
 */
export const retryAfterMs = (
  retryAfter: string | undefined,
  answeredAt: number,
  message: string,
): number | undefined => {
  const header = parseRetryAfter(retryAfter);
  if (header?.kind === 'seconds') return header.value * SECOND;
  if (header?.kind === 'date') return Math.max(0, header.value - answeredAt);
  const [, count, unit] = /try again in (\d{1,9}(?:\.\d+)?) (second|minute|hour)/i.exec(message) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * (UNITS[unit?.toLowerCase() ?? ''] ?? SECOND);
};

/** Returns the seconds or the date (ms) of a `Retry-After`, or undefined if it is neither. */
export const parseRetryAfter = (
  header: string | undefined,
): { readonly kind: 'seconds' | 'date'; readonly value: number } | undefined => {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return { kind: 'seconds', value: Number(text) };
  const value = Date.parse(text);
  // Date.parse reads "-5" as a month.
  return HAS_LETTERS.test(text) && !Number.isNaN(value) ? { kind: 'date', value } : undefined;
};

/** No wait has more digits. Some servers send a fraction. */
const SECONDS = /^\d{1,9}(\.\d{1,9})?$/;
const HAS_LETTERS = /[a-z]/i;
