// Serves the page of a daemon whose clock a test sets.

import type { Browser } from 'playwright-core';
import { createView } from '../../src/daemon/http-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { addStatusPage } from '../../src/status-page/routes.ts';
import type { Harness } from '../support/harness.ts';
import { type Visit, visit } from './browser.ts';
import { waitUntilDrawn } from './views.ts';

/** Returns the address of the page, which is served until the stack is disposed of. */
export const servePage = async (
  stack: AsyncDisposableStack,
  { app, clock }: Pick<Harness, 'app' | 'clock'>,
): Promise<string> => {
  const view = createView({ app, clock, version: '1.2.3' });
  const listen = { host: '127.0.0.1', port: 0 };
  const reload = async () => ({ result: 'no_file' }) as const;
  // On the other clock, requests that wait for their turn would be turned away at once.
  const server = stack.use(
    await startHttpServer({
      listen,
      view,
      clock: systemClock,
      log: silentLog,
      reload,
      addPage: addStatusPage,
    }),
  );
  return `http://127.0.0.1:${server.address.port}/`;
};

/** Opens a page at the time of its daemon, and waits until it is drawn. */
export const openAt = async (
  browser: Browser,
  url: string,
  now: number,
  [width, height]: readonly [width: number, height: number],
): Promise<Visit> => {
  const visited = await visit(browser, 'about:blank', { viewport: { width, height } });
  await visited.page.clock.setFixedTime(now);
  await visited.page.goto(url);
  await waitUntilDrawn(visited.page);
  return visited;
};
