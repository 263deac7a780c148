// Why the daemon is not ready, while it is not.

import { html, type Markup } from '../html.ts';
import { badge } from '../parts.ts';

export const readinessView = (reasons: readonly string[]): Markup =>
  reasons.length === 0
    ? html``
    : html`<div class="problem"><p>${badge('bad', 'Not ready')}</p>
<ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul></div>`;
