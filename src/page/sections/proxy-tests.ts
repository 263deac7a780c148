// Fills the section about proxy tests: the last results of proxies with their uptime, testers and targets. Reads the faults.

import type { Faults, Page, TestedProxy, UptimeHistory } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { elementById } from '../show.ts';
import { itemsWithFreshness } from '../views/freshness.ts';
import { lastResults } from '../views/proxies.ts';
import type { OverviewData } from '../views/signs.ts';
import { uptimeTable } from '../views/uptime.ts';
import { answerKeeper, type Refresh, section, together } from './section.ts';

const ROWS = 3;

/** `onAnswer` gets each answer that the top of the page needs, or that it is unknown. Returns a function that refreshes the section. */
export const setUpTests = (
  account: string,
  onAnswer: (answers: Pick<OverviewData, 'faults' | 'targets'>) => void,
): Refresh => {
  const accountQuery = `account=${encodeURIComponent(account)}`;
  const faults = section<Faults>({
    element: document.createElement('div'),
    path: () => `api/v1/faults?${accountQuery}`,
    draw: () => html``,
    onAnswer: (faults) => onAnswer({ faults }),
  });
  const proxies = section<Page<TestedProxy>>({
    element: elementById('proxies'),
    path: () => `api/v1/proxies?${accountQuery}&limit=${ROWS}`,
    draw: drawProxies(account),
  });
  const uptimes = (kind: 'tester' | 'target', name: string) =>
    section<Page<UptimeHistory>>({
      element: elementById(`${kind}s`),
      path: () => `api/v1/uptimes?${accountQuery}&kind=${kind}&limit=100`,
      draw: (page) =>
        itemsWithFreshness(page, `There are no ${kind}s.`, (histories) => uptimeTable(name, histories)),
      ...(kind === 'target' && { onAnswer: (targets) => onAnswer({ targets }) }),
    });
  return together([faults, proxies, uptimes('tester', 'Tester'), uptimes('target', 'Target')]);
};

/** Draws proxies with their uptime, which another list of the API has. */
const drawProxies = (account: string) => {
  const request = answerKeeper<Page<UptimeHistory>>();
  return async (page: Page<TestedProxy> | null): Promise<Markup> => {
    const noProxies = 'proxywatch tests no proxies of this account.';
    if (!page?.data.length) return itemsWithFreshness(page, noProxies, () => html``);
    const ids = page.data.map(({ proxy_id: id }): [string, string] => ['id', id]);
    const answer = await request(`api/v1/uptimes?${new URLSearchParams([['account', account], ...ids])}`);
    return itemsWithFreshness(page, noProxies, (proxies) =>
      lastResults(proxies, answer?.data ?? [], Date.now()),
    );
  };
};
