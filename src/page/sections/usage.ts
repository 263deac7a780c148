// Fills the section about charged use: by proxy user, host name or product type, in the last 7 days.

import type { Usage } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { elementById } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import { USAGE_BY, type UsageBy, usageTable } from '../views/usage.ts';
import { Section } from './section.ts';

const DAYS = 7;
const DAY_MS = 86_400_000;
const ROWS = 10;

export const usageControl = (): Markup =>
  html`<fieldset class="segments" id="usage-by"><legend class="unseen">Charged bytes by</legend>${Object.entries(
    USAGE_BY,
  ).map(
    ([by, name], index) =>
      html`<label><input type="radio" name="usage-by" value="${by}"${index === 0 ? html` checked` : null}><span>${name}</span></label>`,
  )}</fieldset>`;

/** Returns a function that refreshes the section. `onChange` is called when another kind of name is chosen. */
export const setUpUsage = (account: string, onChange: () => void): (() => Promise<void>) => {
  const by = (): UsageBy =>
    (document.querySelector<HTMLInputElement>('input[name=usage-by]:checked')?.value ?? 'user') as UsageBy;
  elementById('usage-by').addEventListener('change', onChange);
  const from = () => new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const usage = new Section<Usage>({
    element: elementById('usage-table'),
    path: () => `api/v1/usage?${new URLSearchParams({ account, by: by(), from: from(), limit: `${ROWS}` })}`,
    draw: (answer) =>
      withFreshness({ freshness: answer?.freshness?.[0], isEmpty: !answer?.data.length }, () =>
        answer ? usageTable(answer, by()) : html``,
      ),
  });
  return () => usage.refresh();
};
