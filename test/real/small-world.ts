// Shares one small account and one browser among the tests of a file.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from './browser.ts';
import { startSmallWorld } from './walk-world.ts';

interface SmallWorld {
  readonly browser: Browser;
  /** The address of the page. */
  readonly url: string;
}

/** Starts both before the first test and the later hooks of the block that calls it. They have values only then. */
export const shareSmallWorld = (): SmallWorld => {
  const shared = {} as SmallWorld;
  let stack: AsyncDisposableStack;
  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const [world, browser] = await Promise.all([startSmallWorld(), openBrowser()]);
    stack.use(world);
    stack.defer(() => browser.close());
    Object.assign(shared, { browser, url: world.url });
  });
  afterAll(() => stack.disposeAsync());
  return shared;
};
