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

const HTML_START =
  /^\s*(?:<!--[\s\S]*?-->\s*|<\?xml[^>]*>\s*)*<(?:!doctype\s+html|html|head|body|title|meta|script)\b/i;

/**
 * Whether an answer is a page for people, such as the login page of a gateway, whatever its status. The content type does
 * not tell: Slack, for example, answers `ok` as text/html.
 */
export const isHtml = (text: string): boolean => HTML_START.test(text);

/** Returns how long `Retry-After` asks to wait (ms), by the clock of the receiver if the answer has its time. */
export const askedWaitMs = (headers: Dispatcher.ResponseData['headers'], now: number): number | undefined =>
  retryAfterMs(headers['retry-after']?.toString(), Date.parse(String(headers.date)) || now, '');

/** Describes the error by its code alone, because its message may contain the address. */
export const connectionErrorText = (error: unknown): string => {
  const { code, name } = error as Partial<NodeJS.ErrnoException>;
  return `connection failed: ${code ?? name ?? 'unknown'}`;
};
