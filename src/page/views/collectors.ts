// Shows the state of the daemon: the collectors of an account, why the daemon is not ready, and maintenance of its store.

import type { Collector, Status } from '../answers.ts';
import { ago, ahead, badge, column, emptyCell, localTime, progressBar, quiet, table } from '../components.ts';
import { duration, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';

/** Shows one line while all collectors are OK, and their table otherwise. */
export const collectorsView = (account: string, collectors: readonly Collector[], now: number): Markup => {
  const isOk =
    collectors.length > 0 &&
    collectors.every(
      ({ result, data_state: data, waits_until: waits }) =>
        result === 'ok' && data === 'current' && waits === null,
    );
  return html`<details class="fold" data-key="collectors"${isOk ? null : html` open`}><summary><h2 id="collectors">Collectors</h2> ${isOk ? badge('good', collectors.length === 1 ? 'OK' : `all ${collectors.length} OK`) : collectorCounts(collectors)}</summary>
${collectorTable(account, collectors, now)}</details>`;
};

const collectorCounts = (collectors: readonly Collector[]): Markup => {
  const bad = collectors.filter(({ result }) => result === 'failed' || result === 'partial');
  const rest = collectors.filter((each) => !bad.includes(each));
  const stale = rest.filter(({ data_state: state }) => state === 'stale').length;
  const unread = rest.filter(({ data_state: state }) => state === 'no_data').length;
  return html`${bad.length > 0 ? badge('bad', `failed: ${bad.map(({ name }) => name).join(', ')}`) : null}
${stale > 0 ? badge('fair', `${stale} stale`) : null} ${unread > 0 ? badge('none', `${unread} without data yet`) : null}`;
};

export const collectorTable = (account: string, collectors: readonly Collector[], now: number): Markup =>
  collectors.length === 0 ? nothingMonitored : rowsOf(account, collectors, now);

const nothingMonitored = html`<p class="empty">${badge('none', 'Not monitored')} All collectors of this account are off.</p>`;

const rowsOf = (account: string, collectors: readonly Collector[], now: number): Markup =>
  table<Collector>(
    `Collectors of the account ${account}`,
    [
      column('Collector', ({ name }) => name),
      column('State', resultBadge, 'state'),
      column('Last run', (collector) => lastRun(collector, now)),
      column('Last success', ({ last_success_at: at }) => (at === null ? quiet('never') : ago(at, now))),
      column('Next run', (collector) => nextRun(collector, now)),
      column('Last error', lastError, 'wide'),
    ],
    collectors,
  );

const resultBadge = (collector: Collector): Markup => {
  const { result, failures_in_a_row: failures, data_state: data, waits_until: waits } = collector;
  // A run that waits may wait for long, and the result of the last run is then old.
  if (waits !== null && (result === null || result === 'ok')) return badge('fair', 'Waits for the provider');
  if (result === null) return badge('none', 'Not run yet');
  if (result === 'ok') return data === 'current' ? badge('good', 'OK') : dataBadge(data);
  if (result === 'partial') return badge('fair', 'Failed in part');
  return badge('bad', failures > 1 ? `Failed ${failures} times in a row` : 'Failed');
};

/** Is shown after a successful run that read nothing, or was long ago. */
const dataBadge = (data: Collector['data_state']): Markup =>
  data === 'stale' ? badge('fair', 'Stale') : badge('none', 'No data yet');

const lastRun = (collector: Collector, now: number): Markup => {
  const { last_attempt_at: at, running_since: since, last_duration_seconds: took, progress } = collector;
  if (since !== null)
    return html`Running for ${duration(now - Date.parse(since))}${waitNote(collector)} ${progressBar(progress)}`;
  if (at === null) return quiet('never');
  return html`${ago(at, now)} ${took === null ? null : quiet(`took ${seconds(took)}`)}`;
};

const waitNote = ({ waits_until: until }: Collector): Markup | null =>
  until === null ? null : html`, waits for the provider until ${localTime(until, 'second')}`;

const nextRun = ({ next_run_at: at, interval_seconds: interval }: Collector, now: number): Markup =>
  html`${ahead(at, now)} ${quiet(`every ${duration(interval * 1000)}`)}`;

const lastError = ({ error }: Collector): Markup =>
  error === null ? emptyCell('none') : html`<strong>${error.kind}</strong> ${error.message}`;

export const noticesView = ({ not_ready_reasons: reasons, maintenance }: Status, now: number): Markup =>
  html`${reasons.length === 0 ? null : notReadyNotice(reasons)}${maintenanceNotice(maintenance, now)}`;

const notReadyNotice = (
  reasons: readonly string[],
): Markup => html`<div class="problem"><p>${badge('bad', 'Not ready')}</p>
<ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul></div>`;

const maintenanceNotice = (
  { running_since: since, progress }: Status['maintenance'],
  now: number,
): Markup | null =>
  since === null
    ? null
    : html`<p>Maintenance of the store has been running for ${duration(now - Date.parse(since))}. ${progressBar(progress)}</p>`;
