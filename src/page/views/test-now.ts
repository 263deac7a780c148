// Shows what tests now would make and cost, how far they are, and what they found.

import type { PlannedTests, RequestedTests } from '../answers.ts';
import {
  ahead,
  badge,
  column,
  errorNote,
  localTime,
  progressBar,
  subjectLink,
  table,
} from '../components.ts';
import { bytes, count } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';

const numbered = (number: number, noun: string): string =>
  `${count(number)} ${noun}${number === 1 ? '' : 's'}`;

export const plansView = (plans: readonly PlannedTests[], kind: RequestedTests['kind']): Markup => html`
${plans.map((plan) => html`<p>${planText(plan)}</p>`)}
${kind === 'proxy' ? null : html`<p class="quiet">Tests at all targets and from all testers are part of it, because the comparison shows what is at fault.</p>`}`;

const planText = (plan: PlannedTests): Value => {
  const { proxies, tests, price, refusal, left_out: leftOut } = plan;
  const whose = isHere(plan) ? 'from the machine of proxywatch' : 'by the provider’s testers';
  if (refusal !== null) return html`${badge('none', 'Not now')} Tests ${whose}: ${refusal}.`;
  const what = tests === null ? 'Tests' : numbered(tests, 'test');
  return html`<strong>${what}</strong> ${whose}, through ${proxies === 1 ? '1 proxy' : `${count(proxies)} proxies`}. ${priceText(price)}${leftOut && html` ${leftOut}.`}`;
};

const priceText = (price: PlannedTests['price']): Value => {
  if (!price) return 'They cost nothing.';
  const { unit, amount, left_before: before, left_after: after } = price;
  return unit === 'runs'
    ? html`Price: <strong>${numbered(amount, 'test run')}</strong>. Of the budget, ${count(before)} are left, and ${count(after)} afterwards.`
    : html`Price: about <strong>${bytes(amount)}</strong> of residential and mobile proxies. Of the budget, ${bytes(before)} are left, and ${bytes(after)} afterwards.`;
};

/** `nextRoundAt` is null if it is not known. */
export const progressView = (test: RequestedTests, nextRoundAt: string | null, now: number): Markup => {
  const { started_at: started, finished_at: finished, done, total, errors } = test;
  const failures = errors.map((error) => errorNote(error));
  if (finished !== null) return html`${summaryOf(test)}${failures}${scheduleNote(nextRoundAt, now)}`;
  if (started === null) return html`<p>Waits for the end of the round that is in progress.</p>${failures}`;
  return html`<p>${progressBar({ done, total, unit: 'tests' })}</p>${failures}`;
};

const summaryOf = (test: RequestedTests): Markup => {
  const { kind, finished_at: finished } = test;
  const tests = ofSubject(test);
  const passed = tests.filter(({ success }) => success).length;
  const when = html`<span class="quiet">Ended at ${localTime(finished ?? '', 'second')}.</span>`;
  if (tests.length === 0) return html`<p>No test has a result. ${when}</p>`;
  const all = passed === tests.length ? 'All' : `${count(passed)} of`;
  return html`<p><strong>${all} ${numbered(tests.length, 'test')}</strong> of the ${kind} passed. ${when}</p>`;
};

const ofSubject = ({ kind, id, results }: RequestedTests): RequestedTests['results'] =>
  results.filter(
    ({ url, tester_server: tester }) => kind === 'proxy' || (kind === 'target' ? url : tester) === id,
  );

const scheduleNote = (nextRoundAt: string | null, now: number): Markup => {
  const next = nextRoundAt === null ? null : html` The next one is ${ahead(nextRoundAt, now)}.`;
  return html`<p class="quiet">proxywatch decides about faults in the rounds of its schedule.${next}</p>`;
};

type Result = RequestedTests['results'][number];
type Row = readonly [Result, ...Result[]];

/** A row for each proxy and url, those with the most failures first. */
export const resultTable = (account: string, { results }: RequestedTests): Markup | null => {
  if (results.length === 0) return null;
  const rows = [
    ...Map.groupBy(results, ({ proxy_id: id, url }) => JSON.stringify([id, url])).values(),
  ] as unknown as readonly Row[];
  const failures = (row: Row): number => row.filter(({ success }) => !success).length;
  return table<Row>(
    'Results of these tests',
    [
      column('Proxy', ([{ proxy_id: id }]) => subjectLink(account, 'proxy', id)),
      column('Target', ([{ url }]) => subjectLink(account, 'target', url)),
      column('Result', outcomesOf, 'wide'),
    ],
    rows.toSorted((one, other) => failures(other) - failures(one)),
  );
};

/** Testers with the same outcome share a line. Failures come first. */
const outcomesOf = (row: Row): Value => {
  const byError = Map.groupBy(row, ({ success, error }) => (success ? '' : (error ?? 'no reason given')));
  return [...byError]
    .toSorted(([one], [other]) => Number(one === '') - Number(other === ''))
    .map(([error, same]) => {
      const outcome = error === '' ? badge('good', 'Passed') : html`${badge('bad', 'Failed')} ${error},`;
      return html`<div>${outcome} ${placesOf(same)}</div>`;
    });
};

const MAX_NAMES = 3;

const placesOf = (tests: readonly Result[]): string => {
  const [here, there] = [
    tests.some(isHere) ? ['here'] : [],
    tests.filter((test) => !isHere(test)).map(({ tester_server: tester }) => tester),
  ];
  const testers = there.length > MAX_NAMES ? [numbered(there.length, 'tester')] : there;
  return `from ${[...here, ...testers].join(', ')}`;
};

const isHere = ({ collector }: Pick<Result, 'collector'>): boolean => collector === 'probes';
