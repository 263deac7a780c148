// Gives the HTTP server the alerts from memory, silences and maintenance windows. Lets it add and remove silences.

import { SEVERITIES } from '../alerts/alert.ts';
import {
  HORIZON_MS,
  isInEffect,
  type MaintenanceWindow,
  nextChange,
} from '../alerts/muting/maintenance-window.ts';
import { createSilence, matchesSubject, silenceMute } from '../alerts/muting/mute.ts';
import { isFiring } from '../alerts/state.ts';
import { ALERTS } from '../alerts/table.ts';
import type { ActiveAlert, AlertView, SilenceStatus, SilenceView, WindowStatus } from '../http/alert-view.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Silence, StoredAlert } from '../store/alert-store.ts';
import type { Alerting } from './alerting.ts';
import type { App } from './app.ts';

type Texts = Pick<Alerting, 'describe' | 'annotate' | 'mutedNow'>;

/** Returns the alert as the API shows it. */
export const withTexts = (alert: StoredAlert, alerting: Texts): ActiveAlert => {
  const { since, firingSince } = alert;
  const described = alerting.describe(alert);
  const { description = null, runbook_url: runbook = null } = alerting.annotate(described);
  const { until = null, by = [] } = alerting.mutedNow(alert) ?? {};
  return {
    ...{ ...described, description, runbook, since, firingSince },
    silencedUntil: until,
    silencedBy: by.map(({ silence, comment, untilResolved, maintenance }) => ({
      ...{ silence, comment, untilResolved, maintenance },
    })),
  };
};

export const createAlertView = (
  alerting: Pick<Alerting, 'isOn' | 'evaluatedAt' | 'active'> & Texts,
): AlertView => {
  return {
    get isEvaluated() {
      return alerting.isOn;
    },
    get evaluatedAt() {
      return alerting.evaluatedAt;
    },
    count: (account) => {
      let [firing, silenced, pending, worst] = [0, 0, 0, SEVERITY_ORDER.length];
      for (const alert of account === undefined ? alerting.active : alerting.active.ofAccount(account)) {
        if (!isFiring(alert)) pending += 1;
        else if (alerting.mutedNow(alert)) silenced += 1;
        else {
          firing += 1;
          worst = Math.min(worst, SEVERITY_ORDER.indexOf(alert.severity));
        }
      }
      return { firing, silenced, pending, worstSeverity: SEVERITY_ORDER[worst] ?? null };
    },
    firing: (limit) => {
      const found: ActiveAlert[] = [];
      for (const alert of alerting.active) {
        if (found.length >= limit) break;
        if (isFiring(alert)) found.push(withTexts(alert, alerting));
      }
      return found;
    },
    get revision() {
      return alerting.active.revision;
    },
    *items(account) {
      for (const { id, alert } of alerting.active.items(account))
        yield { id, ...alert, isFiring: isFiring(alert) };
    },
    find: (account, id) => {
      const alert = alerting.active.find(account, id);
      return alert && withTexts(alert, alerting);
    },
    silencedUntil: (account, id) => {
      const alert = alerting.active.find(account, id);
      return (alert && alerting.mutedNow(alert)?.until) ?? null;
    },
  };
};

/** The most severe first. */
const SEVERITY_ORDER: readonly string[] = SEVERITIES;

const NOT_EVALUATED =
  'this daemon does not evaluate alerts and sends no notifications. If Prometheus evaluates the alerts, add the silence to your Alertmanager';

const NOTHING_TO_RESOLVE =
  'until_resolved: no pending or firing alert matches now. Silence later ones for a time instead';

export const createSilenceView = (
  app: Pick<App, 'alerting' | 'accounts' | 'settings'>,
  clock: Pick<Clock, 'now'>,
  log: Log,
): SilenceView => {
  const { mutes } = app.alerting;
  return {
    list: () =>
      mutes.silences
        .map((silence) => ({ ...silence, state: stateOf(silence, clock.now()) }))
        .toSorted((one, other) => one.startsAt - other.startsAt || (one.id < other.id ? -1 : 1)),
    windows: () => mutes.windows.map((window) => windowStatus(window, clock.now())),
    add: async (request) => {
      if (!app.alerting.isOn) return { refusal: NOT_EVALUATED };
      const now = clock.now();
      const accounts = app.accounts.map(({ name }) => name);
      const silence = createSilence(request, { alerts: ALERTS, accounts, silences: mutes.silences, now });
      if (typeof silence === 'string') return { refusal: silence };
      const matchingAlerts = countMatching(silence, app);
      if (silence.untilResolved && matchingAlerts === 0) return { refusal: NOTHING_TO_RESOLVE };
      await mutes.add(silence);
      const { id, account, alert, subject, startsAt, endsAt } = silence;
      const [from, until] = [startsAt, endsAt].map((at) => new Date(at).toISOString());
      log.info({ silence: id, account, alert, subject, from, until }, 'a silence was added');
      return {
        ...{ ...silence, state: stateOf(silence, now), matchingAlerts },
        unsilencedReceivers: app.settings.alerts.receivers.flatMap(({ type, name }) =>
          type === 'alertmanager' ? [name] : [],
        ),
      };
    },
    remove: async (id) => {
      const isRemoved = await mutes.remove(id, clock.now());
      if (isRemoved) log.info({ silence: id }, 'a silence was removed');
      return isRemoved;
    },
  };
};

const stateOf = ({ startsAt, endsAt }: Silence, now: number): SilenceStatus['state'] => {
  if (endsAt <= now) return 'expired';
  return startsAt <= now ? 'active' : 'pending';
};

const countMatching = (silence: Silence, { alerting }: Pick<App, 'alerting'>): number => {
  const mute = silenceMute(silence);
  let count = 0;
  for (const alert of alerting.active)
    if (mute.matchesGroup(alert.account, alert.alert) && matchesSubject(alert, silence.subject)) count += 1;
  return count;
};

const windowStatus = (window: MaintenanceWindow, now: number): WindowStatus => {
  const { name, days = null, hours, time_zone: timeZone, accounts = null, alerts = null } = window;
  const changesAt = nextChange(window, now);
  const isActive = isInEffect(window, now);
  const change = Number.isFinite(changesAt) ? changesAt : null;
  return {
    ...{ name, days, hours, timeZone, accounts, alerts },
    activeUntil: isActive ? (change ?? now + HORIZON_MS) : null,
    nextStartAt: isActive ? null : change,
  };
};
