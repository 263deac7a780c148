// Says which collectors are on, and what a page shows if those that read its subject are off.

import { addressOf, isMonitored } from './address.ts';
import { badge, emptyNote } from './components.ts';
import { html, type Markup } from './html.ts';

/** Whether one of the collectors is on. The server's page has the names of those that are. */
export const isOn = (collectors: readonly string[]): boolean =>
  isMonitored(collectors, (document.body.dataset.collectors ?? '').split(' '));

/** Is shown instead of a subject that the API does not have. The way back leads to how to turn a collector on. */
export const missingSubject = (account: string, collectors: readonly string[], unknown: string): Markup => {
  if (isOn(collectors)) return emptyNote(unknown);
  const [first = ''] = collectors;
  const off =
    collectors.length === 1 ? `The ${first} collector is off` : `Neither ${collectors.join(' nor ')} is on`;
  const overview = addressOf({ account, view: 'account', id: '' });
  return html`<p class="empty">${badge('none', 'Not monitored')} ${off} for this account. <a href="${overview}#on-${first}">How to turn ${collectors.length === 1 ? 'it' : 'one'} on</a></p>`;
};
