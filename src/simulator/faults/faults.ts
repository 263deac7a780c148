// Faults: ways in which answers go wrong, set at run time and limited by endpoint, query, count and chance.

import { z } from 'zod';
import { draw, hashText, mix } from '../random.ts';
import { Switchboard } from './switchboard.ts';

const limits = {
  /** Part of the endpoint's name, such as `proxy_user`; empty is all endpoints. */
  endpoint: z.string().default(''),
  /** Part of the query as it was sent, such as `network=isp`; empty is any. */
  query: z.string().default(''),
  /** After so many answers the fault is over; null is never. */
  count: z.int().positive().nullable().default(null),
  probability: z.number().min(0).max(1).default(1),
};
const fault = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.strictObject({ kind: z.literal(kind), ...limits, ...shape });
const fieldNames = { fields: z.array(z.string()).min(1) };
const fieldValues = { fields: z.record(z.string(), z.json()) };
const everyNth = { every: z.int().min(1).default(10) };

export const faultSchema = z.discriminatedUnion('kind', [
  /** 429 that says when to come back in the header, in its message, or not. */
  fault('rate_limit', {
    tell: z.enum(['header', 'message', 'nothing']).default('header'),
    seconds: z.int().min(0).default(1),
  }),
  /** An error of the provider, with its usual body. */
  fault('status', { status: z.int().min(400).max(599).default(503) }),
  /** Answers after a delay in real time. */
  fault('slow', { delay_ms: z.int().min(0) }),
  /** Closes the connection in the middle of the body. */
  fault('cut_off', {}),
  fault('malformed_json', {}),
  /** A page of a proxy in between, with status 200 unless told. */
  fault('html', { status: z.int().min(200).max(599).default(200) }),
  /** The named fields are null, at any depth. */
  fault('null_fields', fieldNames),
  fault('missing_fields', fieldNames),
  /** The named fields, where they are, hold these values: unknown enumerations, total_count -1, another customer_id. */
  fault('set_fields', fieldValues),
  /** Every object in an array, and the body itself, has these fields too. */
  fault('extra_fields', fieldValues),
  /** Graphs are cut to their first buckets; the totals stay those of all. */
  fault('truncated_buckets', { keep: z.int().min(0) }),
  /** Every nth bucket is left out, of the totals as well: the provider does not have it. */
  fault('absent_buckets', everyNth),
  /** Every nth bucket comes twice; the totals count it once. */
  fault('duplicate_buckets', everyNth),
  /** Pages after the first begin so many items later (items before them went) or, below 0, earlier (items came). */
  fault('shifted_pages', { by: z.int().default(1) }),
]);

export type Fault = z.infer<typeof faultSchema>;

export class Faults extends Switchboard<typeof faultSchema> {
  readonly #seed: number;
  readonly #uses = new Map<Fault, number>();
  #draws = 0;

  constructor(seed: number) {
    super(faultSchema);
    this.#seed = mix(seed, hashText('faults'));
  }

  /** The faults that strike the next answer of `endpoint` to `query`; they are counted as used. */
  strike(endpoint: string, query: string): Fault[] {
    const struck = this.list.filter(
      (entry) =>
        endpoint.includes(entry.endpoint) &&
        query.includes(entry.query) &&
        draw(this.#seed, this.#draws++) < entry.probability,
    );
    for (const entry of struck) this.#use(entry);
    return struck;
  }

  #use(entry: Fault): void {
    const uses = (this.#uses.get(entry) ?? 0) + 1;
    this.#uses.set(entry, uses);
    if (uses !== entry.count) return;
    this.#uses.delete(entry);
    this.remove(entry);
  }
}
