// Tests the status page of a reader in Chromium: it shows the alerts and what to know about being a reader, and no button that
// would change something. Another user of the same server has the buttons, which are off at a name that the server does not know.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { addStatusPage } from '../../src/status-page/routes.ts';
import { createWebFolder, HASH, OTHER_HASH, OTHER_PASSWORD, PASSWORD } from '../http/web-config-support.ts';
import { Harness } from '../support/harness.ts';
import { axeFindings, openBrowser, visit } from './browser.ts';
import { waitUntilDrawn } from './views.ts';
import { describeWith } from './with-programs.ts';

const USERS = JSON.stringify({ basic_auth_users: { reader: HASH, operator: OTHER_HASH } });
const SUBJECTS = [
  'proxy&id=isp-1',
  'user&id=user-000000',
  'target&id=shop',
  'tester&id=paris',
  'alert&id=CollectorFailing',
];
const NOTE = 'You are a reader: you see everything, and cannot change anything.';

describeWith(['chromium'], 'the page of a reader', () => {
  const stack = new AsyncDisposableStack();
  let daemon: Harness;

  beforeAll(async () => {
    daemon = stack.use(
      await Harness.build({
        now: '2026-07-05T12:01:30Z',
        scenario: { users: 3 },
        // With threshold 0 this alert fires for every collector.
        alerts: { evaluate: true, CollectorFailing: { threshold: 0, for: '0s' } },
        account: { traffic: { catch_up: '1h', graphs: [] }, reconciliation: false },
      }),
    );
    await daemon.advance(60_000);
    daemon.app.alerting.tick();
    await daemon.app.alerting.idle();
  });
  afterAll(() => stack.disposeAsync());

  test.each([1280, 390])('has no button that would be refused, %i pixels wide', async (width) => {
    const { app, clock } = daemon;
    await using server = await startHttpServer({
      listen: { host: '127.0.0.1', port: 0 },
      webConfigFile: join(createWebFolder(USERS), 'web.yml'),
      readers: () => ['reader'],
      hosts: () => ({ allowedHosts: ['*'] }),
      view: createView({ app, clock, version: '1.2.3' }),
      reload: async () => ({ result: 'no_file' }),
      addPage: addStatusPage,
      clock: systemClock,
      log: silentLog,
    });
    await using browser = await openBrowser();
    const url = `http://127.0.0.1:${server.address.port}/`;
    const open = async (username: string, password: string, start = url) => {
      const viewport = { width, height: 844 };
      const visited = await visit(browser, start, { viewport, httpCredentials: { username, password } });
      await waitUntilDrawn(visited.page);
      return visited;
    };
    const silenced = await fetch(`${url}api/v1/silences`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`operator:${OTHER_PASSWORD}`)}`,
      },
      body: JSON.stringify({ subject: 'collector=traffic', for: '1h', comment: 'a test' }),
    });
    expect(silenced.status).toBe(200);
    await using reader = await open('reader', PASSWORD);
    expect(await reader.page.getByText(NOTE).isVisible()).toBe(true);
    const buttonsOf = async (page: typeof reader.page): Promise<Set<string>> =>
      new Set(await page.getByRole('button').and(page.locator('.act')).allInnerTexts());
    const buttonsOfSubjects = async (page: typeof reader.page): Promise<Set<string>[]> => {
      const found: Set<string>[] = [];
      for (const subject of SUBJECTS) {
        await page.goto(`${url}?account=main&view=${subject}`);
        await waitUntilDrawn(page);
        found.push(await buttonsOf(page));
      }
      return found;
    };
    expect(await reader.page.locator('#alert-list').innerText()).toContain('2 collectors fail');
    expect(await reader.page.locator('#silence-list').innerText()).toContain('a test');
    expect(await buttonsOf(reader.page)).toEqual(new Set());
    expect(await axeFindings(reader.page)).toEqual([]);
    // The browser's last 24 hours begin after the present time of the daemon's clock.
    const isAboutRange = (problem: string): boolean => /400 .*\/events\?/.test(problem);
    expect(reader.problems.filter((problem) => !isAboutRange(problem))).toEqual([]);
    expect(await buttonsOfSubjects(reader.page)).toEqual(SUBJECTS.map(() => new Set()));
    await using operator = await open('operator', OTHER_PASSWORD);
    expect(await operator.page.getByText(NOTE).count()).toBe(0);
    expect(await buttonsOf(operator.page)).toContain('End now');
    const ofOperator = await buttonsOfSubjects(operator.page);
    expect(ofOperator[0]).toEqual(new Set(['Silence', 'I am on it', 'Test now']));
    for (const buttons of ofOperator) expect(buttons).toContain('Silence');
    await using unnamed = await open('operator', OTHER_PASSWORD, url.replace('127.0.0.1', 'watch.example'));
    await unnamed.page.goto(`${unnamed.page.url()}?account=main&view=${SUBJECTS[0]}`);
    await unnamed.page.getByRole('button', { name: 'Silence: isp-1' }).click();
    const dialog = unnamed.page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Silence' }).isDisabled()).toBe(true);
    expect(await dialog.innerText()).toMatch(/server\.allowed_hosts[\s\S]*proxywatch silence add/);
    expect(await axeFindings(unnamed.page)).toEqual([]);
  });
});
