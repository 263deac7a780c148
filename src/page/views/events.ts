// Puts events into words, joins those that a plot would draw on each other, and lists them below the plots.

import type { Event, Events } from '../answers.ts';
import { minute, quiet } from '../components.ts';
import { count, local } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { actorOf, changedValues, wordOf } from './adjustments.ts';

/** An event in a plot: `at` is in ms. */
export interface Mark {
  readonly at: number;
  readonly event: Pick<Event, 'count' | 'alert' | 'comment' | 'read_at'> & {
    readonly kind: Event['kind'] | 'addition';
  } & Partial<Pick<Event, 'type' | 'status' | 'by' | 'changes' | 'reason'>>;
}

const WORDS: Readonly<Record<Mark['event']['kind'], readonly [one: string, several: string]>> = {
  restart: ['proxywatch restarted', 'proxywatch restarted % times'],
  proxy_appeared: ['1 proxy added', '% proxies added'],
  proxy_gone: ['1 proxy removed', '% proxies removed'],
  proxy_address: ['1 proxy has a new address', '% proxies have new addresses'],
  proxy_asn: ['1 proxy moved to another network', '% proxies moved to other networks'],
  proxy_city: ['1 proxy moved to another city', '% proxies moved to other cities'],
  adjustment: ['1 adjustment of a service', '% adjustments of services'],
  silence_begin: ['a silence began', '% silences began'],
  silence_end: ['a silence ended', '% silences ended'],
  addition: ['bytes were added', 'bytes were added % times'],
  late_change: ['the provider corrected earlier values', 'the provider corrected earlier values % times'],
};

/** Describes events that are drawn as one mark: those of a kind are summed, and so are adjustments of a type. */
export const wordsOf = (marks: readonly Mark[]): string =>
  [...Map.groupBy(marks, ({ event }) => `${event.kind} ${event.type ?? ''}`).values()]
    .map((group) => {
      const [first] = group;
      if (!first) return '';
      const sum = group.reduce((all, { event }) => all + event.count, 0);
      const words = WORDS[first.event.kind][sum === 1 ? 0 : 1].replace('%', count(sum));
      return [words, ...(group.length === 1 ? detailsOf(first.event) : typeOf(first.event))].join(': ');
    })
    .join(', ');

const typeOf = ({ type }: Pick<Mark['event'], 'type'>): string[] => (type ? [wordOf(type)] : []);

const detailsOf = ({ status, by, reason, changes, alert, comment, ...event }: Mark['event']): string[] => {
  const words = [status, reason].flatMap((word) => (word ? [wordOf(word)] : []));
  const changed = changes ? changedValues(changes) : [];
  const adjusted = [...typeOf(event), ...words, ...(by ? [actorOf(by)] : []), ...changed].join(', ');
  const seen = event.read_at && event.count === 1 && `seen ${local(Date.parse(event.read_at)).slice(0, 16)}`;
  return [adjusted, alert, comment, seen].flatMap((text) => text || []);
};

/** Joins marks that are less than `width` right of the first mark of a group. Those without a place are left out. */
export const joinMarks = (
  marks: readonly Mark[],
  placeOf: (at: number) => number | null,
  width: number,
): { readonly place: number; readonly marks: readonly Mark[] }[] => {
  const groups: { place: number; marks: Mark[] }[] = [];
  for (const mark of marks.toSorted((one, other) => one.at - other.at)) {
    const place = placeOf(mark.at);
    const last = groups.at(-1);
    if (place === null) continue;
    if (last && place - last.place < width) last.marks.push(mark);
    else groups.push({ place, marks: [mark] });
  }
  return groups;
};

export const marksOf = (events: readonly Event[]): Mark[] =>
  events.map((event) => ({ at: Date.parse(event.at), event }));

const MOST_LISTED = 20;

/** Lists the events, the newest first, those of the same time together. */
export const eventList = (marks: readonly Mark[], note: Value = null): Markup => {
  const newestFirst = marks.toSorted((one, other) => other.at - one.at);
  const rows = [...Map.groupBy(newestFirst, ({ at }) => at).values()].map(rowOf);
  const hidden = rows.slice(MOST_LISTED);
  return html`<details data-key="events"><summary data-focus="events"><span class="key mark">Events</span>: ${rows.length === 0 ? 'none known' : count(rows.length)}</summary>
${rows.length === 0 ? null : html`<ul class="events">${rows.slice(0, MOST_LISTED).map((row) => html`<li>${row}</li>`)}</ul>`}
${hidden.length === 0 ? null : html`<p>${quiet(`And ${count(hidden.length)} older ones. Choose a shorter range to see them.`)}</p>`}${note}</details>`;
};

const rowOf = (marks: readonly Mark[]): Markup => html`${minute(marks[0]?.at ?? 0)} ${wordsOf(marks)}`;

type KnownSince = Omit<Events, 'account' | 'to' | 'data'>;

/** How long a silence is known after its end. A range of seven days begins up to an hour earlier. */
const SILENCE_KNOWN_MS = (7 * 24 + 1) * 3_600_000;

/** Says which events are not known for the whole range. `readsAdjustments` says that their collector is on. */
export const unknownEvents = (events: KnownSince, now: number, readsAdjustments: boolean): Markup | null => {
  const { subject } = events;
  const since = {
    Restarts: events.restarts_known_since,
    ...(!subject?.startsWith('proxy_user_id=') && { 'Inventory changes': events.inventory_known_since }),
    ...(readsAdjustments &&
      !subject?.startsWith('proxy_') && { Adjustments: events.adjustments_known_since }),
    ...(subject?.startsWith('graph=') && { Corrections: events.late_changes_known_since }),
  };
  const notes = Object.entries(since).flatMap(([name, at]) => {
    if (at === null) return [html`${name} are not shown. `];
    return at > events.from ? [html`${name} are known since ${minute(at)}. `] : [];
  });
  if (Date.parse(events.from) < now - SILENCE_KNOWN_MS)
    notes.push(html`Silences that ended more than a week ago are not shown. `);
  return notes.length === 0 ? null : html`<p>${quiet(notes)}</p>`;
};
