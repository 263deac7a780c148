// Measures the views of the status page in Chromium over a store with 100,000 users and 10,000 proxies:
// node bench/main.ts page [--users 100000] [--proxies 10000] [--rounds 3]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../test/real/browser.ts';
import { addressesOf, costOf, type ViewCost } from '../test/real/views.ts';
import type { Figure } from './figure.ts';
import { LARGE_SUBJECTS, startLargePage } from './page-data.ts';

export const page = async (args: readonly string[]): Promise<readonly Figure[]> => {
  const option = (value: string) => ({ type: 'string', default: value }) as const;
  const options = { users: option('100000'), proxies: option('10000'), rounds: option('3') };
  const { values } = parseArgs({ args: [...args], options });
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-bench-'));
  const browser = await openBrowser();
  try {
    await using server = await startLargePage(folder, Number(values.users), Number(values.proxies));
    return await measure(browser, new URL('/', server.url).href, Number(values.rounds));
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
};

const measure = async (browser: Browser, url: string, rounds: number): Promise<readonly Figure[]> => {
  console.log(
    '| view | scripting | requests | answers | largest answer | rows | elements |\n|---|---|---|---|---|---|---|',
  );
  let slowest = 0;
  for (const [view, address] of addressesOf(url, 'main', LARGE_SUBJECTS)) {
    const costs: ViewCost[] = [];
    for (let round = 0; round < rounds; round += 1) costs.push(await costOf(browser, address));
    // The fastest round, because other programs may use the machine at the same time.
    const scriptMs = Math.min(...costs.map((cost) => cost.scriptMs));
    slowest = Math.max(slowest, scriptMs);
    const [{ requests, bytes, largestAnswer, rows, elements }] = costs as [ViewCost];
    const largest = `${inKb(largestAnswer.bytes)} (${largestAnswer.path.replace(/\?.*/, '')})`;
    console.log(
      `| ${view} | ${scriptMs.toFixed(0)} ms | ${requests} | ${inKb(bytes)} | ${largest} | ${rows} | ${elements} |`,
    );
  }
  return [{ what: 'scripting of the slowest view of the page', value: slowest, unit: 'ms', goal: 100 }];
};

const inKb = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} kB`;
