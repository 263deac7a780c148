// Defines changes of the account: proxies, users, services and products that are removed, added or changed.

import { z } from 'zod';
import { CITY_IDS } from '../resources/places.ts';
import { isActive, periodFields, RuntimeList } from './runtime-list.ts';

const change = <K extends string, I extends z.ZodType, S extends z.ZodType>(kind: K, subject: I, set: S) =>
  z.strictObject({
    kind: z.literal(kind),
    subject,
    ...periodFields,
    /** Whether the subject is missing while the change is active. It appears when the change ends. */
    absent: z.boolean().default(false),
    /** Fields of the provider that have these values while the change is active. */
    set: set.exactOptional(),
  });
const values = <S extends z.ZodRawShape>(fields: S) => z.strictObject(fields).exactPartial();

/** Position in the account, from 0. */
const positionSchema = z.int().min(0);

export const changeSchema = z.discriminatedUnion('kind', [
  /** A change of network or city also changes its name, region and country. */
  change(
    'proxy',
    positionSchema,
    values({
      /** Together with another address, the proxy is replaced by another one. */
      proxy_id: z.string(),
      proxy_status: z.string(),
      proxy_ip_address: z.ipv4(),
      default_proxy_user_password: z.string(),
      asn_id: z.int(),
      city_id: z.literal(CITY_IDS),
    }),
  ),
  /** A user with another id is renamed: its used bytes go on. Graphs that filter by user keep the first id. */
  change('user', positionSchema, values({ proxy_user_id: z.string(), proxy_user_is_deleted: z.boolean() })),
  /** Another cycle moves the expiry unless that is set too. Datetimes are in the provider's time zone. */
  change(
    'service',
    positionSchema,
    values({
      service_status: z.string(),
      service_quantity: z.int(),
      service_total: z.int(),
      service_cycle: z.string().regex(/^\d+:(day|week|month|year)$/),
      service_expiry_datetime: z.string().nullable(),
      service_earliest_cancellation_datetime: z.string().nullable(),
      service_subscription_is_paused: z.boolean(),
      service_metadata: z.record(z.string(), z.unknown()),
      service_is_pending_cancellation: z.boolean(),
      service_is_automatic_collection: z.boolean(),
      open_invoice_id: z.string().nullable(),
    }),
  ),
  /** The subject is a product code. Without stock, it is not available, unless that is set too. A stock of -1 is unlimited. */
  change(
    'product',
    z.string(),
    values({ product_stock: z.int().min(-1), product_is_available: z.boolean() }),
  ),
]);

export type Change = z.infer<typeof changeSchema>;
type ChangeOf<K extends Change['kind']> = Extract<Change, { kind: K }>;
/** The changed fields of a subject. If several changes are active, the last one in the list wins. */
export interface Difference<K extends Change['kind']> {
  readonly absent: boolean;
  readonly set: NonNullable<ChangeOf<K>['set']>;
}
export type Differences<K extends Change['kind']> = ReadonlyMap<string | number, Difference<K>>;

export class Changes extends RuntimeList<typeof changeSchema> {
  readonly #cached = new Map<
    string,
    { readonly changes: readonly Change[]; readonly differences: unknown }
  >();

  constructor(initial: readonly z.input<typeof changeSchema>[]) {
    super(changeSchema, initial);
  }

  /** Returns the differences at the time `at` (ms): the same object for as long as the same changes are active. */
  at<K extends Change['kind']>(kind: K, at: number): Differences<K> {
    const changes = this.list.filter(
      (entry): entry is ChangeOf<K> => entry.kind === kind && isActive(entry, at),
    );
    const cached = this.#cached.get(kind);
    if (cached && isSame(cached.changes, changes)) return cached.differences as Differences<K>;
    const differences = mergeChanges<K>(changes);
    this.#cached.set(kind, { changes, differences });
    return differences;
  }
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((entry, index) => entry === b[index]);

const mergeChanges = <K extends Change['kind']>(changes: readonly ChangeOf<K>[]): Differences<K> => {
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
