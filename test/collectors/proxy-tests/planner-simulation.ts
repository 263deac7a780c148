// Simulates days of proxy tests: makes the planner's batches slot by slot, from the data that the store would have.

import { type Candidate, planBatches, type TestBudget } from '../../../src/collectors/proxy-tests/planner.ts';
import { DAY, MINUTE } from '../../../src/lib/time.ts';
import type { SpentRuns } from '../../../src/store/test-store.ts';

export class PlannerSimulation {
  readonly #fleet: readonly Candidate[];
  readonly #budget: TestBudget;
  readonly #start: number;
  readonly #testedAt = new Map<string, number[]>();
  readonly #calls: { readonly at: number; readonly runs: number }[] = [];
  readonly #slots = new Map<number, number>();
  readonly #onSlot: (spent: readonly SpentRuns[], at: number) => void;
  #end: number;

  /** `onSlot` is called after each slot with the runs that are spent by then. */
  constructor(
    fleet: readonly Candidate[],
    budget: TestBudget,
    start: number,
    onSlot: (spent: readonly SpentRuns[], at: number) => void = () => {},
  ) {
    this.#onSlot = onSlot;
    this.#fleet = fleet;
    this.#budget = budget;
    this.#start = start;
    this.#end = start;
  }

  get calls(): readonly { readonly at: number; readonly runs: number }[] {
    return this.#calls;
  }

  run(durationMs: number, isDown: (at: number) => boolean): void {
    this.#end = this.#start + durationMs;
    for (let at = this.#start; at <= this.#end; at += this.#budget.intervalMs) {
      if (!isDown(at)) this.#runSlot(at);
    }
  }

  /** Returns the times between a proxy's tests (ms), including those from the start and to the end. */
  readonly gapsMs = (id: string): number[] => {
    const times = [this.#start, ...(this.#testedAt.get(id) ?? []), this.#end];
    return times.slice(1).map((at, index) => at - (times[index] ?? 0));
  };

  /** Returns the most runs in any 24 hours. */
  readonly mostRunsInADay = (): number => {
    let [most, sum, first] = [0, 0, 0];
    for (const { at, runs } of this.#calls) {
      sum += runs;
      for (let oldest = this.#calls[first]; oldest && oldest.at <= at - DAY; oldest = this.#calls[first]) {
        sum -= oldest.runs;
        first++;
      }
      most = Math.max(most, sum);
    }
    return most;
  };

  #runSlot(at: number): void {
    const candidates = this.#fleet.map((proxy) => ({
      ...proxy,
      lastTestedAt: this.#testedAt.get(proxy.id)?.at(-1) ?? null,
    }));
    for (const batch of planBatches(candidates, this.#budget, this.#spent(), at)) {
      this.#spend(at, this.#budget.runsPerCall);
      for (const { id } of batch) {
        const times = this.#testedAt.get(id);
        if (times) times.push(at);
        else this.#testedAt.set(id, [at]);
      }
    }
    this.#onSlot(this.#spent(), at);
  }

  readonly #spent = (): SpentRuns[] => [...this.#slots].map(([at, runs]) => ({ at, runs }));

  #spend(at: number, runs: number): void {
    this.#calls.push({ at, runs });
    const slot = Math.floor(at / (10 * MINUTE)) * 10 * MINUTE;
    this.#slots.set(slot, (this.#slots.get(slot) ?? 0) + runs);
  }
}
