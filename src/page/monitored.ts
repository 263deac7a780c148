// Says which collectors are on, and what a page shows if those that read its subject are off.

import { addressOf, isMonitored } from './address.ts';
import type { Status } from './answers.ts';
import { badge, emptyNote } from './components.ts';
import { html, type Markup } from './html.ts';

/** The server's page has the names of the collectors that are on. */
const namesOn = (): string[] => (document.body.dataset.collectors ?? '').split(' ');

export const isOn = (collectors: readonly string[]): boolean => isMonitored(collectors, namesOn());

const KEY = 'proxywatch-reloaded-at';
/** While the daemon applies a configuration, its answers can differ from a page that it has just sent. */
const RELOAD_MS = 60_000;

/** Loads the page again if other collectors are on, but not over an open dialog. A starting daemon names none at first. */
export const reloadIfChanged = ({ accounts }: Status, account: string): void => {
  const on = accounts.find(({ name }) => name === account)?.collectors.map(({ name }) => name) ?? [];
  const isSame = on.length === 0 || on.toSorted().join(' ') === namesOn().toSorted().join(' ');
  const sinceMs = Date.now() - Number(sessionStorage.getItem(KEY));
  if (isSame || Math.abs(sinceMs) < RELOAD_MS || document.querySelector('dialog[open]')) return;
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
};

/** Is shown instead of a subject that the API does not have. The way back leads to how to turn a collector on. */
export const missingSubject = (account: string, collectors: readonly string[], unknown: string): Markup => {
  if (isOn(collectors)) return emptyNote(unknown);
  const [first = ''] = collectors;
  const off =
    collectors.length === 1 ? `The ${first} collector is off` : `Neither ${collectors.join(' nor ')} is on`;
  const overview = addressOf({ account, view: 'account', id: '' });
  return html`<p class="empty">${badge('none', 'Not monitored')} ${off} for this account. <a href="${overview}#on-${first}">How to turn ${collectors.length === 1 ? 'it' : 'one'} on</a></p>`;
};
