// Fills the section about proxy tests: faults, the matrix of last results with uptime, testers and targets.

import type { Fault, Faults, Page, TestedProxy, Unknown, UptimeHistory } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { PagedList } from '../paged-list.ts';
import { elementById } from '../show.ts';
import { faultView } from '../views/failures.ts';
import { itemsWithFreshness } from '../views/freshness.ts';
import { proxyMatrix } from '../views/proxies.ts';
import { uptimeTable } from '../views/uptime.ts';
import { AnswerError, ConditionalFetcher, Section } from './section.ts';

const PAGE_SIZE = 12;

export interface TestAnswers {
  readonly faults?: Faults | null | Unknown;
  readonly targets?: Page<UptimeHistory> | null | Unknown;
}

/**
 * `onChange` is called when a page is turned, `onAnswer` with each answer that the summary shows too, or that it is
 * unknown. Returns a function that refreshes the section.
 */
export const setUpTests = (
  account: string,
  onChange: () => void,
  onAnswer: (answers: TestAnswers) => void,
): (() => Promise<void>) => {
  const accountQuery = `account=${encodeURIComponent(account)}`;
  // The top of the page shows the same, whatever page of the list the reader chooses.
  const allFaults = new Section<Faults>({
    element: document.createElement('div'),
    path: () => `api/v1/faults?${accountQuery}`,
    draw: (page) => {
      onAnswer({ faults: page });
      return html``;
    },
    onError: () => onAnswer({ faults: 'unknown' }),
  });
  const faults = new PagedList<Fault>({
    element: elementById('faults'),
    itemName: 'faults',
    pageSize: PAGE_SIZE,
    path: () => `api/v1/faults?${accountQuery}&limit=${PAGE_SIZE}`,
    draw: (page) => faultView(page, Date.now()),
    onPageChange: onChange,
  });
  const proxies = new PagedList<TestedProxy>({
    element: elementById('proxies'),
    itemName: 'tested proxies',
    pageSize: PAGE_SIZE,
    path: () => `api/v1/proxies?${accountQuery}&limit=${PAGE_SIZE}`,
    draw: drawMatrix(account),
    onPageChange: onChange,
  });
  const uptimes = (kind: 'tester' | 'target', name: string) =>
    new Section<Page<UptimeHistory>>({
      element: elementById(`${kind}s`),
      path: () => `api/v1/uptimes?${accountQuery}&kind=${kind}&limit=100`,
      draw: (page) => {
        if (kind === 'target') onAnswer({ targets: page });
        return itemsWithFreshness(page, `There are no ${kind}s.`, (histories) =>
          uptimeTable(name, histories),
        );
      },
      onError: () => {
        if (kind === 'target') onAnswer({ targets: 'unknown' });
      },
    });
  const sections = [allFaults, faults, proxies, uptimes('tester', 'Tester'), uptimes('target', 'Target')];
  return async () => {
    await Promise.all(sections.map((each) => each.refresh()));
  };
};

/** Draws proxies with their uptime, which another list of the API has. */
const drawMatrix = (account: string) => {
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
    return itemsWithFreshness(page, noProxies, (proxies) => proxyMatrix(proxies, histories, Date.now()));
  };
};
