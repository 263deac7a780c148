// Deflates the pieces of one part as they come, some at a time in the thread pool.

import { setImmediate } from 'node:timers/promises';
import type { PieceOutput } from './sample-writer.ts';
import { joinSlices, type Slice, sliceOf } from './slice.ts';

export class SliceOutput implements PieceOutput {
  readonly #slices = new Map<string, Promise<Slice>[]>();
  #deflating: Promise<Slice>[] = [];

  take(family: string, text: string): void {
    const slice = sliceOf(text);
    // A part that fails meanwhile awaits none of its slices; that must not end the process.
    slice.catch(() => {});
    this.#deflating.push(slice);
    const slices = this.#slices.get(family);
    if (slices) slices.push(slice);
    else this.#slices.set(family, [slice]);
  }

  async drain(): Promise<void> {
    const deflating = this.#deflating;
    this.#deflating = [];
    await Promise.all(deflating);
    // With nothing to wait for, the event loop is to breathe all the same.
    await setImmediate();
  }

  /** One slice a family. */
  async finish(): Promise<Map<string, Slice>> {
    const joined = new Map<string, Slice>();
    for (const [family, slices] of this.#slices) joined.set(family, joinSlices(await Promise.all(slices)));
    return joined;
  }
}
