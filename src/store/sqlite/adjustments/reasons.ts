// Finds why proxies were replaced, and the adjustments that can explain a jump in a plot.

import { DAY } from '../../../lib/time.ts';
import type { Replacement } from '../../adjustment-store.ts';
import type { AdjustmentEvents, ChangedProxies, EventGroup, EventRange } from '../../event-store.ts';
import type { Database } from '../file/database.ts';
import { conditionsFor } from '../row.ts';

/** An address can be replaced, come back, and be replaced again. So the change must be near the adjustment. */
const NEAR_MS = 7 * DAY;

/**
 * SQL for the reason of the replacement that a row of `inventory_change` shows: one of the same service and addresses. Which
 * of both was stored first does not matter. Null if there is none, if it has no reason, or if an added or removed proxy
 * shares its address with another one. Each branch of the OR names the account, so that SQLite looks up both addresses.
 */
export const REASON_OF_CHANGE = `(
  SELECT reason FROM (SELECT reason, min(abs(made.at - inventory_change.at)) FROM proxy_replacement AS replaced
    CROSS JOIN service_adjustment AS made ON made.account_id = replaced.account_id AND made.id = adjustment_id
  WHERE change IN ('gone', 'appeared', 'address')
    AND ((replaced.account_id = inventory_change.account_id AND old_address = before)
      OR (replaced.account_id = inventory_change.account_id AND new_address = after))
    AND CASE change
      WHEN 'gone' THEN old_address = before
      WHEN 'appeared' THEN new_address = after
      ELSE coalesce(old_address, before) = before AND coalesce(new_address, after) = after END
    AND (change = 'address' OR NOT EXISTS (SELECT 1 FROM inventory_proxy AS other
      WHERE other.account_id = inventory_change.account_id AND address = coalesce(before, after)
        AND other.id <> inventory_change.proxy_id))
    AND made.service_id = inventory_change.service_id AND made.status IS NOT 'failed'
    AND inventory_change.at BETWEEN made.at - ${NEAR_MS} AND coalesce(made.updated_at, made.at) + ${NEAR_MS}))`;

const CONDITIONS = {
  serviceId: 'service_id = @serviceId',
  productType: `service_id IN (SELECT id FROM service WHERE account_id = @accountId AND product_type = @productType
    UNION SELECT service_id FROM inventory_proxy WHERE account_id = @accountId AND product_type = @productType)`,
};
/** The last known moment of an adjustment. One without an update ends when it begins. */
const END = 'max(at, coalesce(updated_at, at))';

const groupsQuery = (of: ChangedProxies): string => `
  SELECT min(place) AS at, max(place, max(${END})) AS until, count(*) AS count, type, status, by,
    min(service_id) AS serviceId, min(changes) AS changes, min(replacements) AS replacements
  FROM (SELECT *, CASE WHEN status IN ('complete', 'failed') AND ${END} < @to THEN ${END}
      ELSE max(at, cast(@from AS INTEGER)) END AS place
    FROM service_adjustment WHERE ${['account_id = @accountId', 'at < @to', ...conditionsFor(CONDITIONS, of)].join(' AND ')}
      AND (status = 'pending' OR ${END} >= @from))
  GROUP BY place / cast(@stepMs AS INTEGER), type, status, by ORDER BY 1`;

interface GroupRow extends EventGroup, Pick<AdjustmentEvents, 'type' | 'status' | 'by' | 'serviceId'> {
  readonly changes: string;
  readonly replacements: string | null;
}

/** Returns how the adjustments of a range are read. Those of a type, status and actor that are near each other are a group. */
export const createAdjustmentEvents = ({ sql, readOf }: Database) =>
  readOf((accountId, range: EventRange, { serviceId, productType }: ChangedProxies): AdjustmentEvents[] => {
    const of = serviceId === undefined ? { productType } : { serviceId };
    const rows = sql.all<GroupRow>(groupsQuery(of), { ...range, ...of, accountId });
    return rows.map(({ changes, replacements, ...group }) => {
      if (group.count > 1) return { ...group, serviceId: null, changes: null, reason: null };
      const replaced: readonly Replacement[] = JSON.parse(replacements ?? '[]');
      const reasons = new Set(replaced.map(({ reason }) => reason));
      return { ...group, changes: JSON.parse(changes), reason: onlyOf([...reasons]) };
    });
  });

/** Returns the reason that all have; null if there are several. */
export const onlyOf = (reasons: readonly (string | null)[]): string | null =>
  reasons.length === 1 ? (reasons[0] ?? null) : null;
