// Reads the links of the repository's documents for tests.

import { dirname, join, normalize } from 'node:path';
import { proseOf } from './documents.ts';

/** Returns the targets of links and images, in Markdown and HTML, that are not on the web. */
export const linksIn = (markdown: string): string[] =>
  [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)|\b(?:href|src)="([^"]+)"/g)]
    .map(([, inMarkdown, inHtml]) => inMarkdown ?? inHtml ?? '')
    .filter((target) => !/^(https?|mailto):/.test(target));

/** Returns the path of the file that a document links to. */
export const targetOf = (document: string, link: string): string => {
  const [path = ''] = link.split('#');
  return path === '' ? document : normalize(join(dirname(document), path));
};
