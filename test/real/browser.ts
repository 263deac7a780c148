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
  '--host-resolver-rules=MAP watch.example 127.0.0.1',
];

/** Tests have no scroll bars unless `ignoreDefaultArgs` has the option that hides them. */
export const openBrowser = (ignoreDefaultArgs: string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS, ignoreDefaultArgs });

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
  // Half a minute is too short for the first page of a large account on a busy machine.
  page.setDefaultTimeout(120_000);
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

/** Returns the violations that axe-core finds in light and in dark, one per line. */
export const axeFindings = async (page: Page): Promise<string[]> => {
  await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], preload: false };
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<{ violations: Violation[] }>(
      `axe.run(${JSON.stringify(options)})`,
    );
    for (const { id, nodes } of violations)
      for (const { html, failureSummary } of nodes)
        found.push(`${colorScheme}, ${id}: ${html} ${failureSummary}`);
  }
  await page.emulateMedia({ colorScheme: null });
  return found;
};

/** A word may be broken after a hyphen. */
const FIND_BROKEN_WORDS = String.raw`(() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!text.parentElement.checkVisibility()) continue;
    for (const { 0: word, index } of text.data.matchAll(/[^\s-]+-?/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push(word);
    }
  }
  return found;
})()`;

/** Returns the words of the page that are broken in their middle. */
export const brokenWords = (page: Page): Promise<string[]> => page.evaluate(FIND_BROKEN_WORDS);

/** A wide screen has a scroll bar below a table that scrolls. A phone has none, so no table may scroll there. */
const FIND_CUT_OFF_TABLES = `[...document.querySelectorAll('.card table')].filter((table) => {
  const [card, scrolling] = [table.closest('.card'), table.closest('.scrolling')];
  const end = card.getBoundingClientRect().right - parseFloat(getComputedStyle(card).paddingRight);
  const hasBar = innerWidth > 736 && scrolling && scrolling.offsetHeight > scrolling.clientHeight;
  return table.checkVisibility() && table.getBoundingClientRect().right > end + 1 && !hasBar;
}).map(({ caption }) => caption.textContent)`;

/** Returns the captions of the tables that do not fit their cards. */
export const cutOffTables = (page: Page): Promise<string[]> => page.evaluate(FIND_CUT_OFF_TABLES);

const FIND_UNENDED = `[...document.querySelectorAll('main :is(p, dt)')].filter((element) =>
  element.checkVisibility() && (element.localName === 'dt' || element.innerText.trim().endsWith(':')) &&
  !element.nextElementSibling?.innerText.trim()).map(({ innerText }) => innerText)`;

/** Returns sentences that announce something, and terms, that nothing follows. */
export const unendedSentences = (page: Page): Promise<string[]> => page.evaluate(FIND_UNENDED);
