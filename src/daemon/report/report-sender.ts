// Queues reports at the slots of their schedules. The store knows the newest, so a restart neither repeats nor forgets one.

import { randomUUID } from 'node:crypto';
import { reportQueueOf } from '../../alerts/notification.ts';
import { isRouted, type RoutedOptions } from '../../alerts/receivers/options.ts';
import { periodOf } from '../../http/api/report/period.ts';
import { readReport } from '../../http/api/report/report.ts';
import { BackgroundTask } from '../../lib/background-task.ts';
import { cronOf } from '../../lib/cron.ts';
import { DAY, MINUTE, SECOND } from '../../lib/time.ts';
import type { NewNotification, NotifiedGroup } from '../../store/alert-store.ts';
import type { Store } from '../../store/store.ts';
import type { RunningAccount } from '../account.ts';
import { accountView } from '../account-view.ts';
import type { Alerting } from '../alerting.ts';
import { logDropped } from '../alerting-tasks.ts';
import { type FailureLog, logFailure, type Services } from '../services.ts';
import type { Settings } from '../settings.ts';
import { reportContent } from './report-text.ts';

interface ReportSenderOptions extends FailureLog, Pick<Services, 'clock' | 'metrics'> {
  readonly store: Store;
  readonly settings: () => Settings;
  readonly alerting: Pick<Alerting, 'isOn' | 'reportsQueued'>;
  readonly accounts: () => readonly RunningAccount[];
}

type Reporting = RoutedOptions & { readonly report: NonNullable<RoutedOptions['report']> };

/** How often schedules are checked, and how long after a failure of the store. */
const CHECK_MS = 15 * SECOND;
/** A report that was due while the daemon was down waits so long, until the first runs have read what is missing. */
const START_MS = 10 * MINUTE;
/** After a failure. A report can take seconds. */
const RETRY_MS = 5 * MINUTE;
/** A missed report that is older is left out. */
const LATEST_MS = DAY;

export class ReportSender implements AsyncDisposable {
  readonly #options: ReportSenderOptions;
  readonly #task = new BackgroundTask(() => this.#check());
  /** On the monotonic clock (ms). */
  readonly #startedAt: number;
  /** The newest slot of each schedule (ms), as stored; undefined until it is read. */
  #slots: Map<string, NotifiedGroup> | undefined;
  /** On the monotonic clock (ms). */
  #nextAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;

  constructor(options: ReportSenderOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
  }

  /** To be called every second or so. */
  tick(): void {
    const now = this.#options.clock.monotonic();
    if (now < this.#nextAt) return;
    this.#nextAt = now + CHECK_MS;
    this.#task.start();
  }

  /** Resolves when no report is being made. */
  idle(): Promise<void> {
    return this.#task.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.idle();
  }

  async #check(): Promise<void> {
    const { alerting, settings } = this.#options;
    const receivers = alerting.isOn ? settings().alerts.receivers.filter(isRouted).filter(isReporting) : [];
    this.#forgetOthers(receivers);
    let hasFailed = false;
    for (const receiver of receivers) {
      try {
        await this.#sendIfDue(receiver);
      } catch (error) {
        // The log is the only place where this error is reported; a later check tries again.
        if (!this.#isFailing) logFailure(this.#options, error, 'proxywatch could not make a report');
        hasFailed = true;
      }
    }
    this.#isFailing = hasFailed;
    if (hasFailed) this.#nextAt = this.#options.clock.monotonic() + RETRY_MS;
  }

  /** The store forgets what belongs to receivers that get no reports any more. */
  #forgetOthers(receivers: readonly Reporting[]): void {
    const queues = new Set(receivers.map(({ name }) => reportQueueOf(name)));
    for (const [key, { receiver }] of this.#slots ?? []) if (!queues.has(receiver)) this.#slots?.delete(key);
  }

  async #sendIfDue(receiver: Reporting): Promise<void> {
    const { clock, settings, log } = this.#options;
    const now = clock.now();
    const zone = settings().schedule_time_zone;
    const { period, schedule } = receiver.report;
    const group = {
      receiver: reportQueueOf(receiver.name),
      groupKey: JSON.stringify([period, schedule, zone]),
    };
    const known = (await this.#stored()).get(keyOf(group))?.notifiedAt;
    // The first report is that of the first slot after the schedule was configured.
    // After a clock that was ahead, the schedule begins again.
    if (known === undefined || known > now) return this.#save({ ...group, notifiedAt: now }, []);
    const cron = cronOf(schedule, zone);
    const dueAt = cron.next(known);
    const upMs = clock.monotonic() - this.#startedAt;
    if (dueAt > now || (upMs < START_MS && dueAt < now - upMs)) return;
    let slot = cron.next(Math.max(known, now - LATEST_MS));
    if (slot > now) {
      log.warn(
        { receiver: receiver.name, dueAt: new Date(dueAt).toISOString() },
        'proxywatch leaves out a report that was due more than a day ago',
      );
      return this.#save({ ...group, notifiedAt: now }, []);
    }
    for (let next = cron.next(slot); next <= now; next = cron.next(slot)) slot = next;
    await this.#save(
      { ...group, notifiedAt: slot },
      await this.#notifications(receiver, group.receiver, slot),
    );
  }

  async #notifications(
    { report: { period: unit }, accounts }: Reporting,
    queue: string,
    slot: number,
  ): Promise<NewNotification[]> {
    const { store, settings, accounts: running, alerting, clock } = this.#options;
    const viewed = { store, settings: settings(), accounts: running() };
    const view = { revision: (parts: Parameters<Store['revision']>[0]) => String(store.revision(parts)) };
    const notifications: NewNotification[] = [];
    for (const name of accounts ?? viewed.accounts.map(({ name }) => name)) {
      const found = accountView(viewed, clock, name);
      if (!found) continue;
      const [date] = periodOf({ unit }, found.settings.time_zone, slot).dates;
      const made = await readReport(view, { ...found, isEvaluated: alerting.isOn }, { unit, date });
      const body = JSON.stringify(reportContent(made));
      notifications.push({ receiver: queue, id: randomUUID(), createdAt: clock.now(), body });
    }
    return notifications;
  }

  /** Remembers the slot together with its reports, and forgets what the receiver's former schedules were. */
  async #save(group: NotifiedGroup, notifications: readonly NewNotification[]): Promise<void> {
    const { store, alerting } = this.#options;
    const slots = await this.#stored();
    const former = [...slots.values()].filter(
      (each) => each.receiver === group.receiver && each.groupKey !== group.groupKey,
    );
    const groups = { put: [group], removed: former };
    const dropped = await store.alerts.save({ put: [], removed: [], notifications, groups });
    for (const each of former) slots.delete(keyOf(each));
    slots.set(keyOf(group), group);
    logDropped(dropped, this.#options);
    alerting.reportsQueued();
  }

  async #stored(): Promise<Map<string, NotifiedGroup>> {
    this.#slots ??= new Map(
      (await this.#options.store.alerts.groups()).map((group) => [keyOf(group), group]),
    );
    return this.#slots;
  }
}

const isReporting = (options: RoutedOptions): options is Reporting => options.report !== undefined;

const keyOf = ({ receiver, groupKey }: Pick<NotifiedGroup, 'receiver' | 'groupKey'>): string =>
  `${receiver}\n${groupKey}`;
