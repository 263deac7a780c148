// Observes the account's minute graphs: the order of their buckets, and how late buckets come.

import { BucketOrder, type BucketOrderJson } from './bucket-order.ts';
import { BucketTimes, type BucketTimesJson } from './bucket-times.ts';
import { minuteGraphOf } from './minute-buckets.ts';
import type { ObservedAnswer } from './observed-answer.ts';

export type MinutesJson = BucketOrderJson & BucketTimesJson;

export class MinuteReport {
  readonly #order = new BucketOrder();
  readonly #times = new BucketTimes();

  /** `zone` is the configured time zone of the provider. */
  observe(answer: ObservedAnswer, zone: string): void {
    const graph = minuteGraphOf(answer, zone);
    if (!graph) return;
    this.#order.observe(graph);
    this.#times.observe(graph, answer.at);
  }

  /** Returns null if no such graph was observed. */
  toJson(): MinutesJson | null {
    const order = this.#order.toJson();
    return order.answers === 0 ? null : { ...order, ...this.#times.toJson() };
  }
}
