// Shows notices about the daemon itself: why it is not ready, and running maintenance of its store.

import type { Status } from '../answers.ts';
import { badge, progressBar } from '../components.ts';
import { duration } from '../format.ts';
import { html, type Markup } from '../html.ts';

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
