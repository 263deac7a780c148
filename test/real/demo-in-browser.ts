// Starts the demo and a browser for tests of the status page.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Program } from '../cli/program.ts';
import { openBrowser } from './browser.ts';

export interface DemoInBrowser extends AsyncDisposable {
  readonly url: string;
  readonly browser: Browser;
  /** The temporary folder that also has the data of the demo. */
  readonly folder: string;
  /** Returns what the demo has printed. */
  output(): string;
  /** Ends the demo, and keeps the browser. */
  stop(): Promise<void>;
}

export const demoInBrowser = async (): Promise<DemoInBrowser> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-page-'));
  const demo = Program.start(['demo', '--listen', '127.0.0.1:0', '--data', join(folder, 'data')]);
  const [url, browser] = await Promise.all([demo.url(), openBrowser()]);
  return {
    ...{ url, browser, folder },
    output: () => demo.stdout,
    stop: async () => {
      demo.kill('SIGTERM');
      await demo.ended;
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await demo[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

export const textOf = (page: Page, selector: string): Promise<string> => page.locator(selector).innerText();
