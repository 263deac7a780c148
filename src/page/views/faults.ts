// Who is to blame for failing tests, since when and why.

import type { Fault } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { ago, badge, empty, quiet, table } from '../parts.ts';

export const faultTable = (faults: readonly Fault[], now: number): Markup =>
  faults.length === 0
    ? empty('No fault: nobody is to blame for failing tests.')
    : table<Fault>(
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
