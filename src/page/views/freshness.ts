// Notes about old or missing data, in words and in grey, so that nobody mistakes it for good news.

import type { Freshness } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { ago, badge, quiet, type State } from '../parts.ts';

/** `undefined` if the daemon did not report it. */
type Known = Freshness | undefined;

interface Shown {
  readonly known: Known;
  readonly now: number;
  /** Whether `body` has nothing to show. */
  readonly isEmpty: boolean;
  /** Only the badge, because the page has the full note already. */
  readonly isBrief?: boolean;
}

/** `body` with the note before it, or only the note if `body` would be empty. */
export const withFreshness = (shown: Shown, body: () => Markup): Markup => {
  const note = noteOf(shown);
  if (!note) return body();
  return shown.isEmpty && shown.known?.state !== 'stale' ? note : html`${note}${body()}`;
};

const noteOf = ({ known, now, isBrief = false }: Shown): Markup | null => {
  if (!known || known.state === 'current') return null;
  const inFull = isBrief ? null : words(known, now);
  return html`<p class="empty">${badge(...STATES[known.state])} ${inFull}</p>`;
};

const STATES: Readonly<Record<Exclude<Freshness['state'], 'current'>, readonly [State, string]>> = {
  stale: ['fair', 'Stale'],
  no_data: ['none', 'No data yet'],
  not_monitored: ['none', 'Not monitored'],
};

const words = (known: Freshness, now: number): Markup => {
  const { collector, state, as_of: asOf, watched_since: since } = known;
  if (state === 'not_monitored') return html`The collector ${collector} is off for this account.`;
  if (asOf !== null) return html`This data is from ${ago(asOf, now)}.${lastError(known)}`;
  if (since === null) return html`The collector ${collector} has not finished its first run.`;
  if (known.error === null) return html`The collector ${collector} runs, but had nothing to read.`;
  return html`No run of the collector ${collector} has succeeded; the first one was ${ago(since, now)}.${lastError(known)}`;
};

const lastError = ({ error }: Freshness): Markup | null =>
  error && html` Last error: ${error.kind}, ${error.message}.`;

/** Nothing to show where data is missing. */
export const isUnknown = (known: Known): boolean =>
  known?.state === 'no_data' || known?.state === 'not_monitored';

/** In small, for a figure at the top; null where the data is current. */
export const freshnessNote = (known: Known, now: number): Markup | null => {
  if (!known || known.state === 'current') return null;
  const age = known.as_of === null ? null : quiet(ago(known.as_of, now));
  const [level, words] = STATES[known.state];
  return html`${badge(level, words.toLowerCase())} ${age}`;
};
