// Deflates the lines of one part as they arrive, with pauses for the event loop.

import { setImmediate } from 'node:timers/promises';
import type { LineOutput } from './sample-writer.ts';
import { joinSlices, type Slice, sliceOf } from './slice.ts';

export class SliceOutput implements LineOutput {
  readonly #families = new Map<string, Slice[]>();

  take(family: string, lines: Buffer): void {
    const slices = this.#families.get(family);
    if (slices) slices.push(sliceOf(lines));
    else this.#families.set(family, [sliceOf(lines)]);
  }

  drain(): Promise<void> {
    return setImmediate();
  }

  /** Returns one slice for each family. */
  finish(): Map<string, Slice> {
    return new Map([...this.#families].map(([family, slices]) => [family, joinSlices(slices)]));
  }
}
