// Changes of the account: proxies, services and products that go, come and become others.

import { z } from 'zod';
import { CITY_IDS } from '../resources/places.ts';
import { holds, period } from './period.ts';
import { Switchboard } from './switchboard.ts';

const change = <K extends string, I extends z.ZodType, S extends z.ZodType>(kind: K, subject: I, set: S) =>
  z.strictObject({
    kind: z.literal(kind),
    subject,
    ...period,
    /** Not there while the change holds; so what begins as absent appears when the change ends. */
    absent: z.boolean().default(false),
    /** Fields of the provider's that hold other values meanwhile. */
    set: set.exactOptional(),
  });
const values = <S extends z.ZodRawShape>(fields: S) => z.strictObject(fields).exactPartial();

/** Place in the account, from 0. */
const place = z.int().min(0);

export const changeSchema = z.discriminatedUnion('kind', [
  /** A network or a city brings its name, region and country along. */
  change(
    'proxy',
    place,
    values({
      proxy_status: z.string(),
      proxy_ip_address: z.ipv4(),
      default_proxy_user_password: z.string(),
      asn_id: z.int(),
      city_id: z.literal(CITY_IDS),
    }),
  ),
  /** Another cycle moves the expiry, unless that is set as well; datetimes are in the provider's zone. */
  change(
    'service',
    place,
    values({
      service_status: z.string(),
      service_quantity: z.int(),
      service_total: z.int(),
      service_cycle: z.string().regex(/^\d+:(day|week|month|year)$/),
      service_expiry_datetime: z.string().nullable(),
      service_earliest_cancellation_datetime: z.string().nullable(),
      service_subscription_is_paused: z.boolean(),
      service_is_pending_cancellation: z.boolean(),
      service_is_automatic_collection: z.boolean(),
      open_invoice_id: z.string().nullable(),
    }),
  ),
  /** By product code; what is sold out is not available either, unless that is set as well. */
  change('product', z.string(), values({ product_stock: z.int().min(0), product_is_available: z.boolean() })),
]);

export type Change = z.infer<typeof changeSchema>;
type ChangeOf<K extends Change['kind']> = Extract<Change, { kind: K }>;
/** What is other about a subject; of several changes the later in the list wins. */
interface Difference<K extends Change['kind']> {
  readonly absent: boolean;
  readonly set: NonNullable<ChangeOf<K>['set']>;
}
export type Differences<K extends Change['kind']> = ReadonlyMap<string | number, Difference<K>>;

export class Changes extends Switchboard<typeof changeSchema> {
  readonly #standing = new Map<
    string,
    { readonly changes: readonly Change[]; readonly differences: unknown }
  >();

  constructor(initial: readonly z.input<typeof changeSchema>[]) {
    super(changeSchema, initial);
  }

  /** The differences at the instant `at`: the same object as long as the same changes hold. */
  at<K extends Change['kind']>(kind: K, at: number): Differences<K> {
    const changes = this.list.filter(
      (entry): entry is ChangeOf<K> => entry.kind === kind && holds(entry, at),
    );
    const known = this.#standing.get(kind);
    if (known && isSame(known.changes, changes)) return known.differences as Differences<K>;
    const differences = merged<K>(changes);
    this.#standing.set(kind, { changes, differences });
    return differences;
  }
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((entry, index) => entry === b[index]);

const merged = <K extends Change['kind']>(changes: readonly ChangeOf<K>[]): Differences<K> => {
  const differences = new Map<string | number, Difference<K>>();
  for (const { subject, absent, set } of changes) {
    const before = differences.get(subject);
    differences.set(subject, {
      absent: absent || (before?.absent ?? false),
      set: { ...before?.set, ...set },
    });
  }
  return differences;
};
