// What is said of the daemon itself while there is something to say: why it is not ready, maintenance of its store.

import type { Status } from '../answers.ts';
import { span } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { badge, progressBar } from '../parts.ts';

export const noticesView = ({ not_ready_reasons: reasons, maintenance }: Status, now: number): Markup =>
  html`${reasons.length === 0 ? null : notReady(reasons)}${maintenanceGoing(maintenance, now)}`;

const notReady = (
  reasons: readonly string[],
): Markup => html`<div class="problem"><p>${badge('bad', 'Not ready')}</p>
<ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul></div>`;

const maintenanceGoing = (
  { running_since: since, progress }: Status['maintenance'],
  now: number,
): Markup | null =>
  since === null
    ? null
    : html`<p>Maintenance of the store, running for ${span(now - Date.parse(since))} ${progressBar(progress)}</p>`;
