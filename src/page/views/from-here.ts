// Shows the results of a proxy from here beside those of the provider's testers, with what to tell the provider's support.

import type { FromHere, TestCell } from '../answers.ts';
import { ago, badge, emptyCell, emptyNote, factList, subjectLink, table } from '../components.ts';
import { html, type Markup } from '../html.ts';
import { heatMap } from './matrix.ts';
import { uptimeTable, VERDICTS } from './verdict.ts';

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
