// What a browser with an empty cache downloads and computes for the overview and for the list of users.

import type { Browser } from 'playwright-core';
import { openBrowser } from '../../test/real/browser.ts';
import { waitUntilDrawn } from '../../test/real/views.ts';
import { type Case, type Reading, turnsOf } from '../harness.ts';
import { answers } from '../processes.ts';
import { startDaemon, startProvider } from '../world.ts';
import { MANY_TESTS } from './daemons.ts';

const VIEWS = { overview: '', users: '?account=account-1&view=users' };
/** Kinds of requests as Chromium names them. */
const KINDS = { Document: 'document', Script: 'modules', Stylesheet: 'style', Fetch: 'answers' } as const;

const figuresOf = (view: string) => [
  ...Object.values(KINDS).map((kind) => [`${view}, ${kind}`, { unit: 'kB' }] as const),
  [`${view}, all transferred`, { unit: 'kB' }] as const,
  [`${view}, scripts`, { unit: 'ms' }] as const,
];

/** Bytes are those of the network, so they are compressed, and have headers. */
const costOf = async (browser: Browser, view: string, address: string): Promise<Reading> => {
  await using page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const session = await page.context().newCDPSession(page);
  const kinds = new Map<string, string>();
  const reading: Record<string, number> = {};
  const add = (name: string, bytes: number): void => {
    reading[`${view}, ${name}`] = (reading[`${view}, ${name}`] ?? 0) + bytes / 1_000;
  };
  session.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) => {
    const kind = KINDS[kinds.get(requestId) as keyof typeof KINDS];
    if (kind) add(kind, bytes);
    add('all transferred', bytes);
  });
  await session.send('Network.enable');
  await session.send('Performance.enable');
  await page.goto(address);
  await waitUntilDrawn(page);
  const { metrics } = await session.send('Performance.getMetrics');
  const scripts = metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN;
  return { ...reading, [`${view}, scripts`]: 1_000 * scripts };
};

export const page: Case = {
  title: 'the status page of an account with 100 users and 60 tested proxies, in Chromium',
  figures: Object.fromEntries(Object.keys(VIEWS).flatMap(figuresOf)),
  rounds: 5,
  contenders: async ({ versions, stack }) => {
    const urls = [await startProvider(stack, { users: 100, proxies: 60, test_runs_per_day: 1e7 })];
    const browser = stack.use(await openBrowser());
    return turnsOf(versions, async (version, stack) => {
      const { origin } = await startDaemon(stack, version, { urls, account: MANY_TESTS });
      await answers(`${origin}/-/ready`, true);
      let reading: Reading = {};
      for (const [view, query] of Object.entries(VIEWS))
        reading = { ...reading, ...(await costOf(browser, view, `${origin}/${query}`)) };
      return reading;
    });
  },
};
