// Configures the documentation's site. `npm run docs` builds it, `npm run docs:dev` serves it while you write.

import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { logger } from './failing-logger.ts';
import { githubAnchor } from './github-anchor.ts';
import { promqlGrammar } from './promql-grammar.ts';
import { repositoryLinks } from './repository-links.ts';
import { sidebar } from './sidebar.ts';

/**
 * DOCS_BASE is the path that the site is served under. GitHub sets the other two in its workflows; elsewhere set
 * them to link the pages to the files of the repository.
 */
const { DOCS_BASE, GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;

const repository =
  GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : undefined;

const icon = readFileSync(new URL('../../src/page/icon.svg', import.meta.url), 'base64');

// biome-ignore lint/style/noDefaultExport: VitePress reads the configuration from the default export
export default defineConfig({
  title: 'proxywatch',
  description: 'Monitoring for accounts at the proxy provider Byteful (formerly Ping Proxies)',
  lang: 'en',
  base: DOCS_BASE || '/',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml;base64,${icon}` }]],
  markdown: {
    anchor: { slugify: githubAnchor },
    languages: [promqlGrammar],
    config: (markdown) => markdown.use(repositoryLinks(repository)),
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Tutorials', link: '/tutorials/first-ten-minutes' },
      { text: 'How-to guides', link: '/how-to/add-an-account' },
      { text: 'Reference', link: '/reference/configuration' },
      { text: 'Design', link: '/contributing/overview' },
    ],
    socialLinks: repository ? [{ icon: 'github', link: repository }] : [],
  },
  vite: {
    customLogger: logger,
    // The index of the search contains the text of all pages.
    build: { chunkSizeWarningLimit: 3_000 },
  },
});
