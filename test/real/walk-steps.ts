// Walks through the status page click by click, and fails if an answer takes too many clicks.

import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { VERDICTS } from '../../src/page/views/verdict.ts';
import { visit } from './browser.ts';

const MAX_CLICKS = 2;

/** What the API says about a subject of the proxy tests. */
export interface Verdict {
  readonly verdict: keyof typeof VERDICTS;
  readonly verdict_text: string;
}

export const answerOf = async <T>(url: string, path: string): Promise<T> => {
  const response = await fetch(`${url}api/v1/${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as T;
};

/** A reader who begins at the start of the page. */
export class Walk {
  readonly page: Page;
  readonly #problems: readonly string[];
  #clicks = 0;

  private constructor(page: Page, problems: readonly string[]) {
    this.page = page;
    this.#problems = problems;
  }

  /** Runs `steps` from the first address of the page, which shows times in UTC, and checks that nothing went wrong. */
  static async from(
    browser: Browser,
    url: string,
    steps: (walk: Walk) => Promise<void>,
    options?: BrowserContextOptions,
  ): Promise<void> {
    await using visited = await visit(browser, url, { timezoneId: 'UTC', ...options });
    const walk = new Walk(visited.page, visited.problems);
    await steps(walk);
    expect(walk.#problems).toEqual([]);
  }

  async click(locator: Locator): Promise<void> {
    this.#count();
    await locator.click();
  }

  /** Chooses a value of a list, which counts as a click. */
  async choose(list: Locator, value: string): Promise<void> {
    this.#count();
    await list.selectOption(value);
  }

  #count(): void {
    this.#clicks += 1;
    if (this.#clicks > MAX_CLICKS) throw new Error(`The answer takes more than ${MAX_CLICKS} clicks.`);
  }

  link(region: string, name: string): Locator {
    return this.page.locator(region).getByRole('link', { name, exact: true }).first();
  }

  /** Follows the link of a cause to its subject, through the page of the alert if the alert has several subjects. */
  async openCause(name: RegExp, subject: string): Promise<void> {
    await this.click(this.page.locator('#alert-list').getByRole('link', { name }).first());
    const link = this.link('#active-list', subject);
    const heading = this.page.getByRole('heading', { level: 1, name: subject });
    await link.or(heading).first().waitFor();
    if (await link.isVisible()) await this.click(link);
  }

  /** Expects the verdict of the API on the page of the subject. */
  async expectVerdict(subject: string, { verdict, verdict_text: text }: Verdict): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: subject }).waitFor();
    const shown = this.page.locator('#subject .verdict');
    await expect.poll(() => shown.innerText()).toContain(text);
    expect(await shown.locator('.badge').innerText()).toContain(VERDICTS[verdict][1]);
  }

  /** Expects a plot that is drawn. */
  async expectPlot(id: string): Promise<void> {
    await this.page.locator(`#${id} canvas`).waitFor({ state: 'visible' });
  }
}
