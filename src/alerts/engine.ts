// Keeps the alerts of the daemon: evaluates them one evaluation at a time, stores what changed, and queues notifications.

import { ClockJump } from '../lib/clock.ts';
import { MINUTE } from '../lib/time.ts';
import type { RunResult } from '../store/account-store.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { ActiveAlerts } from './active.ts';
import type { DaemonState } from './alert.ts';
import { AlertWriter } from './alert-writer.ts';
import { Dispatcher, type DispatcherOptions } from './dispatch/dispatcher.ts';
import type { RouteOptions } from './dispatch/route.ts';
import { dependsOnTime, type Evaluated, Evaluation, type EvaluationOptions } from './evaluation.ts';
import type { AlertTransitions } from './notification.ts';
import { AlertRecorder } from './recorder.ts';
import { EvaluationChanges } from './state.ts';

export interface EngineOptions extends EvaluationOptions, DispatcherOptions {
  /** Called after each evaluation with what is in effect, also if only a part of it could be stored. */
  readonly onTransitions: (changed: AlertTransitions) => void;
}

export interface EngineConfiguration extends Evaluated {
  /** The receivers whose notifications wait in the store until they are delivered. */
  readonly receivers: readonly RouteOptions[];
}

/** How long an ended alert is kept, so that receivers are notified of its end more than once. */
const ENDED_RETENTION_MS = 15 * MINUTE;
/** Smaller steps of the clock do not matter for holds. */
const MIN_JUMP_MS = MINUTE;

/** Methods that return promises throw StoreError. */
export class AlertEngine {
  /** What was evaluated, which the caller only reads. */
  readonly evaluation: Evaluation;
  readonly #options: EngineOptions;
  /** What receivers are notified of. Its asynchronous methods are only called here, in turn with evaluations. */
  readonly dispatcher: Dispatcher;
  readonly #recorder: AlertRecorder;
  #lastWork: Promise<unknown> = Promise.resolve();
  readonly #jump: ClockJump;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#jump = new ClockJump(options.clock);
    const { alerts } = options.store;
    const writer = new AlertWriter(alerts);
    this.evaluation = new Evaluation(options, () => this.active);
    this.dispatcher = new Dispatcher(alerts, writer, () => this.active, options);
    this.#recorder = new AlertRecorder(alerts, writer, this.dispatcher, options.onTransitions);
  }

  get active(): ActiveAlerts {
    return this.#recorder.active;
  }

  /** Loads the alerts from the store. */
  load(): Promise<void> {
    return this.#recorder.load();
  }

  /** Applies another configuration: ends alerts that are no longer configured, and repeats the other evaluations. */
  reconfigure({ receivers, ...evaluated }: EngineConfiguration): Promise<void> {
    return this.#enqueue(async (changes) => {
      // What ends below is sent only to receivers that were notified of its beginning.
      await this.dispatcher.configure(receivers, changes.now);
      await this.evaluation.reconfigure(evaluated, changes);
      await this.#recorder.apply(changes);
    });
  }

  afterRun(account: string, collector: string, result: RunResult): Promise<void> {
    return this.#enqueue(async (changes) => {
      await this.evaluation.afterRun(account, collector, result, changes);
      await this.#recorder.apply(changes);
    });
  }

  /** Evaluates the alerts that time alone may have changed: those of these accounts, and those about the daemon. */
  tick(accounts: readonly string[], state: DaemonState): Promise<void> {
    return this.#enqueue(async (changes) => {
      // Alerts about the daemon come first. They can report that the store fails, so that the others cannot be saved.
      const ofDaemon = new EvaluationChanges(changes.now);
      await this.evaluation.ofDaemon(state, ofDaemon);
      await this.#recorder.applyEvenIfUnstored(ofDaemon);
      await this.evaluation.asTimePasses(accounts, changes);
      await this.#recorder.apply(changes);
      await this.#recorder.forgetEnded(changes.now - ENDED_RETENTION_MS);
    });
  }

  /** Queues the notifications that are due. Returns whether more may be due at once. */
  dispatch(): Promise<boolean> {
    return this.#serialize(() => this.dispatcher.dispatch(this.#options.clock.now()));
  }

  /** Resolves when nothing is being evaluated. */
  async idle(): Promise<void> {
    await this.#lastWork;
  }

  #enqueue(work: (changes: EvaluationChanges) => Promise<void>): Promise<void> {
    return this.#serialize(async () => {
      await this.#postponeHolds();
      await work(new EvaluationChanges(this.#options.clock.now()));
    });
  }

  /** Runs one evaluation or dispatch at a time, so that each starts from the result of the one before. */
  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastWork.then(work);
    // The caller gets the error. The next work runs all the same.
    this.#lastWork = done.catch(() => {});
    return done;
  }

  /** If the clock was set ahead or the machine slept, no hold ends by that alone: the skipped time does not count. */
  async #postponeHolds(): Promise<void> {
    const jumpMs = this.#jump.sinceLastCall();
    if (jumpMs < MIN_JUMP_MS) return;
    const changes = new EvaluationChanges(this.#options.clock.now());
    for (const alert of this.active) if (dependsOnTime(alert)) changes.add(alert, postponed(alert, jumpMs));
    await this.#recorder.apply(changes);
  }
}

const postponed = (alert: StoredAlert, byMs: number): StoredAlert => ({
  ...alert,
  skippedMs: alert.firingSince === null ? alert.skippedMs + byMs : alert.skippedMs,
  absentSince: alert.absentSince === null ? null : alert.absentSince + byMs,
});
