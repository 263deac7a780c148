// The page of a week or month of the account: bytes, alerts, uptime and changes. It can be printed.

import type { Report } from '../answers.ts';
import { bindChoice, chosen } from '../choice.ts';
import { emptyNote } from '../components.ts';
import { html } from '../html.ts';
import { section } from '../sections/section.ts';
import { elementById, show } from '../show.ts';
import { reportView } from '../views/report.ts';
import type { Page, PageContext } from './page.ts';

const setUp = ({ view: { account }, onChange }: PageContext) => {
  const path = (): string => {
    const [period, from] = [chosen('period') ?? '', chosen('day') ?? ''];
    const query = new URLSearchParams({ ...(period && { period }), ...(from && { from }) });
    return `api/v1/accounts/${encodeURIComponent(account)}/report?${query}`;
  };
  const report = section<Report>({
    element: elementById('report'),
    path,
    draw: (answer) => {
      show(elementById('downloads'), html`<a href="${path()}">JSON</a>`);
      return answer
        ? reportView(answer, Date.now())
        : emptyNote('The configuration no longer has this account.');
    },
  });
  bindChoice('period', [elementById<HTMLSelectElement>('period')], onChange);
  bindChoice('day', [elementById<HTMLInputElement>('day')], onChange);
  elementById('print').addEventListener('click', () => print());
  return { refreshers: [report] };
};

export const reportPage: Page = {
  content: () => html`<section class="script-only card" aria-label="Report"><div class="controls">
<label>Period <select id="period"><option value="">Week</option><option value="month">Month</option></select></label>
<label>With the day <input type="date" id="day"></label>
<span id="downloads"></span><button type="button" id="print">Print</button></div><div id="report"></div></section>`,
  setUp,
};
