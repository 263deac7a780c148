// Simulates adjustments of services: renewals, orders, cancellations and top-ups by the day, and replacements of proxies.

import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { boundariesOf } from '../faults/runtime-list.ts';
import { services } from '../identities.ts';
import type { LocalTime } from '../local-time.ts';
import { pick } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { InventoryProxy } from './proxies.ts';
import type { Item, Listing } from './search.ts';
import type { ServiceContext } from './services.ts';

/** `lasts` is how long it is pending (ms). */
const planOf = (type: string, by: string, lasts = 0, end = 'complete') => ({ type, by, lasts, end });
type Plan = ReturnType<typeof planOf>;

interface Begun extends Plan {
  readonly id: number;
  readonly serviceId: string;
  readonly createdAt: number;
  readonly replaced?: Readonly<Record<'before' | 'after', InventoryProxy>> & { readonly reason: string };
}

interface Adjustment extends Begun {
  readonly updatedAt: number;
  readonly status: string;
}

const REPLACEMENT = planOf('proxy_replacement', 'administrator');
const REASONS = ['customer_request', 'ip_reputation', 'end_of_deployment', 'outage', 'other'] as const;

/** Each is made every so many days, so many hours after midnight. The ledger has its top-ups on the same days. */
const daily = ({ ledger }: Scenario): readonly (readonly [days: number, hour: number, plan: Plan])[] => [
  [1, 6, planOf('extension', 'automatic', 20 * MINUTE)],
  [2, 10, planOf('update', 'customer', 5 * MINUTE)],
  [3, 12, planOf('cancel', 'customer', 45 * MINUTE, 'failed')],
  [5, 14, planOf('additional_fulfillment', 'administrator', 26 * HOUR)],
  [ledger.top_up_every_days, 12, planOf('top_up', 'customer')],
];
const KINDS = 5;

export class Adjustments implements Listing<Adjustment> {
  readonly liveFields = [];
  readonly #context: ServiceContext;
  #current = { at: Number.NaN, changes: [] as readonly unknown[], rows: [] as readonly Adjustment[] };

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** The newest come first. The provider writes them once a minute. */
  rows(at: number): readonly Adjustment[] {
    const minute = Math.floor(at / MINUTE) * MINUTE;
    const { list } = this.#context.changes;
    if (this.#current.at !== minute || this.#current.changes !== list)
      this.#current = { at: minute, changes: list, rows: this.#rowsAt(minute) };
    return this.#current.rows;
  }

  item(row: Adjustment): Item {
    const { local, scenario } = this.#context;
    // Metadata of the customer must not reach a daemon's metrics, log or store.
    const valuesAt = (side: 0 | 1): Item => ({
      ...valuesOf(row, side, local),
      service_metadata: { note: 'personal@customer.example' },
    });
    return {
      service_adjustment_id: row.id,
      service_id: row.serviceId,
      invoice_id: row.type === 'extension' ? `INV-${scenario.seed}-${row.id}` : null,
      service_adjustment_type: row.type,
      service_adjustment_status: row.status,
      service_adjustment_is_administrator: row.by === 'administrator',
      service_adjustment_is_automatic: row.by === 'automatic',
      service_adjustment_is_customer: row.by === 'customer',
      service_adjustment_creation_datetime: local.datetime(row.createdAt),
      service_adjustment_last_update_datetime: local.datetime(row.updatedAt),
      service_adjustment_pre: valuesAt(0),
      service_adjustment_post: valuesAt(1),
      service_adjustment_eval: {},
      proxy_replacements: replacementItems(row, local),
    };
  }

  #rowsAt(at: number): Adjustment[] {
    return [...this.#daily(at), ...this.#replacements(at)]
      .map((begun): Adjustment => {
        const endsAt = begun.createdAt + begun.lasts;
        const isOver = endsAt <= at;
        return {
          ...begun,
          status: isOver ? begun.end : 'pending',
          updatedAt: isOver ? endsAt : begun.createdAt,
        };
      })
      .sort((a, b) => b.id - a.id);
  }

  #daily(at: number): Begun[] {
    const { scenario, local, start } = this.#context;
    const all = services(scenario);
    const begun: Begun[] = [];
    let index = 0;
    for (let day = local.bucketStart('day', start); day < at; day = local.nextBucket('day', day), index++)
      for (const [kind, [days, hour, plan]] of daily(scenario).entries()) {
        const owned = plan.type === 'top_up' ? all.filter(({ type }) => type === 'residential') : all;
        const serviceId = owned[(index + kind) % owned.length]?.id;
        const createdAt = day + hour * HOUR;
        if (serviceId !== undefined && index % days === 1 % days && createdAt >= start && createdAt <= at)
          begun.push({ ...plan, id: idOf(createdAt, kind), serviceId, createdAt });
      }
    return begun;
  }

  /** A proxy that gets another address by a change of the scenario is replaced at that moment. */
  #replacements(at: number): Begun[] {
    const { changes, start, inventory } = this.#context;
    return changes.list.flatMap((change) => {
      if (change.kind !== 'proxy' || change.set?.proxy_ip_address === undefined) return [];
      return boundariesOf(change, start, at).flatMap((createdAt) => {
        const [before, after] = [createdAt - 1, createdAt].map((time) => inventory.row(change.subject, time));
        if (!before || !after || before.proxy_ip_address === after.proxy_ip_address) return [];
        const id = idOf(createdAt, KINDS + change.subject);
        const replaced = { before, after, reason: pick(id, 1, REASONS) };
        return [{ ...REPLACEMENT, id, createdAt, serviceId: after.service_id, replaced }];
      });
    });
  }
}

/** Values of the service before or after. A renewal moves the expiry by a month. */
const valuesOf = ({ type, createdAt }: Begun, side: 0 | 1, local: LocalTime): Item => {
  if (type === 'extension') return { service_expiry_datetime: local.datetime(createdAt + side * 30 * DAY) };
  return type === 'update' ? { service_quantity: 10 + 2 * side, service_total: 1_000 + 200 * side } : {};
};

const replacementItems = ({ id, createdAt, replaced: of }: Adjustment, local: LocalTime): Item[] => {
  if (!of) return [];
  const proxies = {
    ...proxyFields('proxy_replacement', of.before),
    ...proxyFields('proxy_replacement_new', of.after),
  };
  return [
    {
      ...proxies,
      proxy_replacement_id: id,
      proxy_replacement_reason: of.reason,
      proxy_replacement_creation_datetime: local.datetime(createdAt),
    },
  ];
};

const proxyFields = (prefix: string, proxy: InventoryProxy): Item => ({
  [`${prefix}_ip_address_ipv4`]: proxy.proxy_ip_address,
  [`${prefix}_ip_address_ipv6`]: null,
  [`${prefix}_http_port`]: proxy.proxy_http_port,
  [`${prefix}_socks5_port`]: proxy.proxy_socks5_port,
});

/** Ids rise with time. Adjustments of the same minute differ by their kind, or by the replaced proxy. */
const idOf = (createdAt: number, kind: number): number => Math.floor(createdAt / MINUTE) * 1_000_000 + kind;
