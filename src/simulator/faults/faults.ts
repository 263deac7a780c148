// Defines the faults of answers, which are set at run time and limited by endpoint, query, count and probability.

import { z } from 'zod';
import { draw, hashText, mix } from '../random.ts';
import { RuntimeList } from './runtime-list.ts';

const limits = {
  /** A part of the endpoint's name, such as `proxy_user`. Empty matches all endpoints. */
  endpoint: z.string().default(''),
  /** A part of the query as it was sent, such as `network=isp`. Empty matches every query. */
  query: z.string().default(''),
  /** The fault ends after this many answers; null is never. */
  count: z.int().positive().nullable().default(null),
  probability: z.number().min(0).max(1).default(1),
};
const fault = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.strictObject({ kind: z.literal(kind), ...limits, ...shape });
const fieldNames = { fields: z.array(z.string()).min(1) };
const fieldValues = { fields: z.record(z.string(), z.json()) };
const everyNth = { every: z.int().min(1).default(10) };

export const faultSchema = z.discriminatedUnion('kind', [
  /** A 429 that gives the time to wait in the header, in its message, or not at all. */
  fault('rate_limit', {
    tell: z.enum(['header', 'message', 'nothing']).default('header'),
    seconds: z.int().min(0).default(1),
  }),
  /** An error of the provider, with its usual body. */
  fault('status', { status: z.int().min(400).max(599).default(503) }),
  /** The answer is sent after a delay in real time. */
  fault('slow', { delay_ms: z.int().min(0) }),
  /** The connection is closed in the middle of the body. */
  fault('cut_off', {}),
  fault('malformed_json', {}),
  /** An HTML page, as from a proxy in between. Its default status is 200. */
  fault('html', { status: z.int().min(200).max(599).default(200) }),
  /** The named fields are null at any depth. */
  fault('null_fields', fieldNames),
  fault('missing_fields', fieldNames),
  /** Fields that exist get these values: for example an unknown enumeration, total_count -1 or another customer_id. */
  fault('set_fields', fieldValues),
  /** The body and every object in an array get these fields in addition. */
  fault('extra_fields', fieldValues),
  /** Graphs are cut to their first buckets. The totals still include all buckets. */
  fault('truncated_buckets', { keep: z.int().min(0) }),
  /** Every nth bucket is missing, also from the totals, as if the provider did not have it. */
  fault('absent_buckets', everyNth),
  /** Every nth bucket is sent twice. The totals count it once. */
  fault('duplicate_buckets', everyNth),
  /** Pages after the first begin `by` items later, as if items before them were removed. A negative `by` adds items. */
  fault('shifted_pages', { by: z.int().default(1) }),
]);

export type Fault = z.infer<typeof faultSchema>;

export class Faults extends RuntimeList<typeof faultSchema> {
  readonly #seed: number;
  readonly #uses = new Map<Fault, number>();
  #draws = 0;

  constructor(seed: number) {
    super(faultSchema);
    this.#seed = mix(seed, hashText('faults'));
  }

  /** Returns the faults that apply to the next answer of `endpoint` to `query`, and counts them as used. */
  takeMatching(endpoint: string, query: string): Fault[] {
    const matching = this.list.filter(
      (entry) =>
        endpoint.includes(entry.endpoint) &&
        query.includes(entry.query) &&
        draw(this.#seed, this.#draws++) < entry.probability,
    );
    for (const entry of matching) this.#countUse(entry);
    return matching;
  }

  #countUse(entry: Fault): void {
    const uses = (this.#uses.get(entry) ?? 0) + 1;
    this.#uses.set(entry, uses);
    if (uses !== entry.count) return;
    this.#uses.delete(entry);
    this.remove(entry);
  }
}
