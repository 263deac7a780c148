// Shows notes about old or missing data, so that it is not mistaken for good news.

import type { Freshness } from '../answers.ts';
import { ago, badge, emptyNote, type Level } from '../components.ts';
import { html, type Markup } from '../html.ts';

/** Undefined if the daemon did not report it. */
type MaybeFreshness = Freshness | undefined;

interface FreshnessNoteOptions {
  /** With several, each is about the part of the data that its collector reads. */
  readonly freshness: MaybeFreshness | readonly Freshness[];
  readonly now?: number;
  readonly isEmpty: boolean;
  /** Whether to show only the badge, because the page already has the full note. */
  readonly isBrief?: boolean;
}

/** Returns `body` with the note before it, or only the note if `body` would be empty. */
export const withFreshness = (options: FreshnessNoteOptions, body: () => Markup): Markup => {
  const entries = [options.freshness ?? []].flat();
  const isOneOfSeveral = entries.length > 1;
  const notes = entries.flatMap((each) => noteOf(each, options, isOneOfSeveral) ?? []);
  if (notes.length === 0) return body();
  const note = html`${notes}`;
  return options.isEmpty && !entries.some(({ state }) => state === 'stale') ? note : html`${note}${body()}`;
};

/** Draws the items of an answer with the note before them, or a text if there are none. */
export const itemsWithFreshness = <T>(
  answer: { readonly data: readonly T[]; readonly freshness?: readonly Freshness[] | undefined } | null,
  noItems: string,
  draw: (items: readonly T[]) => Markup,
  options: Pick<FreshnessNoteOptions, 'now' | 'isBrief'> = { isBrief: true },
): Markup => {
  const { data: items, freshness } = answer ?? { data: [] };
  return withFreshness({ ...options, freshness, isEmpty: items.length === 0 }, () =>
    items.length === 0 ? emptyNote(noItems) : draw(items),
  );
};

const noteOf = (
  freshness: Freshness,
  { now = Date.now(), isBrief = false }: FreshnessNoteOptions,
  isOneOfSeveral: boolean,
): Markup | null => {
  if (freshness.state === 'current') return null;
  const text = isBrief ? [] : [explanation(freshness, now)];
  const parts = [...(isOneOfSeveral ? [freshness.collector] : []), ...text];
  return html`<p class="empty">${badge(...STATES[freshness.state])} ${parts.map((part, index) => [index === 0 ? null : ': ', part])}</p>`;
};

const STATES: Readonly<Record<Exclude<Freshness['state'], 'current'>, readonly [Level, string]>> = {
  stale: ['fair', 'Stale'],
  no_data: ['none', 'No data yet'],
  not_monitored: ['none', 'Not monitored'],
};

const explanation = (freshness: Freshness, now: number): Markup => {
  const { collector, state, as_of: asOf, watched_since: since, error } = freshness;
  if (state === 'not_monitored') return html`The ${collector} collector is off for this account.`;
  if (asOf !== null) return html`The data is from ${ago(asOf, now)}.${lastError(freshness)}`;
  if (since === null) return html`The ${collector} collector has not finished its first run.`;
  if (error === null) return html`The ${collector} collector runs, but had nothing to read.`;
  return html`No run of the ${collector} collector has succeeded. The first run was ${ago(since, now)}.${lastError(freshness)}`;
};

const lastError = ({ error }: Freshness): Markup | null =>
  error && html` Last error: ${error.kind}, ${error.message}.`;
