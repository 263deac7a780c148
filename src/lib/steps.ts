// Divides long computations into steps, between which the event loop runs other work.

import { setImmediate } from 'node:timers/promises';

/** A computation that pauses at each `yield`. */
export type Steps<T> = Generator<void, T>;

/** Few enough that a step takes some milliseconds at most. */
const ITEMS_PER_STEP = 250;

/** For callers with little data: it lets nothing else run meanwhile. */
export const runAtOnce = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};

/** Runs each step in a turn of the event loop of its own. */
export const runInTurns = async <T>(steps: Steps<T>): Promise<T> => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
};

/** Calls `work` for each item, some hundred items a step. */
export function* forEachInSteps<T>(items: Iterable<T>, work: (item: T) => void): Steps<void> {
  let count = 0;
  for (const item of items) {
    work(item);
    count += 1;
    if (count % ITEMS_PER_STEP === 0) yield;
  }
}

/** Maps each item to any number of results, as `flatMap` does, some hundred items a step. */
export function* flatMapInSteps<T, R>(items: Iterable<T>, map: (item: T) => readonly R[]): Steps<R[]> {
  const results: R[] = [];
  yield* forEachInSteps(items, (item) => {
    for (const result of map(item)) results.push(result);
  });
  return results;
}

/** Returns a function to await after each small step. Every `count` steps it lets other work run. */
export const yieldEvery = (count = 1_000): (() => Promise<void> | undefined) => {
  let done = 0;
  return () => {
    done += 1;
    return done % count === 0 ? setImmediate() : undefined;
  };
};
