// The part on proxy tests: faults, the matrix of last results with strips of uptime, testers and targets.

import type { Fault, Page, Strip, TestedProxy } from './answers.ts';
import { Feed } from './feed.ts';
import type { Markup } from './html.ts';
import { PagedList } from './paged-list.ts';
import { empty } from './parts.ts';
import { Section } from './section.ts';
import { part } from './show.ts';
import { faultView } from './views/faults.ts';
import { withFreshness } from './views/freshness.ts';
import { proxyMatrix } from './views/proxies.ts';
import { uptimeTable } from './views/uptime.ts';

const PAGE_SIZE = 12;

export interface TestNews {
  readonly faults?: Page<Fault> | null;
  readonly targets?: Page<Strip> | null;
}

/** `told` hears of what the summary shows too. What it returns asks for the newest. */
export const testPart = (
  account: string,
  changed: () => void,
  told: (news: TestNews) => void,
): (() => Promise<void>) => {
  const only = `account=${encodeURIComponent(account)}`;
  const faults = new PagedList<Fault>({
    element: part('faults'),
    what: 'faults',
    pageSize: PAGE_SIZE,
    path: () => `api/v1/faults?${only}&limit=${PAGE_SIZE}`,
    draw: (page) => {
      told({ faults: page });
      return faultView(page, Date.now());
    },
    turned: changed,
  });
  const proxies = new PagedList<TestedProxy>({
    element: part('proxies'),
    what: 'tested proxies',
    pageSize: PAGE_SIZE,
    path: () => `api/v1/proxies?${only}&limit=${PAGE_SIZE}`,
    draw: drawMatrix(`api/v1/uptimes?${only}&limit=${PAGE_SIZE}`),
    turned: changed,
  });
  const uptimes = (kind: 'tester' | 'target', name: string) =>
    new Section<Page<Strip>>({
      element: part(`${kind}s`),
      path: () => `api/v1/uptimes?${only}&kind=${kind}&limit=100`,
      draw: (page) => {
        if (kind === 'target') told({ targets: page });
        const strips = page?.data ?? [];
        const shown = { known: page?.freshness?.[0], now: Date.now(), isEmpty: strips.length === 0 };
        return withFreshness({ ...shown, isBrief: true }, () =>
          strips.length > 0 ? uptimeTable(name, strips) : empty(`No ${kind} is used.`),
        );
      },
    });
  const all = [faults, proxies, uptimes('tester', 'Tester'), uptimes('target', 'Target')];
  return async () => {
    await Promise.all(all.map((each) => each.refresh()));
  };
};

/** Proxies and their strips come in pages of the same order, and change together. */
const drawMatrix = (stripsPath: string) => {
  const feed = new Feed<Page<Strip>>();
  let strips: readonly Strip[] = [];
  return async (page: Page<TestedProxy> | null, withCursor: (path: string) => string): Promise<Markup> => {
    const [now, proxies] = [Date.now(), page?.data ?? []];
    const shown = { known: page?.freshness?.[0], now, isEmpty: proxies.length === 0, isBrief: true };
    const told = (body: () => Markup) => withFreshness(shown, body);
    if (proxies.length === 0) return told(() => empty('No proxies are tested for this account.'));
    const answer = await feed.ask(withCursor(stripsPath));
    if (answer.kind === 'new') strips = answer.body.data;
    return told(() => proxyMatrix(proxies, strips, now));
  };
};
