// The pages of a target and a tester, and what they share with that of a proxy: verdict, uptime, plots, failures, alerts.

import { NAVIGATION } from '../address.ts';
import type { Failure, SubjectDetails, TesterDetails, Uptimes } from '../answers.ts';
import { card } from '../components.ts';
import { html, type Markup, type Value } from '../html.ts';
import { missingSubject } from '../monitored.ts';
import { setUpList } from '../paged-list.ts';
import { rangeControl, setUpRange } from '../sections/range-control.ts';
import { type Refresh, section } from '../sections/section.ts';
import { setUpSubjectAlerts } from '../sections/subject-lists.ts';
import { historyFrame, setUpTestHistory } from '../sections/test-history.ts';
import { elementById, showSubjectIsKnown } from '../show.ts';
import { failureTable, NO_FAILURES } from '../views/failures.ts';
import { withFreshness } from '../views/freshness.ts';
import { uptimeTable, verdictView } from '../views/verdict.ts';
import type { Page, PageContext } from './page.ts';

type Kind = 'proxy' | 'target' | 'tester';

/** By kind: the path of the API, and the parameter that selects the subject's failures. */
const API: Readonly<Record<Kind, { readonly path: string; readonly parameter: string }>> = {
  proxy: { path: 'proxies', parameter: 'proxy_id' },
  target: { path: 'targets', parameter: 'url' },
  tester: { path: 'testers', parameter: 'tester_server' },
};

export const subjectCards = (kind: Kind, more: Value = null): Markup => html`
${card({ id: 'verdict', title: 'What is at fault?' }, html`<div id="subject"></div>`)}
${card({ id: 'history', title: 'Tests over time', controls: rangeControl }, historyFrame(kind))}
${more}
${card({ id: 'failures', title: 'Failed tests' }, html`<div id="failure-list"></div>`)}
${card({ id: 'alerts', title: 'Alerts' }, html`<div id="subject-alerts"></div>`)}`;

interface TestedSubject<D> {
  readonly kind: Kind;
  /** Returns the facts beside the verdict. */
  readonly facts: (details: D) => Readonly<Record<string, Value>>;
  /** Returns the uptime of probes, if it is not that of the details. */
  readonly fromHere?: (details: D) => Uptimes | null;
  /** Is called with each new answer; null if the tests do not have the subject. */
  readonly onAnswer?: (details: D | null) => void;
}

/** Returns a function that refreshes the verdict, and those that refresh the other cards. */
export const setUpTestedSubject = <D extends SubjectDetails>(
  { view: { account, id }, onChange }: PageContext,
  { kind, facts, fromHere, onAnswer }: TestedSubject<D>,
): { readonly subject: Refresh; readonly others: readonly Refresh[] } => {
  const path = `api/v1/accounts/${encodeURIComponent(account)}/${API[kind].path}/${encodeURIComponent(id)}`;
  setUpRange(onChange);
  const subject = section<D>({
    element: elementById('subject'),
    path: () => path,
    draw: (details) => {
      showSubjectIsKnown(details !== null && details.verdict !== 'untested', true);
      onAnswer?.(details);
      if (!details)
        return missingSubject(
          account,
          NAVIGATION.proxies,
          `proxywatch knows no tests of a ${kind} with this name.`,
        );
      const now = Date.now();
      return withFreshness(
        { freshness: details.freshness, now, isEmpty: false },
        () =>
          html`${verdictView(details, facts(details), now)}${uptimeTable(details.uptime, kind, fromHere?.(details) ?? null)}`,
      );
    },
  });
  const others = [
    setUpTestHistory(account, `${API[kind].parameter}=${id}`, path),
    setUpList<Failure>({
      id: 'failure-list',
      itemName: 'failed tests',
      path: () => `api/v1/failures?${new URLSearchParams({ account, [API[kind].parameter]: id })}`,
      draw: (failures) => failureTable(failures, kind),
      noItems: NO_FAILURES,
      onChange,
    }),
    setUpSubjectAlerts(account, `${API[kind].parameter}=${id}`, onChange),
  ];
  return { subject, others };
};

const pageOf = <D extends SubjectDetails>(kind: Kind, facts: TestedSubject<D>['facts']): Page => ({
  content: () => subjectCards(kind),
  setUp: (context) => {
    const { subject, others } = setUpTestedSubject<D>(context, { kind, facts });
    return { refreshers: [subject, ...others] };
  },
});

export const targetPage = pageOf('target', () => ({}));

const placeOf = ({ city_name: city, country_id: country }: TesterDetails): string | null =>
  [city, country?.toUpperCase()].filter((name) => name).join(', ') || null;

export const testerPage = pageOf<TesterDetails>('tester', (details) =>
  details.vantage ? { Tester: 'This machine, which probes the proxies' } : { Place: placeOf(details) },
);
