// Describes the tables of proxy users and of their use.

import { OF_ACCOUNT, ofAccount, shifted, storedAtOf, type Tables } from '../table.ts';
import { RESTARTED_USAGE } from './missing-values.ts';

export const USER_TABLES = {
  proxy_user: {
    times: [
      ...['residential_rated_since', 'residential_rated_at', 'mobile_rated_since', 'mobile_rated_at'],
      'removed_since',
    ],
    heldBy: storedAtOf("'proxy_users'", 'proxy_user.account_id'),
    reset: `UPDATE proxy_user SET residential_net = 0, residential_served = 0, mobile_net = 0, mobile_served = 0,
      held_until = @heldUntil, unsettled_usage = '${RESTARTED_USAGE}'`,
    highest: 'SELECT coalesce(max(rowid), 0) FROM main.proxy_user',
    move: ofAccount({ rowid: shifted('rowid', 'proxy_user') }),
  },
  proxy_user_details: {
    move: {
      where: `user IN (SELECT rowid FROM source.proxy_user WHERE ${OF_ACCOUNT})`,
      columns: { user: shifted('user', 'proxy_user') },
    },
  },
  user_usage: { move: ofAccount() },
  user_use_mark: {
    times: [
      ...['residential_missing_since', 'residential_missing_until'],
      ...['mobile_missing_since', 'mobile_missing_until'],
    ],
    reset: 'UPDATE user_use_mark SET residential_net = 0, mobile_net = 0',
    highest: `SELECT coalesce(max(mark), 0) FROM (SELECT id AS mark FROM main.user_use_mark
      UNION ALL SELECT mark FROM main.user_use)`,
    move: ofAccount({ id: shifted('id', 'user_use_mark'), user: shifted('user', 'proxy_user') }),
  },
  user_use: { move: ofAccount({ mark: shifted('mark', 'user_use_mark') }) },
  user_use_day: { times: ['since', 'until'], move: ofAccount() },
} as const satisfies Tables;
