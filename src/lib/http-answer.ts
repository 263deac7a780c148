// Reads the answers of receivers: the start of the text, the wait that they ask for, and why there is none.

import type { Dispatcher } from 'undici';
import { retryAfterMs } from './retry-after.ts';

/** Reads at most the first bytes of an answer, which may be endless. */
export const startOf = async (body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString();
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

/** Returns how long `Retry-After` asks to wait (ms), by the clock of the receiver if the answer has its time. */
export const askedWaitMs = (headers: Dispatcher.ResponseData['headers'], now: number): number | undefined =>
  retryAfterMs(headers['retry-after']?.toString(), Date.parse(String(headers.date)) || now, '');

/** Describes the error by its code alone, because its message may contain the address. */
export const connectionErrorText = (error: unknown): string => {
  const { code, name } = error as Partial<NodeJS.ErrnoException>;
  return `connection failed: ${code ?? name ?? 'unknown'}`;
};
