// Tests that a reader takes an alert on, on the status page of a daemon whose clock the test moves: that ends when the fault of
// the simulated provider ends, and a second outbreak is notified again.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { bodiesOf, hookOf } from '../alerts/group-support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { Harness } from '../support/harness.ts';
import { openBrowser, visit } from './browser.ts';
import { servePage } from './serve-page.ts';
import { refresh, waitUntilDrawn } from './views.ts';
import { describeWith } from './with-programs.ts';

const OTHERS = ['inventory', 'residential_ledger', 'services', 'catalog', 'quotes', 'reconciliation'];

describeWith(['chromium'], 'an alert that a reader takes on', () => {
  const stack = new AsyncDisposableStack();
  let [daemon, receiver]: [Harness, FakeReceiver] = [] as never;
  beforeAll(async () => {
    receiver = stack.use(await FakeReceiver.start());
    const hook = hookOf(receiver, {
      group_wait: '0s',
      group_interval: '1m',
      repeat_every: '1h',
      alerts: ['CollectorFailing'],
    });
    daemon = stack.use(
      await Harness.build({
        // To the browser, whose clock is that of the machine, nothing that the page shows is old.
        now: new Date().toISOString(),
        scenario: { users: 3 },
        alerts: { CollectorFailing: { threshold: 1, for: '0s' }, receivers: [hook] },
        account: {
          ...Object.fromEntries(OTHERS.map((name) => [name, false])),
          traffic: { schedule: '0 * * * *', catch_up: '1h', graphs: [] },
        },
      }),
    );
  });
  afterAll(() => stack.disposeAsync());

  const pass = async (hours: number): Promise<void> => {
    for (let step = 0; step < hours * 4; step += 1) await daemon.advance(HOUR / 4);
  };
  let seen = 0;
  /** What the receiver got since the last call. */
  const news = (): string[] => {
    const found = bodiesOf(receiver).slice(seen);
    seen += found.length;
    return found.map(({ status }) => status);
  };

  test('is in work until it is resolved, and the next one is not', async () => {
    const fail = () => daemon.simulator.faults.add({ kind: 'status', status: 503, endpoint: 'analytics' });
    fail();
    await pass(3);
    expect(new Set(news())).toEqual(new Set(['firing']));
    await using browser = { it: await openBrowser(), [Symbol.asyncDispose]: () => browser.it.close() };
    await using visited = await visit(browser.it, await servePage(stack, daemon));
    const { page, problems } = visited;
    await waitUntilDrawn(page);
    const row = page.locator('#alert-list').getByRole('row', { name: '1 collector fails' });
    const takeOn = row.getByRole('button', { name: 'I am on it' });
    await takeOn.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('until they are resolved, at most for 7 days').waitFor();
    expect(await dialog.getByLabel('For').isVisible()).toBe(false);
    await dialog.getByLabel('Your name').fill('Anna');
    await dialog.getByText('Command that does the same').click();
    expect(await dialog.locator('code').innerText()).toContain(
      `--subject collector=traffic --until-resolved --comment 'Anna is on it'`,
    );
    await dialog.getByRole('button', { name: 'I am on it' }).click();
    await row.getByText('Anna is on it, since').waitFor();
    expect(await row.innerText()).toMatch(/ends when the alert is resolved, or in (6|7) d[\s\S]*In work/);
    const silences = page.locator('#silence-list');
    await silences.getByText('the alert is resolved, or').waitFor();

    await pass(9);
    expect(news()).toEqual([]);
    daemon.simulator.faults.clear();
    await pass(2);
    expect(news()).toEqual(['resolved']);
    await refresh(page);
    await expect.poll(() => silences.innerText()).not.toContain('Anna');
    expect(await row.count()).toBe(0);

    fail();
    await pass(2);
    expect(news()[0]).toBe('firing');
    await refresh(page);
    await takeOn.waitFor();
    expect(await row.innerText()).not.toMatch(/Anna|In work/);
    expect(problems).toEqual([]);
  });
});
