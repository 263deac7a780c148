// Makes the lines of an invoice as CSV: one for each number, or for each part that is unknown.

import { z } from 'zod';
import { METERED_TYPES } from '../../../lib/product-types.ts';
import { account, orNull, text } from '../item.ts';
import type { Invoice } from './invoice-json.ts';

const fields = {
  date: orNull.text,
  reason: orNull.text,
  service_id: orNull.text,
  proxy_user_id: orNull.text,
  pair: orNull.text,
  product_type: orNull.text,
  added_bytes: orNull.count,
  used_bytes: orNull.count,
  requests: orNull.count,
  difference_bytes: orNull.count,
  unexplained_bytes: orNull.count,
  quantity: orNull.amount,
  cycle: orNull.text,
  price: orNull.amount,
  currency: orNull.text,
  changed_at: orNull.text,
  note: orNull.text,
} as const;

export const invoiceLine = z.strictObject({ account, month: text, line: text, ...fields });

type Line = z.output<typeof invoiceLine>;
type Values = Partial<Omit<Line, 'account' | 'month' | 'line'>>;

const NOTHING = Object.fromEntries(Object.keys(fields).map((name) => [name, null])) as Required<Values>;

export const linesOf = (invoice: Invoice): Line[] => {
  const { account, month } = invoice;
  const line = (name: string) => (values: Values) => ({ account, month, line: name, ...NOTHING, ...values });
  return [
    line('total')({ added_bytes: invoice.added_bytes, used_bytes: invoice.used_bytes }),
    ...(invoice.mobile_added_bytes === null
      ? []
      : [
          line('mobile_total')({
            added_bytes: invoice.mobile_added_bytes,
            used_bytes: invoice.mobile_used_bytes,
          }),
        ]),
    ...invoice.reasons.map(line('reason')),
    ...invoice.ledger_services.map(line('ledger_service')),
    ...invoice.late_rows.map(({ date, reason, service_id, added_bytes, used_bytes, requests, ...row }) =>
      line('late_row')({
        ...{ date, reason, service_id, added_bytes, used_bytes, requests },
        changed_at: row.updated_at ?? row.created_at,
      }),
    ),
    ...(invoice.use ? METERED_TYPES : []).map((product_type) =>
      line('all_users')({ product_type, used_bytes: invoice.use?.bytes?.[product_type] ?? null }),
    ),
    ...invoice.users.flatMap(({ proxy_user_id, bytes }) =>
      Object.entries(bytes).map(([product_type, used_bytes]) =>
        line('user')({ proxy_user_id, product_type, used_bytes }),
      ),
    ),
    ...invoice.services.map(({ service_id, product_type, quantity, cycle, price, currency }) =>
      line('service')({ service_id, product_type, quantity, cycle, price, currency }),
    ),
    ...invoice.differences.map(({ date, pair, difference_bytes, unexplained_bytes }) =>
      line('difference')({ date, pair, difference_bytes, unexplained_bytes }),
    ),
    ...invoice.unknown.flatMap(({ part, message, dates }) =>
      (dates.length > 0 ? dates : [null]).map((date) =>
        line('unknown')({ date, note: `${part}: ${message}` }),
      ),
    ),
  ];
};
