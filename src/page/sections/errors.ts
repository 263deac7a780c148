// Fills the section about failed requests of the last 24 hours: why they fail, and what they cost by proxy user or host name.

import type { RequestErrors } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { elementById } from '../show.ts';
import { costTable, ERRORS_BY, type ErrorsBy, reasonTable } from '../views/errors.ts';
import { withFreshness } from '../views/freshness.ts';
import { Section } from './section.ts';

const ROWS = 10;

export const errorsControl = (): Markup =>
  html`<fieldset class="segments" id="errors-by"><legend class="unseen">Failed requests by</legend>${Object.entries(
    ERRORS_BY,
  ).map(
    ([by, name], index) =>
      html`<label><input type="radio" name="errors-by" value="${by}"${index === 0 ? html` checked` : null}><span>${name}</span></label>`,
  )}</fieldset>`;

const sectionOf = (
  account: string,
  id: string,
  by: () => string,
  view: (answer: RequestErrors) => Markup,
): Section<RequestErrors> =>
  new Section<RequestErrors>({
    element: elementById(id),
    path: () => `api/v1/request-errors?${new URLSearchParams({ account, by: by(), limit: `${ROWS}` })}`,
    draw: (answer) =>
      withFreshness(
        { freshness: answer?.freshness?.[0], isEmpty: answer?.accounts[0]?.requests == null },
        () => (answer ? view(answer) : html``),
      ),
  });

/** Returns functions that refresh the tables. `onChange` is called when another kind of name is chosen. */
export const setUpErrors = (account: string, onChange: () => void): (() => Promise<void>)[] => {
  const by = (): ErrorsBy =>
    (document.querySelector<HTMLInputElement>('input[name=errors-by]:checked')?.value ?? 'user') as ErrorsBy;
  elementById('errors-by').addEventListener('change', onChange);
  const reasons = sectionOf(account, 'error-reasons', () => 'class', reasonTable);
  const costs = sectionOf(account, 'error-costs', by, (answer) => costTable(answer, by()));
  return [() => reasons.refresh(), () => costs.refresh()];
};
