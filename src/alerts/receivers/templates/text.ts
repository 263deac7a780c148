// Writes notifications as text for people: a line with the counts, the first subjects, then links and descriptions.

import type { Annotate } from '../../annotations.ts';
import type { AlertDescription, NotificationContent, ReportMessage } from '../../notification.ts';
import { describedKinds, linksIn, MAX_SUBJECTS, moreText, subjectLines, titleOf } from './parts.ts';

export interface TextFormat {
  /** The most that `sizeOf` may return for a text. */
  readonly maxSize: number;
  /** The size of a text as the service counts it. Default: its length. */
  readonly sizeOf?: (text: string) => number;
  /** Turns off markup and mentions in a text. */
  readonly escape: (text: string) => string;
  readonly link: (url: string) => string;
}

/**
 * `head` is the first line, and the lines about subjects. Only these contain names that strangers can choose. `rest` is links
 * and descriptions; each block begins with an empty line.
 */
export const messageText = (
  content: NotificationContent,
  annotate: Annotate,
  { maxSize, sizeOf = ({ length }) => length, escape: escapeText, link }: TextFormat,
) => {
  const blocks = blocksOf(content.alerts, annotate, { escape: escapeText, link }).map(
    (block) => `\n\n${block}`,
  );
  const [title, ...lines] = [titleOf(content), ...subjectLines(content)].map(escapeText);
  // The lines get half of the text, and what the blocks leave of the other half.
  const headSize = Math.max(maxSize / 2, maxSize - sizeOf(blocks.join('')));
  const head = fittingHead(title ?? '', lines, content, (text) => sizeOf(text) <= headSize);
  let rest = '';
  for (const block of blocks) if (sizeOf(head + rest + block) <= maxSize) rest += block;
  return { head, rest };
};

/** Returns the text in one piece. */
export const textOf = (...args: Parameters<typeof messageText>): string => {
  const { head, rest } = messageText(...args);
  return head + rest;
};

/** Leaves out lines until the others fit, and counts those that it left out. */
const fittingHead = (
  title: string,
  lines: readonly string[],
  { firing, resolved, alerts }: NotificationContent,
  isFitting: (text: string) => boolean,
): string => {
  const all = [title, ...lines].join('\n');
  if (isFitting(all)) return all;
  for (let count = Math.min(alerts.length, MAX_SUBJECTS) - 1; count > 0; count -= 1) {
    const some = [title, ...lines.slice(0, count), moreText(firing + resolved - count)].join('\n');
    if (isFitting(some)) return some;
  }
  return title;
};

/** Returns the links that all alerts share, and a block for each kind of alert that fires. */
const blocksOf = (
  alerts: readonly AlertDescription[],
  annotate: Annotate,
  { escape: escapeText, link }: Pick<TextFormat, 'escape' | 'link'>,
): string[] => {
  const links = linksIn(alerts, annotate).map(({ title, url }) => `${title}: ${link(url)}`);
  const descriptions = describedKinds(alerts, annotate).map(({ name, description, runbook_url: runbook }) => {
    const text = escapeText(`${name}: ${description}`);
    return runbook === undefined ? text : `${text}\nRunbook: ${link(runbook)}`;
  });
  return [...(links.length === 0 ? [] : [links.join('\n')]), ...descriptions];
};

/** Returns the lines of a report. If they do not fit, the last ones are only counted. */
export const reportTextOf = (
  { title, lines }: ReportMessage,
  { maxSize, sizeOf = ({ length }) => length, escape: escapeText }: TextFormat,
): string => {
  const shown = [title, ...lines].map(escapeText);
  const textWith = (left: number): string =>
    left === 0 ? shown.join('\n') : [...shown.slice(0, -left), `and ${left} more lines`].join('\n');
  let left = 0;
  while (left < lines.length && sizeOf(textWith(left)) > maxSize) left += 1;
  return textWith(left);
};

/** Formats a text that nobody interprets. */
export const plainFormat = (maxSize: number, sizeOf?: TextFormat['sizeOf']): TextFormat => ({
  ...{ maxSize, escape: (text) => text, link: (url) => url },
  ...(sizeOf && { sizeOf }),
});

export const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
