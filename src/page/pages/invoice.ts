// The page of a month of the account, to compare it with an invoice of the provider. It can be printed.

import type { View } from '../address.ts';
import type { Invoice } from '../answers.ts';
import { bindChoice, chosen } from '../choice.ts';
import { emptyNote } from '../components.ts';
import { dateIn } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { section } from '../sections/section.ts';
import { elementById, show } from '../show.ts';
import { invoiceView } from '../views/invoice.ts';
import type { Page, PageContext } from './page.ts';

/** proxywatch keeps days for 400 days. */
const MONTHS = 14;

/** The present month, then those before it, and the one of the address, which can be older. */
const monthOptions = (today: string): Markup[] => {
  const [year = 0, month = 0] = today.split('-').map(Number);
  const names = Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(year, month - 1 - back)).toISOString().slice(0, 'YYYY-MM'.length),
  );
  const asked = new URLSearchParams(location.search).get('month') ?? '';
  const all = /^\d{4}-\d\d$/.test(asked) && !names.includes(asked) ? [...names, asked] : names;
  return [
    html`<option value="" selected>the newest that is over</option>`,
    ...all.map((name, back) => html`<option value="${name}">${name}${back === 0 ? ', so far' : ''}</option>`),
  ];
};

const content = (
  _: View,
): Markup => html`<section class="script-only card" aria-label="Invoice"><div class="controls">
<label>Month <select id="month">${monthOptions(dateIn(Date.now(), document.body.dataset.timeZone || 'UTC'))}</select></label>
<span id="downloads"></span><button type="button" id="print">Print</button></div><div id="invoice"></div></section>`;

const setUp = ({ view: { account }, onChange }: PageContext) => {
  const path = (): string => {
    const month = chosen('month');
    const query = month ? `?${new URLSearchParams({ month })}` : '';
    return `api/v1/accounts/${encodeURIComponent(account)}/invoice${query}`;
  };
  const invoice = section<Invoice>({
    element: elementById('invoice'),
    path,
    draw: (answer) => {
      const csv = `${path()}${path().includes('?') ? '&' : '?'}format=csv`;
      show(elementById('downloads'), html`<a href="${csv}" download>CSV</a> <a href="${path()}">JSON</a>`);
      return answer ? invoiceView(answer, Date.now()) : emptyNote('proxywatch does not know this account.');
    },
  });
  bindChoice('month', [elementById<HTMLSelectElement>('month')], onChange);
  elementById('print').addEventListener('click', () => print());
  return { refreshers: [invoice] };
};

export const invoicePage: Page = { content, setUp };
