// Uptime of testers and targets over a day and a month, as numbers and strips.

import type { Strip } from '../answers.ts';
import { percent } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { quiet, table } from '../parts.ts';
import { strip, uptimeOf } from './bar.ts';

export const uptimeTable = (what: string, strips: readonly Strip[]): Markup =>
  table<Strip>(
    `Uptime by ${what}`,
    [
      { name: what, cell: ({ id }) => id, kind: 'wide' },
      { name: '24 hours', cell: dayStrip },
      { name: '30 days', cell: monthStrip },
    ],
    strips,
  );

export const dayStrip = ({ hours }: Pick<Strip, 'hours'>): Markup => withPercent(hours, 'hour');

export const monthStrip = ({ days }: Pick<Strip, 'days'>): Markup => withPercent(days, 'day');

const withPercent = (steps: Strip['hours'], unit: 'hour' | 'day'): Markup => {
  const ratio = uptimeOf(steps);
  return html`<div class="strip-row">${strip(steps, unit)}<span class="strip-words">${ratio === null ? quiet('no tests') : percent(ratio)}</span></div>`;
};
