// Small parts of the status page: times as people say them, badges, and how far work has come.

import type { Progress } from '../lib/progress.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../lib/time.ts';
import { html, type Markup } from './html.ts';

const UNITS = [
  { ms: DAY, name: 'd' },
  { ms: HOUR, name: 'h' },
  { ms: MINUTE, name: 'min' },
];

/** `ms` in the largest unit that there are two of, rounded down: `90 s`, `3 h`. Less than nothing is nothing. */
export const span = (ms: number): string => {
  const unit = UNITS.find((candidate) => ms >= 2 * candidate.ms) ?? { ms: SECOND, name: 's' };
  return `${Math.max(0, Math.floor(ms / unit.ms))} ${unit.name}`;
};

export const ago = (at: number, now: number): Markup => time(at, `${span(now - at)} ago`);

export const ahead = (at: number, now: number): Markup =>
  time(at, at <= now ? 'due' : `in ${span(at - now)}`);

export const utcTime = (at: number): Markup => time(at, utc(at));

/** A state as a sign and words: the colour only repeats them. */
export const badge = (state: keyof typeof SIGNS, words: string): Markup =>
  html`<span class="badge ${state}"><span aria-hidden="true">${SIGNS[state]}</span> ${words}</span>`;

export const progressBar = ({ done, total, unit }: Progress): Markup =>
  total === undefined
    ? quiet(`${count(done)} ${unit}`)
    : html`<progress value="${done}" max="${total}" aria-label="${unit}"></progress>
${quiet(`${count(done)} of ${count(total)} ${unit}`)}`;

export const quiet = (content: Markup | string): Markup => html`<p class="quiet">${content}</p>`;

const count = (amount: number): string => amount.toLocaleString('en');

const SIGNS = { good: '✓', fair: '!', bad: '✕', none: '–' } as const;

const time = (at: number, words: string): Markup =>
  html`<time datetime="${new Date(at).toISOString()}" title="${utc(at)}">${words}</time>`;

const utc = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
