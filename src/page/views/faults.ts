// Shows the faults that proxy tests found, with their start and reason.

import type { Fault, Page } from '../answers.ts';
import { ago, badge, emptyNote, quiet, subjectLink, table } from '../components.ts';
import { html, type Markup } from '../html.ts';
import { withFreshness } from './freshness.ts';

/** Says that no fault was found only if there are current results, because missing results may hide faults. */
export const faultView = (page: Page<Fault> | null, now: number): Markup => {
  const faults = page?.data ?? [];
  return withFreshness({ freshness: page?.freshness, now, isEmpty: faults.length === 0 }, () =>
    faults.length === 0 ? emptyNote('The last results show no fault.') : faultTable(faults, now),
  );
};

const subjectOf = ({ account, kind, subject }: Fault) =>
  kind === 'provider' || subject === ''
    ? `the ${kind}`
    : subjectLink(account, kind === 'access' ? 'proxy' : kind, subject);

const faultTable = (faults: readonly Fault[], now: number): Markup =>
  table<Fault>(
    'Faults that the proxy tests found',
    [
      { name: 'At fault', cell: subjectOf },
      { name: 'Kind', cell: ({ kind }) => badge('bad', kind), kind: 'state' },
      { name: 'Since', cell: ({ since }) => ago(since, now) },
      {
        name: 'Reason',
        cell: ({ reason }) => (reason === null ? quiet('unknown') : html`${reason}`),
        kind: 'wide',
      },
    ],
    faults,
  );
