// Defines how the HTTP server reads, silences and explains alerts, with the JSON of their values. Times are in ms.

import { z } from 'zod';
import type { LazyItem } from '../collectors/proxy-tests/summaries.ts';
import type { Silence, SilenceRequest, StoredAlert } from '../store/alert-store.ts';
import { ENDED_STATUSES, type InactiveAlert, type Notice } from '../store/notice.ts';
import { flag, itemOf, orNull, type Stored, text, time } from './api/item.ts';

export const STATES = ['firing', 'pending'] as const;

const labels = z.record(z.string(), z.string());

const alertShape = {
  alert: text,
  severity: text,
  labels: labels.describe('Labels of the alert’s subject. Alerts about the daemon itself have no `account`'),
  since: time.describe('Time at which the condition became true'),
  firing_since: orNull.time.describe('Null while the alert is pending'),
  value: orNull.amount,
  summary: text,
  description: orNull.text.describe('Meaning and consequences of the alert, and your first steps'),
  runbook: orNull.text.describe('URL of the alert’s documentation, or null if its address is unknown'),
  silenced_until: orNull.time.describe(
    'End of the silences and maintenance windows that match the alert now, or null if none does',
  ),
  silenced_by: z
    .array(
      z.strictObject({
        silence: orNull.text.describe('Id of the silence, or null for a maintenance window'),
        comment: orNull.text.describe('Comment of the silence'),
        until_resolved: flag.describe('Whether the silence also ends when its alerts are resolved'),
        maintenance: orNull.text.describe('Name of the maintenance window'),
      }),
    )
    .describe('Silences and maintenance windows that match the alert now'),
};

/** The description is null for an alert that this version does not know. */
export type ActiveAlert = Stored<z.ZodObject<typeof alertShape>>;

const alertOf = itemOf<ActiveAlert>()('Alert', (from) => {
  const { alert, severity, ...rest } = alertShape;
  const state = from(z.enum(STATES), ({ firingSince }) => (firingSince === null ? 'pending' : 'firing'));
  return { alert, severity, state, ...rest };
});
export const alertItem = alertOf.schema;

/** In answers, the labels come before the state. */
export const alertJson = (of: ActiveAlert) => ({
  ...{ alert: of.alert, severity: of.severity, labels: of.labels },
  ...alertOf.json(of),
});

export interface AlertCount {
  /** Without silenced ones. */
  readonly firing: number;
  readonly silenced: number;
  readonly pending: number;
  readonly worstSeverity: string | null;
}

/** The pending and firing alerts. Their texts are formatted one by one, because there may be many. */
export interface AlertView {
  readonly isEvaluated: boolean;
  /** When the daemon last evaluated them; null before the first evaluation since its start. */
  readonly evaluatedAt: number | null;
  /** Counts the alerts of one account ('' for the daemon's own), or all. */
  count(account?: string): AlertCount;
  firing(limit: number): readonly ActiveAlert[];
  /** Rises whenever the alerts change. */
  readonly revision: number;
  /** The alerts of the account ('' for the daemon's own), without their texts. */
  items(account: string): Iterable<ListedAlert>;
  /** Returns the alert with this id of the list, with its texts; undefined if it has ended. */
  find(account: string, id: string): ActiveAlert | undefined;
  /** Until when silences and maintenance windows silence the alert; null if none matches it now. */
  silencedUntil(account: string, id: string): number | null;
}

export interface ListedAlert
  extends Pick<StoredAlert, 'account' | 'alert' | 'labels' | 'severity' | 'since' | 'firingSince'> {
  readonly id: string;
  readonly isFiring: boolean;
}

export interface SilenceView {
  /** All silences, in the order in which they begin. */
  list(): readonly SilenceStatus[];
  windows(): readonly WindowStatus[];
  /** Returns the stored silence, or why it is refused. Throws StoreError. */
  add(request: SilenceRequest): Promise<AddedSilence | Refusal>;
  /** Ends the silence, or deletes it if it has not begun. Returns whether there is a silence with this id. Throws StoreError. */
  remove(id: string): Promise<boolean>;
}

/** Says what is wrong with a request, or that it has no effect. */
export interface Refusal {
  readonly refusal: string;
}

export interface SilenceStatus extends Silence {
  readonly state: 'pending' | 'active' | 'expired';
}

export interface AddedSilence extends SilenceStatus {
  /** How many pending and firing alerts it matches now. */
  readonly matchingAlerts: number;
  /** Names of the receivers that get its alerts nevertheless, because an Alertmanager has silences of its own. */
  readonly unsilencedReceivers: readonly string[];
}

export const maintenance = z
  .strictObject({
    name: text,
    days: z.array(text).nullable().describe('Days on which the window begins, or null for every day'),
    hours: text.describe('Times of the day, such as 02:00-04:00'),
    time_zone: text,
    accounts: z.array(text).nullable().describe('Null matches all accounts, and the daemon itself'),
    alerts: z.array(text).nullable().describe('Null matches all alerts'),
    active_until: orNull.time.describe(
      'Null while the window is not in effect. A window that never ends has a time 31 days ahead',
    ),
    next_start_at: orNull.time.describe('Null while the window is in effect'),
  })
  .meta({ id: 'MaintenanceWindow' });

export interface WindowStatus extends Omit<Stored<typeof maintenance>, 'hours'> {
  /** ms since midnight. */
  readonly hours: { readonly from: number; readonly to: number };
}

export interface NoticeRequest {
  readonly alert: string;
  /** Empty for all accounts. */
  readonly accounts: readonly string[];
  /** The value of a label, or `label=value`; null for every subject. */
  readonly subject: string | null;
}

export interface NoticeView {
  /** Returns the answer's parts, or what is wrong with the request. */
  find(request: NoticeRequest): NoticeQuery | Refusal;
  /** Returns a notice for each receiver of an active alert, in the order of the configuration; none if it has ended. */
  noticesOf(alert: Pick<ListedAlert, 'account' | 'id'>): Promise<readonly Notice[]>;
}

export interface NoticeQuery {
  readonly isEvaluated: boolean;
  /** The accounts to list; '' for the daemon itself. */
  readonly accounts: readonly string[];
  /** Up to `limit` pending and firing alerts of the account after the one with the id `after`, ordered by id. */
  list(account: string, after: string | null, limit: number): Promise<readonly LazyItem<ExplainedAlert>[]>;
  /** What is wrong with the request if no alert matches; null if nothing is. */
  readonly subjectMistake: string | null;
  count(): Promise<number>;
  /** Why no alert is active, for each account that has none. */
  inactive(): Promise<readonly InactiveAlert[]>;
  /** The newest matching alert that has ended; null if an alert is active, or the history has none. */
  lastEnded(): Promise<EndedAlert | null>;
}

export interface ExplainedAlert {
  readonly alert: ActiveAlert;
  /** In the order of the configuration. */
  readonly receivers: readonly Notice[];
}

export const endedAlert = z
  .strictObject({
    alert: text,
    severity: text,
    labels,
    firing_since: time,
    ended_at: time,
    receivers: z
      .array(
        z.strictObject({
          receiver: text,
          type: orNull.text.describe('Null if the configuration no longer has the receiver'),
          status: z.enum(ENDED_STATUSES),
          text: text.describe('The same as a sentence'),
        }),
      )
      .describe('Receivers of the present configuration, then removed receivers that were notified'),
  })
  .meta({ id: 'EndedAlert' });

export type EndedAlert = Stored<typeof endedAlert>;
