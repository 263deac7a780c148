// Adds up what samples show of the errors of an hour: by class, and by the proxy users and host names with the most.

import { SAMPLE_KINDS, type SampledSum } from '../../request-log-store.ts';
import type { Database } from '../file/database.ts';

/** The most users, and the most host names, of an hour. All others are added up. */
const MAX_NAMES = 20;

export const createErrorSamples = ({ sql, prepareValue }: Database) => {
  const OF_HOUR = 'FROM request_log_sample WHERE account_id = ? AND hour = ? AND kind = ? AND is_other = 0';
  const sum = (column: string) => `${column} = ${column} + excluded.${column}`;
  // A sum with an unknown part is unknown.
  const onConflict = `ON CONFLICT DO UPDATE SET ${['errors', 'errors_variance', 'bytes'].map(sum).join(', ')}`;
  const put = sql.prepare(
    `INSERT INTO request_log_sample VALUES (@accountId, @hour, @kind, @name, 0, @class, @errors, @errorsVariance, @bytes)
     ${onConflict}`,
  );
  // Names with many errors can appear late in the hour, and take the place of those with few.
  const surplusNames = prepareValue<[number, number, string], string>(
    `SELECT name ${OF_HOUR} GROUP BY name ORDER BY sum(errors) DESC, name LIMIT -1 OFFSET ${MAX_NAMES}`,
  );
  const addToOthers = sql.prepare(
    `INSERT INTO request_log_sample SELECT account_id, hour, kind, '', 1, class, errors, errors_variance, bytes
     ${OF_HOUR} AND name = ? ${onConflict}`,
  );
  const remove = sql.prepare(`DELETE ${OF_HOUR} AND name = ?`);

  return {
    /** Inside a transaction. */
    add: (accountId: number, hour: number, samples: readonly SampledSum[]): void => {
      for (const each of samples) put.run({ accountId, hour, ...each });
      for (const kind of SAMPLE_KINDS)
        for (const name of surplusNames.all(accountId, hour, kind)) {
          addToOthers.run(accountId, hour, kind, name);
          remove.run(accountId, hour, kind, name);
        }
    },
  };
};
