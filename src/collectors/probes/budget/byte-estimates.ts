// Estimates what a probe of a url will take, from what its last probes took.

import type { Depth } from '../../../prober/probe.ts';
import { USUAL_BYTES } from './byte-bounds.ts';

/** How much one probe changes the estimate. */
const WEIGHT = 0.1;

export class ByteEstimates {
  readonly #byLabel = new Map<string, number>();

  of(label: string, depth: Depth): number {
    return this.#byLabel.get(label) ?? USUAL_BYTES[depth];
  }

  observe(label: string, depth: Depth, bytes: number): void {
    const before = this.of(label, depth);
    this.#byLabel.set(label, before + WEIGHT * (bytes - before));
  }
}
