// Fills the section about proxy tests: the last results of proxies with their uptime, testers and targets. Reads the faults.

import type { CountedPage, Fault, Page, TestedProxy, Unknown, UptimeHistory } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { elementById } from '../show.ts';
import { itemsWithFreshness } from '../views/freshness.ts';
import { lastResults } from '../views/proxies.ts';
import { uptimeTable } from '../views/uptime.ts';
import { AnswerError, ConditionalFetcher, Section } from './section.ts';

const ROWS = 4;
/** More faults are only counted. */
const MAX_FAULTS = 12;

/** `onFaults` is called with each answer about faults, or that it is unknown. Returns a function that refreshes the section. */
export const setUpTests = (
  account: string,
  onFaults: (faults: CountedPage<Fault> | null | Unknown) => void,
): (() => Promise<void>) => {
  const accountQuery = `account=${encodeURIComponent(account)}`;
  const faults = new Section<CountedPage<Fault>>({
    element: document.createElement('div'),
    path: () => `api/v1/faults?${accountQuery}&limit=${MAX_FAULTS}`,
    draw: (page) => {
      onFaults(page);
      return html``;
    },
    onError: () => onFaults('unknown'),
  });
  const proxies = new Section<Page<TestedProxy>>({
    element: elementById('proxies'),
    path: () => `api/v1/proxies?${accountQuery}&limit=${ROWS}`,
    draw: drawProxies(account),
  });
  const uptimes = (kind: 'tester' | 'target', name: string) =>
    new Section<Page<UptimeHistory>>({
      element: elementById(`${kind}s`),
      path: () => `api/v1/uptimes?${accountQuery}&kind=${kind}&limit=100`,
      draw: (page) =>
        itemsWithFreshness(page, `There are no ${kind}s.`, (histories) => uptimeTable(name, histories)),
    });
  const sections = [faults, proxies, uptimes('tester', 'Tester'), uptimes('target', 'Target')];
  return async () => {
    await Promise.all(sections.map((each) => each.refresh()));
  };
};

/** Draws proxies with their uptime, which another list of the API has. */
const drawProxies = (account: string) => {
  const fetcher = new ConditionalFetcher<Page<UptimeHistory>>();
  let histories: readonly UptimeHistory[] = [];
  return async (page: Page<TestedProxy> | null): Promise<Markup> => {
    const noProxies = 'proxywatch tests no proxies of this account.';
    if (!page?.data.length) return itemsWithFreshness(page, noProxies, () => html``);
    const ids = page.data.map(({ proxy_id: id }): [string, string] => ['id', id]);
    const answer = await fetcher.get(`api/v1/uptimes?${new URLSearchParams([['account', account], ...ids])}`);
    if (answer.kind === 'failed') throw new AnswerError(answer.error);
    if (answer.kind === 'new') {
      histories = answer.body.data;
      answer.keep();
    }
    return itemsWithFreshness(page, noProxies, (proxies) => lastResults(proxies, histories, Date.now()));
  };
};
