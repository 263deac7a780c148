// Shows the silences and maintenance windows that are in effect, and the silences that begin later.

import type { MaintenanceWindow, Silence, Silences } from '../answers.ts';
import { ahead, badge, column, emptyCell, minute, quiet, table } from '../components.ts';
import { html, type Markup } from '../html.ts';
import { endButton } from './action-buttons.ts';

interface Row {
  /** The comment of a silence, or the name of a window. */
  readonly reason: string;
  readonly state: Markup;
  readonly matches: string;
  /** Null for a maintenance window, whose start is not known. */
  readonly start: string | null;
  readonly end: string;
  readonly untilResolved: boolean;
  /** Null for a maintenance window, which the configuration has. */
  readonly id: string | null;
}

/** Draws nothing if there are none. `only` is an account beside which there is no other. It is not named. */
export const silenceTable = ({ data, maintenance }: Silences, now: number, only?: string): Markup => {
  const current = data.filter(({ state }) => state !== 'expired');
  const rows = [
    ...current.map((each) => silenceRow({ ...each, account: each.account === only ? null : each.account })),
    ...maintenance.flatMap((window) => (window.active_until === null ? [] : [windowRow(window)])),
  ];
  if (rows.length === 0) return html``;
  return html`<section class="card" aria-labelledby="silences"><h2 id="silences">Silences and maintenance windows</h2>
${table<Row>(
  'Silences and maintenance windows',
  [
    column('Silenced', ({ matches }) => matches),
    column('State', ({ state }) => state, 'state'),
    column('Reason', ({ reason }) => reason, 'wide'),
    column('From', ({ start }) => (start ? minute(start) : emptyCell())),
    column(
      'Until',
      ({ end, untilResolved }) =>
        html`${untilResolved ? 'the alert is resolved, or ' : ''}${minute(end)} ${quiet(ahead(end, now))}`,
    ),
    column('Act', ({ id, matches, reason }) =>
      id === null ? emptyCell() : endButton([id], `${matches} (${reason})`),
    ),
  ],
  rows,
)}</section>`;
};

const silenceRow = (silence: Silence): Row => {
  const { id, comment, state, starts_at, ends_at, until_resolved, account, alert, subject } = silence;
  return {
    reason: comment,
    state: badge('none', state === 'active' ? 'Silence' : 'Planned silence'),
    matches: described({ account, alert, subject }),
    start: starts_at,
    end: ends_at,
    untilResolved: until_resolved,
    id,
  };
};

const windowRow = ({ name, accounts, alerts, active_until }: MaintenanceWindow): Row => ({
  reason: name,
  state: badge('none', 'Maintenance window'),
  matches: described({ account: accounts?.join(', ') ?? null, alert: alerts?.join(', ') ?? null }),
  start: null,
  end: active_until ?? '',
  untilResolved: false,
  id: null,
});

const described = (parts: Readonly<Record<string, string | null>>): string =>
  Object.entries(parts)
    .flatMap(([name, value]) => {
      if (value === 'graph=') return 'whole account';
      return value === null ? [] : `${name} ${value}`;
    })
    .join(', ') || 'all alerts';
