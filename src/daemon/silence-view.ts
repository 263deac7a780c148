// Gives the HTTP server the silences and maintenance windows, and lets it add and remove silences.

import {
  HORIZON_MS,
  isInEffect,
  type MaintenanceWindow,
  nextChange,
} from '../alerts/muting/maintenance-window.ts';
import { matchesSubject, silenceMute } from '../alerts/muting/mute.ts';
import { createSilence } from '../alerts/muting/new-silence.ts';
import { ALERTS } from '../alerts/table.ts';
import type { SilenceStatus, SilenceView, WindowStatus } from '../http/alert-view.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Silence } from '../store/silence-store.ts';
import type { App } from './app.ts';

const NOT_EVALUATED =
  'this daemon does not evaluate alerts and sends no notifications. If Prometheus evaluates the alerts, add the silence to your Alertmanager';

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
      await mutes.add(silence);
      const { id, account, alert, subject, startsAt, endsAt } = silence;
      const [from, until] = [startsAt, endsAt].map((at) => new Date(at).toISOString());
      log.info({ silence: id, account, alert, subject, from, until }, 'a silence was added');
      return {
        ...{ ...silence, state: stateOf(silence, now), matchingAlerts: countMatching(silence, app) },
        unsilencedReceivers: app.settings.alerts.receivers.flatMap(({ type, name }) =>
          type === 'alertmanager' ? [name] : [],
        ),
      };
    },
    remove: async (id) => {
      const isRemoved = await mutes.remove(id);
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
