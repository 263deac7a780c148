// Explains the alerts of the daemon at one time: which receivers were notified, and why alerts are not active.

import type { AccountAlert, Alert, DaemonAlert } from '../alerts/alert.ts';
import type { AlertEngine } from '../alerts/engine.ts';
import { explainEnded } from '../alerts/explain/ended.ts';
import { Explainer } from '../alerts/explain/explainer.ts';
import { explainInactive, explainInactiveOfDaemon } from '../alerts/explain/inactive.ts';
import type { IsMatching } from '../alerts/explain/matching.ts';
import type { AlertMutes } from '../alerts/muting/alert-mutes.ts';
import type { ReceiverEntry } from '../alerts/receivers/receivers.ts';
import type { Episode } from '../store/alert-history-store.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { EndedNotice, InactiveAlert } from '../store/notice.ts';

export interface ExplanationOptions {
  readonly alerts: readonly Alert[];
  readonly engine: AlertEngine;
  readonly mutes: AlertMutes;
  readonly receivers: readonly ReceiverEntry[];
  /** ms. */
  readonly now: number;
  /** When alerts were last evaluated (ms); null before the first evaluation. */
  readonly evaluatedAt: number | null;
  /** Whether the store rejects new notifications. */
  readonly isStoreFailing: boolean;
}

export class Explanations extends Explainer {
  readonly #options: ExplanationOptions;

  constructor(options: ExplanationOptions) {
    const { engine, mutes, receivers, now, isStoreFailing } = options;
    super({
      ...{ now, active: engine.active, mutes, receivers, isStoreFailing },
      notifiedOf: (receiver) => engine.notifiedOf(receiver),
      firesAt: (alert) => firesAt(alert, options),
    });
    this.#options = options;
  }

  /** Returns which receivers were notified of an alert that ended at `endedAt` (ms). */
  ended(episode: Episode, endedAt: number): EndedNotice[] {
    const receivers = this.#options.receivers.map(({ options }) => options);
    return explainEnded({ ...episode, endedAt }, receivers, this.#options.mutes);
  }

  /** Returns why the alert about the account is not active for any subject for which `isMatching` holds. */
  async inactive(
    account: string,
    alert: AccountAlert,
    isMatching: IsMatching,
  ): Promise<InactiveAlert | undefined> {
    const { evaluation } = this.#options.engine;
    const conditions = evaluation.conditionsOf(account);
    const isEvaluated = evaluation.isEvaluated(account, alert.name);
    return conditions && (await explainInactive(account, alert, conditions, isMatching, isEvaluated));
  }

  inactiveOfDaemon(alert: DaemonAlert): InactiveAlert {
    const { engine, evaluatedAt } = this.#options;
    return explainInactiveOfDaemon(engine.evaluation.isDaemonAlertOn(alert), evaluatedAt !== null);
  }
}

const firesAt = (
  { account, alert: name, since }: StoredAlert,
  { alerts, engine: { evaluation } }: ExplanationOptions,
): number | null => {
  const alert = alerts.find((each) => each.name === name);
  if (!alert || !evaluation.isEvaluated(account, name)) return null;
  return since + evaluation.holdOf(account, alert);
};
