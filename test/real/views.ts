// Opens each view of an account in a browser, and measures what it costs.

import type { Browser, Page, Response } from 'playwright-core';
import { addressOf, VIEWS, type ViewName } from '../../src/page/address.ts';
import { visit } from './browser.ts';

/** The subjects of the views that show one. */
export type Subjects = Readonly<Partial<Record<ViewName, string>>>;

/** Returns the names of all views with their addresses. */
export const addressesOf = (url: string, account: string, subjects: Subjects): [ViewName, string][] =>
  VIEWS.map((view) => [view, `${url}${addressOf({ account, view, id: subjects[view] ?? '' })}`]);

/** Waits until the page has drawn all its answers. Until it requests again, nothing changes but the times. */
export const waitUntilDrawn = async (page: Page): Promise<void> => {
  await page.locator('#live .badge').waitFor();
  await page.waitForLoadState('networkidle');
};

/** Makes the page refresh at once, as when a reader returns to its tab. */
export const refresh = (page: Page): Promise<unknown> =>
  page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);

/** Answers the next request whose address begins with `start` with this status. */
export const failOnce = (page: Page, start: string, status: number): Promise<unknown> =>
  page.route(
    ({ pathname, search }) => `${pathname}${search}`.startsWith(start),
    (route) => route.fulfill({ status, json: { error: 'made up' } }),
    { times: 1 },
  );

export interface ViewCost {
  readonly requests: number;
  /** Answers of the API, without headers and before compression. */
  readonly bytes: number;
  readonly largestAnswer: { readonly path: string; readonly bytes: number };
  /** The most items in a list of an answer. */
  readonly longestList: { readonly path: string; readonly items: number };
  /** Rows of tables, and elements, in the document. */
  readonly rows: number;
  readonly elements: number;
}

export const costOf = async (browser: Browser, address: string): Promise<ViewCost> => {
  await using visited = await visit(browser, 'about:blank');
  const { page } = visited;
  const answers: Promise<readonly [path: string, text: string]>[] = [];
  page.on('response', (response) => {
    // An answer of 304 has no text.
    if (response.url().includes('/api/v1/') && response.ok()) answers.push(textOf(response));
  });
  await page.goto(address);
  await waitUntilDrawn(page);
  const sizes = (await Promise.all(answers)).map(([path, text]) => ({
    ...{ path, bytes: text.length, items: itemsOf(text) },
  }));
  const most = (key: 'bytes' | 'items') =>
    sizes.reduce((one, other) => (other[key] > one[key] ? other : one), { path: '', bytes: 0, items: 0 });
  const count = (selector: string) => page.locator(selector).count();
  return {
    ...{ requests: sizes.length, bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0) },
    ...{
      largestAnswer: most('bytes'),
      longestList: most('items'),
      rows: await count('tr'),
      elements: await count('*'),
    },
  };
};

const textOf = async (response: Response): Promise<readonly [string, string]> => [
  response.url().replace(/.*\/api\/v1\//, ''),
  await response.text(),
];

/** Returns the number of items of an answer's list; 0 for other answers. */
const itemsOf = (text: string): number => {
  const { data } = JSON.parse(text) as { readonly data?: readonly unknown[] };
  return data?.length ?? 0;
};
