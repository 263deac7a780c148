// Rewrites links to files outside of docs/, which the site does not have.

import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/**
 * Turns relative links to files outside of docs/ into links to the repository. Without the address of the repository,
 * only their text remains.
 */
export const repositoryLinks =
  (repository: string | undefined) =>
  (markdown: MarkdownRenderer): void => {
    markdown.core.ruler.push('repository_links', ({ tokens, env }) => {
      for (const { children } of tokens) {
        if (children) rewriteLinks(children, env.relativePath, repository);
      }
    });
  };

const rewriteLinks = (tokens: Token[], page: string, repository: string | undefined): void => {
  let isRemoving = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const path = pathOutside(page, token.attrGet('href') ?? '');
      isRemoving = path !== undefined && repository === undefined;
      if (path !== undefined) token.attrSet('href', `${repository}/blob/HEAD/${path}`);
      if (isRemoving) makeEmpty(token);
    } else if (token.type === 'link_close' && isRemoving) makeEmpty(token);
  }
};

/** Returns the path in the repository if a link leads out of docs/. */
const pathOutside = (page: string, href: string): string | undefined => {
  if (/^([a-z][a-z+.-]*:|\/|#)/i.test(href)) return undefined;
  const path = posix.join('docs', posix.dirname(page), href);
  return path.startsWith('docs/') ? undefined : path;
};

const makeEmpty = (token: Token): void => {
  token.type = 'text';
  token.tag = '';
  token.nesting = 0;
  token.attrs = null;
  token.content = '';
};
