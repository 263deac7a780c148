// Shows the own uptime of proxies, testers and targets over a day and a month, as percentages and strips.

import type { UptimeHistory } from '../answers.ts';
import { quiet, subjectLink, table } from '../components.ts';
import { percent } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { strip, uptimeOf } from './bar.ts';

export const uptimeTable = (subject: string, histories: readonly UptimeHistory[]): Markup =>
  table<UptimeHistory>(
    `Uptime by ${subject}`,
    [
      { name: subject, cell: ({ account, kind, id }) => subjectLink(account, kind, id), kind: 'wide' },
      { name: 'Own uptime, 24 hours', cell: dayStrip },
      { name: '30 days', cell: monthStrip },
    ],
    histories,
  );

export const dayStrip = ({ hours }: Pick<UptimeHistory, 'hours'>): Markup => withPercent(hours, 'hour');

export const monthStrip = ({ days }: Pick<UptimeHistory, 'days'>): Markup => withPercent(days, 'day');

const NO_RATIO = { none: 'no tests', unknown: 'unknown' } as const;

const withPercent = (steps: UptimeHistory['hours'], unit: 'hour' | 'day'): Markup => {
  const ratio = uptimeOf(steps);
  return html`<div class="strip-row">${strip(steps, unit)}<span class="strip-words">${typeof ratio === 'number' ? percent(ratio) : quiet(NO_RATIO[ratio])}</span></div>`;
};
