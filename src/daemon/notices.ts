// Gives the HTTP server what explains why receivers were notified of an alert, or why the alert is not active.

import type { Alert } from '../alerts/alert.ts';
import { inactive } from '../alerts/explain/inactive.ts';
import {
  countMatching,
  type IsMatching,
  matchingKeys,
  subjectMistake,
  withOtherSubjects,
} from '../alerts/explain/matching.ts';
import { matchesSubject } from '../alerts/muting/mute.ts';
import { ALERTS } from '../alerts/table.ts';
import { describeUnknownName } from '../config/closest-match.ts';
import type {
  EndedAlert,
  ExplainedAlert,
  NoticeQuery,
  NoticeRequest,
  NoticeView,
} from '../http/alert-view.ts';
import type { EpisodeFilter } from '../store/alert-history-store.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { InactiveAlert } from '../store/notice.ts';
import { withTexts } from './alert-view.ts';
import type { App } from './app.ts';

type NoticeApp = Pick<App, 'alerting' | 'accounts' | 'settings' | 'store'>;

/** The stored account of alerts about the daemon. */
const DAEMON_ACCOUNT = '';

export const createNoticeView = (app: NoticeApp, alerts: readonly Alert[] = ALERTS): NoticeView => ({
  find: (request) => {
    const alert = alerts.find(({ name }) => name === request.alert);
    if (!alert) {
      const names = alerts.map(({ name }) => name);
      return { refusal: `alert: ${describeUnknownName(request.alert, names)}` };
    }
    if (alert.scope !== 'account' && request.accounts.length > 0)
      return {
        refusal: `account: ${alert.name} is about the daemon itself and has no account. Leave the account out`,
      };
    return queryOf(alert, request, app);
  },
  noticesOf: async ({ account, id }) => {
    const stored = app.alerting.active.find(account, id);
    return stored ? (await app.alerting.explanations()).noticesOf(stored) : [];
  },
});

const queryOf = (alert: Alert, request: NoticeRequest, app: NoticeApp): NoticeQuery => {
  const { alerting } = app;
  const isMatching: IsMatching = (one) => matchesSubject(one, request.subject);
  const accounts = accountsOf(alert, request, app);
  const subjectsOf = (account: string) => alerting.active.group(account, alert.name);
  const explanations = alerting.explanations();
  const explained = async (stored: StoredAlert): Promise<ExplainedAlert> => ({
    alert: withLabelOrder(withTexts(stored, alerting), alert),
    receivers: await (await explanations).noticesOf(stored),
  });
  const countOf = (account: string) => countMatching(subjectsOf(account), isMatching);
  const countAll = async (): Promise<number> => {
    let count = 0;
    for (const account of accounts) count += await countOf(account);
    return count;
  };
  return {
    isEvaluated: alerting.isOn,
    accounts,
    subjectMistake: subjectMistake(alert, request.subject),
    list: async (account, after, limit) => {
      const subjects = subjectsOf(account);
      const keys = await matchingKeys(subjects, isMatching, after, limit);
      return keys.flatMap((id) => {
        const stored = subjects.get(id);
        return stored ? [{ id, read: () => explained(stored) }] : [];
      });
    },
    count: countAll,
    inactive: async () => {
      const unconditional = whyNowhere(alert, app);
      if (unconditional) return [unconditional];
      const found: InactiveAlert[] = [];
      for (const account of accounts)
        if ((await countOf(account)) === 0)
          found.push(...(await whyInactive(account, alert, app, isMatching)));
      const { subject } = request;
      if (subject === null) return found;
      return await Promise.all(
        found.map((each) =>
          withOtherSubjects(each, alert, subject, subjectsOf(each.account ?? DAEMON_ACCOUNT).values()),
        ),
      );
    },
    lastEnded: async () => {
      if (whyNowhere(alert, app) || (await countAll()) > 0) return null;
      const filter = { accounts, alert: alert.name, subject: request.subject ?? undefined };
      const ended = await lastEnded(filter, app);
      return ended && withLabelOrder(ended, alert);
    },
  };
};

/** The store and the evaluation have labels in different orders. Returns them in the order of the alert's table. */
const withLabelOrder = <T extends Pick<StoredAlert, 'labels'>>(item: T, { labels: own }: Alert): T => {
  const names = ['account', ...own].filter((name) => name in item.labels);
  const first = Object.fromEntries(names.map((name) => [name, item.labels[name] ?? '']));
  return { ...item, labels: { ...first, ...item.labels } };
};

const accountsOf = (alert: Alert, { accounts }: NoticeRequest, app: NoticeApp): string[] => {
  if (alert.scope !== 'account') return [DAEMON_ACCOUNT];
  return [...new Set(accounts.length > 0 ? accounts : app.accounts.map(({ name }) => name))].toSorted();
};

/** Returns why the daemon never evaluates the alert; undefined if it does. */
const whyNowhere = ({ scope }: Alert, { alerting, settings }: NoticeApp): InactiveAlert | undefined => {
  if (scope === 'outside') return inactive(null, 'prometheus_only', PROMETHEUS_ONLY);
  if (alerting.isOn) return undefined;
  const isTurnedOff = settings.alerts.evaluate === false;
  return inactive(null, 'evaluation_off', isTurnedOff ? TURNED_OFF : NO_RECEIVERS);
};

const PROMETHEUS_ONLY =
  'only Prometheus evaluates this alert, because it fires when the daemon is down. Look at the alerts of your Prometheus, and at your Alertmanager';
const TURNED_OFF =
  'this daemon evaluates no alerts and sends no notifications, because alerts.evaluate is false. If Prometheus evaluates the alerts, look at your Alertmanager';
const NO_RECEIVERS =
  'this daemon evaluates no alerts and sends no notifications, because the configuration has no receivers. If Prometheus evaluates the alerts, look at your Alertmanager';

const whyInactive = async (
  account: string,
  alert: Alert,
  { alerting }: NoticeApp,
  isMatching: IsMatching,
): Promise<InactiveAlert[]> => {
  if (alert.scope === 'daemon') return [(await alerting.explanations()).inactiveOfDaemon(alert)];
  if (alert.scope === 'outside') return [];
  const why = await (await alerting.explanations()).inactive(account, alert, isMatching);
  return why ? [why] : [];
};

/** Returns the newest alert of the history that has ended; null if there is none. */
const lastEnded = async (
  filter: EpisodeFilter,
  { alerting, store }: NoticeApp,
): Promise<EndedAlert | null> => {
  const [episode] = await store.alertHistory.page({ ...filter, state: 'resolved' }, 1);
  if (!episode || episode.endedAt === null) return null;
  const { account, alert, severity, labels, firingSince, endedAt } = episode;
  return {
    ...{ alert, severity, firingSince, endedAt },
    labels: account === '' ? labels : { account, ...labels },
    receivers: (await alerting.explanations()).ended(episode, endedAt),
  };
};
