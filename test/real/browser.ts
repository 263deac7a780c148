// Opens pages in headless Chromium and records what is wrong with them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Errors of console and scripts, violations of the content security policy, and requests to other servers. */
  readonly problems: string[];
}

export const visit = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const problems: string[] = [];
  page.on('console', (message) => {
    const isProblem = ['error', 'warning'].includes(message.type());
    if (isProblem) problems.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) problems.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems, [Symbol.asyncDispose]: () => page.close() };
};

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Returns the violations that axe-core finds, one per line. */
export const axeFindings = async (page: Page): Promise<string[]> => {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run({resultTypes: ['violations'], preload: false})`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
};
