// Starts the page in the browser: loads and builds the sections of its view, and keeps all of them up to date together.

import { VIEWS_BY_LABEL, type View, type ViewName, viewOf } from './address.ts';
import type { Status } from './answers.ts';
import { badge, localTime } from './components.ts';
import { showUtc } from './format.ts';
import { html } from './html.ts';
import { reloadIfChanged } from './monitored.ts';
import type { Page } from './pages/page.ts';
import { setUpActions } from './sections/actions.ts';
import { type Refresh, section, UnreachableError } from './sections/section.ts';
import { setUpTestNow } from './sections/test-now.ts';
import { elementById, show, updateTimes } from './show.ts';
import { silenceButtons, TESTED_LABELS, type TestableSubject } from './views/action-buttons.ts';
import { noticesView } from './views/collectors.ts';

const POLL_MS = 10_000;
const TIMES_MS = 1_000;

/** Calls `refresh`, which may throw UnreachableError, now and at intervals. Returns a function that calls it at once. */
const keepUpToDate = (refresh: Refresh): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let answeredAt = Date.now();
  const refreshNow = async (): Promise<void> => {
    clearTimeout(timer);
    try {
      await refresh();
      answeredAt = Date.now();
      showState(null);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      showState(answeredAt);
    } finally {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(refreshNow, POLL_MS);
    }
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else void refreshNow();
  });
  setInterval(() => updateTimes(Date.now()), TIMES_MS);
  void refreshNow();
  return () => void refreshNow();
};

/** Shows whether the daemon answers; `lastAnswerAt` is null if so. Screen readers read the text, so only that changes it. */
const showState = (lastAnswerAt: number | null): void => {
  document.body.classList.toggle('old', lastAnswerAt !== null);
  const markup =
    lastAnswerAt === null
      ? badge('good', 'Live')
      : html`${badge('bad', 'The daemon does not answer.')} The page shows the last answer, from ${localTime(lastAnswerAt, 'second')}.`;
  show(elementById('live'), markup);
};

/** A browser loads only the modules of the view that it shows. */
type Load = () => Promise<Page>;

const list =
  (name: keyof typeof import('./pages/lists.ts')['LIST_PAGES']): Load =>
  async () =>
    (await import('./pages/lists.ts')).LIST_PAGES[name];

const LOAD_PAGE: Readonly<Record<ViewName, Load>> = {
  account: async () => (await import('./pages/account.ts')).accountPage,
  proxies: list('proxies'),
  inventory: list('inventory'),
  users: list('users'),
  services: list('services'),
  failures: list('failures'),
  changes: list('changes'),
  history: list('history'),
  invoice: async () => (await import('./pages/invoice.ts')).invoicePage,
  report: async () => (await import('./pages/report.ts')).reportPage,
  proxy: async () => (await import('./pages/proxy.ts')).proxyPage,
  target: async () => (await import('./pages/tested-subject.ts')).targetPage,
  tester: async () => (await import('./pages/tested-subject.ts')).testerPage,
  user: async () => (await import('./pages/user.ts')).userPage,
  service: async () => (await import('./pages/service.ts')).servicePage,
  graph: async () => (await import('./pages/graph.ts')).graphPage,
  alert: async () => (await import('./pages/alert.ts')).alertPage,
};

const KEY = 'proxywatch-times';

/** Must be called before any time is drawn. */
const setUpTimeZone = (): void => {
  const button = elementById('time-zone');
  const isUtc = localStorage.getItem(KEY) === 'utc';
  if (isUtc) showUtc();
  elementById('time-zone-text').textContent = isUtc
    ? 'Times are in UTC'
    : 'Times are in your time zone. Point at a time to see it in UTC';
  button.textContent = isUtc ? 'show your time zone' : 'show UTC';
  button.addEventListener('click', () => {
    localStorage.setItem(KEY, isUtc ? 'local' : 'utc');
    location.reload();
  });
};

const start = async (view: View): Promise<void> => {
  setUpTimeZone();
  const { content, setUp } = await LOAD_PAGE[view.view]();
  show(elementById('content'), content(view));
  const { refreshers, onStatus, onStatusError } = setUp({ view, onChange: () => refreshSoon() });
  const status = section<Status>({
    element: elementById('notices'),
    path: () => 'api/v1/status',
    draw: (answer) => {
      if (answer) {
        reloadIfChanged(answer, view.account);
        onStatus?.(answer);
      }
      return answer ? noticesView(answer, Date.now()) : html``;
    },
    ...(onStatusError && { onError: onStatusError }),
  });
  setUpActions(() => refreshSoon());
  setUpTestNow(view.account, () => refreshSoon());
  const label = labelOf(view);
  if (label !== undefined)
    show(
      elementById('subject-acts'),
      silenceButtons(
        [{ account: view.account, subject: `${label}=${view.id}` }],
        view.id,
        testedBy(label, view.id),
      ),
    );
  const all = [status, ...refreshers];
  document.documentElement.classList.add('scripted');
  let isComplete = false;
  const refreshSoon = keepUpToDate(async () => {
    await refreshAll(all);
    if (!isComplete) showSection(location.hash.slice(1));
    isComplete = true;
  });
};

const testedBy = (label: string, id: string): TestableSubject | null => {
  const kind = TESTED_LABELS[label as keyof typeof TESTED_LABELS];
  return kind ? { kind, id } : null;
};

/** The label of alerts about the subject of the view. */
const labelOf = ({ view, id }: View): string | undefined =>
  id === '' ? undefined : Object.entries(VIEWS_BY_LABEL).find(([, each]) => each === view)?.[0];

/** The browser looked for the section that the address names before the page had it. The first answers move it. */
const showSection = (id: string): void => document.getElementById(id)?.scrollIntoView();

const refreshAll = async (refreshers: readonly Refresh[]): Promise<void> => {
  const results = await Promise.allSettled(refreshers.map((refresh) => refresh()));
  const failed = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  // An error in one section is reported, and does not affect the others.
  for (const error of failed) if (!(error instanceof UnreachableError)) reportError(error);
  if (failed.some((error) => error instanceof UnreachableError)) throw new UnreachableError('no answer');
};

const { account = '', ...parameters } = document.body.dataset;
// Without an account, the server's page has no sections to fill.
const view = account === '' ? null : viewOf(parameters, account);
if (view) await start(view);
