// The page in the browser: all its parts, kept up to date together.

import type { Alerts, Status, UserSummary } from './answers.ts';
import { balancePart } from './balance.ts';
import { Gone } from './feed.ts';
import { html } from './html.ts';
import { keepLive } from './live.ts';
import { marketPart } from './market.ts';
import { empty } from './parts.ts';
import { quotaPart, showStateCounts } from './quotas.ts';
import { Section } from './section.ts';
import { part, show } from './show.ts';
import { testPart } from './tests.ts';
import { trafficPart } from './traffic.ts';
import { alertTable } from './views/alerts.ts';
import { collectorTable } from './views/collectors.ts';
import { noticesView } from './views/notices.ts';
import { type Known, summaryView } from './views/summary.ts';

const account = document.body.dataset.account ?? '';
const only = `account=${encodeURIComponent(account)}`;

let known: Known = { account };

const learn = (news: Known): void => {
  known = { ...known, ...news };
  show(part('summary'), summaryView(known, Date.now()));
};

const status = new Section<Status>({
  element: part('collector-list'),
  path: () => 'api/v1/status',
  draw: (answer) => {
    const collectors = answer?.accounts.find(({ name }) => name === account)?.collectors;
    if (!answer || !collectors) return empty('This account is not configured any more.');
    learn({ status: answer, collectors });
    show(part('notices'), noticesView(answer, Date.now()));
    return collectorTable(account, collectors, Date.now());
  },
});

const alerts = new Section<Alerts>({
  element: part('alert-list'),
  path: () => 'api/v1/alerts?limit=1000',
  draw: (answer) =>
    alertTable(answer ?? { evaluated: false, evaluated_at: null, data: [], next_cursor: null }, Date.now()),
});

const users = new Section<UserSummary>({
  // Read for the figures at the top and the names of states alone.
  element: document.createElement('div'),
  path: () => `api/v1/users/summary?${only}`,
  draw: (summary) => {
    learn({ users: summary });
    showStateCounts(summary);
    return html``;
  },
});

/** Something else is to be shown. */
const changed = (): void => {
  showStateCounts(known.users ?? null);
  refreshSoon();
};

const parts: readonly (() => Promise<void>)[] = [
  () => status.refresh(),
  () => alerts.refresh(),
  () => users.refresh(),
  trafficPart(
    account,
    () => changed(),
    (traffic) => learn({ traffic }),
  ),
  quotaPart(
    account,
    () => changed(),
    () => known.users?.freshness[0],
  ),
  balancePart(account, (ledger) => learn({ ledger })),
  testPart(account, () => changed(), learn),
  marketPart(account, () => changed()),
];

const refreshAll = async (): Promise<void> => {
  const ended = await Promise.allSettled(parts.map((refresh) => refresh()));
  const failed = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  // One mistake of the page leaves its other parts alone, and is told of.
  for (const error of failed) if (!(error instanceof Gone)) reportError(error);
  if (failed.some((error) => error instanceof Gone)) throw new Gone('no answer');
};

document.documentElement.classList.add('scripted');
const refreshSoon = keepLive(refreshAll);
