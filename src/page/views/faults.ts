// Who is to blame for failing tests, since when and why.

import type { Fault, Page } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { ago, badge, empty, quiet, table } from '../parts.ts';
import { withFreshness } from './freshness.ts';

/** Without results there is nobody to blame, which is not to say that nothing is wrong. */
export const faultView = (page: Page<Fault> | null, now: number): Markup => {
  const faults = page?.data ?? [];
  return withFreshness({ known: page?.freshness?.[0], now, isEmpty: faults.length === 0 }, () =>
    faults.length === 0 ? empty('No fault was found in the last results.') : faultTable(faults, now),
  );
};

const faultTable = (faults: readonly Fault[], now: number): Markup =>
  table<Fault>(
    'Faults that the proxy tests found',
    [
      { name: 'To blame', cell: ({ kind, subject }) => subject || `the ${kind}` },
      { name: 'Kind', cell: ({ kind }) => badge('bad', kind), kind: 'state' },
      { name: 'Since', cell: ({ since }) => ago(since, now) },
      {
        name: 'Why',
        cell: ({ reason }) => (reason === null ? quiet('not known') : html`${reason}`),
        kind: 'wide',
      },
    ],
    faults,
  );
