// Shows what is at fault for the failing tests of a proxy, target or tester, its uptime without failures of others, and the
// results of a proxy from here beside those of the provider’s testers.

import type { AttributedUptime, FromHere, SubjectDetails, TestCell, Uptimes } from '../answers.ts';
import { ago, badge, emptyCell, emptyNote, factList, type Level, subjectLink, table } from '../components.ts';
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
  '90d': '90 days',
};

interface Row extends AttributedUptime {
  readonly span: string;
}

export const uptimeTable = (uptimes: Uptimes, subject: string, where = ''): Markup =>
  table<Row>(
    `Uptime of the ${subject}${where}`,
    [
      { name: 'Period', cell: ({ span }) => span },
      {
        name: 'Own uptime',
        cell: ({ own_ratio: ratio }) => ratioCell(ratio),
        kind: 'number',
      },
      { name: 'All tests', cell: ({ ratio }) => ratioCell(ratio), kind: 'number' },
      { name: 'Tests', cell: ({ results }) => count(results), kind: 'number' },
      { name: `Failed by the ${subject}`, cell: ({ own_failures: own }) => countCell(own), kind: 'number' },
      { name: 'Failed by others', cell: ({ other_failures: other }) => countCell(other), kind: 'number' },
      { name: 'Cause unknown', cell: ({ unattributed_failures: rest }) => countCell(rest), kind: 'number' },
      {
        name: 'Response time',
        cell: ({ mean_response_time_seconds: mean }) => (mean === null ? emptyCell() : seconds(mean)),
        kind: 'number',
      },
    ],
    (Object.keys(SPANS) as (keyof Uptimes)[]).map((span) => ({ ...uptimes[span], span: SPANS[span] })),
  );

const ratioCell = (ratio: number | null): Value => (ratio === null ? emptyCell('unknown') : percent(ratio));

const countCell = (value: number | null): Value => (value === null ? emptyCell('unknown') : count(value));

/** Without probes, only the results of the provider's testers are shown. */
export const resultsView = (
  account: string,
  cells: readonly TestCell[],
  fromHere: FromHere | null,
  now: number,
): Markup => {
  const isHere = ({ tester_server: tester }: TestCell): boolean => tester === fromHere?.tester_server;
  const byTesters = heatMapOf(
    account,
    cells.filter((cell) => !isHere(cell)),
  );
  if (!fromHere) return byTesters;
  return html`<h3>From here</h3>
${fromHereView(account, fromHere, now)}
${heatMapOf(account, cells.filter(isHere), 'error_code')}
<h3>From the provider’s testers</h3>
${byTesters}`;
};

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

const fromHereView = (account: string, fromHere: FromHere, now: number): Markup => html`
<p class="verdict">${badge(...VERDICTS[fromHere.verdict])} ${fromHere.verdict_text}</p>
${factList({ 'Last probe': fromHere.last_tested_at === null ? null : ago(fromHere.last_tested_at, now), ...exitFacts(fromHere.exit, now) })}
${uptimeTable(fromHere.uptime, 'proxy', ' from here')}
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
    { name: 'Target', cell: ({ url }) => subjectLink(account, 'target', url) },
    { name: 'Failed', cell: ({ at }) => ago(at, now) },
    { name: 'Phase', cell: ({ phase }) => phase },
    { name: 'Cause', cell: ({ cause, message }) => html`<span title="${cause}">${message}</span>` },
    { name: 'Status', cell: ({ proxy_status: status }) => status ?? emptyCell() },
    { name: 'Provider’s code', cell: ({ provider_code: code }) => code ?? emptyCell() },
    { name: 'Request id', cell: ({ request_id: id }) => id ?? emptyCell(), kind: 'wide' },
  ],
  failures,
)}
<p class="note">Last result and last rounds at each target</p>`;
