// Shows what is at fault for failing tests, and the results of a proxy from here beside those of the provider’s testers.

import type { AttributedUptime, FromHere, SubjectDetails, TestCell, Uptimes } from '../answers.ts';
import {
  ago,
  badge,
  column,
  emptyNote,
  factList,
  type Level,
  orDash,
  orUnknown,
  subjectLink,
  table,
} from '../components.ts';
import { count, percent, seconds } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { heatMap } from './proxies.ts';

type Verdict = SubjectDetails['verdict'];

export const VERDICTS: Readonly<Record<Verdict, readonly [Level, string]>> = {
  ok: ['good', 'OK'],
  proxy_at_fault: ['bad', 'The proxy is at fault'],
  unusable_here: ['bad', 'Unusable from here'],
  target_at_fault: ['fair', 'The target is at fault'],
  tester_at_fault: ['fair', 'The tester is at fault'],
  provider_at_fault: ['bad', 'The provider is at fault'],
  inconclusive: ['fair', 'Cause unknown'],
  unattributed: ['fair', 'Fails in part'],
  untested: ['none', 'Not tested yet'],
};

export const verdictView = (
  { verdict, verdict_text: text, fault_since: since }: SubjectDetails,
  facts: Readonly<Record<string, Value>>,
  now: number,
): Markup => html`<p class="verdict">${badge(...VERDICTS[verdict])} ${text}</p>
${factList({ 'At fault since': since === null ? null : ago(since, now), ...facts })}`;

const SPANS: Readonly<Record<keyof Uptimes, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  // proxywatch does not keep more, so nothing shows whether there was a test before.
  '90d': 'Since the first test, at most 90 days',
};

interface Row extends AttributedUptime {
  readonly span: string;
}

/** With the uptime from here, which is not counted in the other one, the table has rows of both. */
export const uptimeTable = (uptimes: Uptimes, subject: string, fromHere: Uptimes | null = null): Markup =>
  table<Row>(
    `Uptime of the ${subject}`,
    [
      column('Period', ({ span }) => span),
      column('Own uptime', ({ own_ratio: ratio }) => orUnknown(ratio, percent), 'number'),
      column('All tests', ({ ratio }) => orUnknown(ratio, percent), 'number'),
      column('Tests', ({ results }) => count(results), 'number'),
      column(`Failed by the ${subject}`, ({ own_failures: own }) => orUnknown(own, count), 'number'),
      column('Failed by others', ({ other_failures: other }) => orUnknown(other, count), 'number'),
      column('Cause unknown', ({ unattributed_failures: rest }) => orUnknown(rest, count), 'number'),
      column('Response time', ({ mean_response_time_seconds: mean }) => orDash(mean, seconds), 'number'),
    ],
    [...rowsOf(uptimes), ...(fromHere ? rowsOf(fromHere, ', from here') : [])],
  );

const rowsOf = (uptimes: Uptimes, where = ''): Row[] =>
  spansOf(uptimes).map((span) => ({ ...uptimes[span], span: `${SPANS[span]}${where}` }));

/**
 * After the last 24 hours, a period is shown if there are older tests than it has, so that it is a whole one, and if it has
 * more tests than a shorter one. The last row has all tests.
 */
const spansOf = (uptimes: Uptimes): (keyof Uptimes)[] => {
  const shown: (keyof Uptimes)[] = ['24h'];
  const [all, shownResults] = [uptimes['90d'].results, () => uptimes[shown.at(-1) ?? '24h'].results];
  for (const span of ['7d', '30d'] as const)
    if (uptimes[span].results < all && uptimes[span].results > shownResults()) shown.push(span);
  return all > shownResults() ? [...shown, '90d'] : shown;
};

/** Without probes, only the results of the provider's testers are shown. `verdict` is the text that the page has. */
export const resultsView = (
  account: string,
  cells: readonly TestCell[],
  fromHere: FromHere | null,
  now: number,
  verdict = '',
): Markup => {
  const isHere = ({ tester_server: tester }: TestCell): boolean => tester === fromHere?.tester_server;
  const byTesters = heatMapOf(
    account,
    cells.filter((cell) => !isHere(cell)),
  );
  if (!fromHere) return byTesters;
  return html`<h3>From here</h3>
${fromHereView(account, fromHere, now, verdict)}
${heatMapOf(account, cells.filter(isHere), 'error_code')}
<h3>From the provider’s testers</h3>
${byTesters}`;
};

/** Returns the uptime from here; null if it is that of the proxy, because the provider's testers do not test it. */
export const uptimeFromHere = (cells: readonly TestCell[], fromHere: FromHere | null): Uptimes | null =>
  cells.some(({ tester_server: tester }) => tester !== fromHere?.tester_server)
    ? (fromHere?.uptime ?? null)
    : null;

/** Returns whose tests the uptime of the proxy counts; null if nothing distinguishes them. */
export const testersCounted = (cells: readonly TestCell[], fromHere: FromHere | null): string | null => {
  if (!fromHere) return null;
  const isTested = cells.some(({ tester_server: tester }) => tester !== fromHere.tester_server);
  return isTested ? 'the provider’s testers' : 'the machine of proxywatch';
};

const heatMapOf = (account: string, cells: readonly TestCell[], shown?: 'error_code'): Markup =>
  cells.length > 0
    ? heatMap(account, cells, shown)
    : emptyNote('proxywatch has no test results of this proxy.');

const fromHereView = (account: string, fromHere: FromHere, now: number, verdict: string): Markup => html`
${fromHere.verdict_text === verdict ? null : html`<p>${fromHere.verdict_text}</p>`}
${factList({ 'Last probe': fromHere.last_tested_at === null ? null : ago(fromHere.last_tested_at, now), ...exitFacts(fromHere.exit, now) })}
${fromHere.last_failures.length > 0 ? lastFailures(account, fromHere.last_failures, now) : null}`;

const exitFacts = (exit: FromHere['exit'], now: number): Readonly<Record<string, Markup>> => {
  if (!exit) return {};
  const { expected, seen, mismatch, since, at } = exit;
  if (!mismatch) return { Exit: html`${seen}, as expected (checked ${ago(at, now)})` };
  return {
    Exit: html`${badge('bad', 'Wrong')} ${seen} instead of ${expected}, since ${ago(since, now)} (checked ${ago(at, now)})`,
  };
};

type LastFailure = FromHere['last_failures'][number];

const lastFailures = (account: string, failures: readonly LastFailure[], now: number): Markup => html`
<p class="note">Last failed probe at each target. If you ask the provider’s support, quote the request id.</p>
${table<LastFailure>(
  'Last failed probe at each target',
  [
    column('Target', ({ url }) => subjectLink(account, 'target', url)),
    column('Failed', ({ at }) => ago(at, now)),
    column('Phase', ({ phase }) => phase),
    column('Cause', ({ cause, message }) => html`<span title="${cause}">${message}</span>`),
    column('Status', ({ proxy_status: status }) => orDash(status)),
    column('Provider’s code', ({ provider_code: code }) => orDash(code)),
    column('Request id', ({ request_id: id }) => orDash(id), 'wide'),
  ],
  failures,
)}
<p class="note">Last result and last rounds at each target</p>`;
