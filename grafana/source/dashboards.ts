// Lists the dashboards, and converts them to files.

import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { accountDashboard } from './account/account.ts';
import { billing } from './billing/billing.ts';
import { daemon } from './daemon/daemon.ts';
import { errors } from './errors/errors.ts';
import { money } from './money/money.ts';
import { overview } from './overview/overview.ts';
import { proxy } from './proxy/proxy.ts';
import { quotas } from './quotas/quotas.ts';
import { tests } from './tests/tests.ts';
import { traffic } from './traffic/traffic.ts';
import { user } from './user/user.ts';

export const DASHBOARDS: readonly Dashboard[] = [
  overview,
  traffic,
  errors,
  quotas,
  money,
  user,
  tests,
  proxy,
  accountDashboard,
  billing,
  daemon,
];

/** Returns the names and texts of the files that Grafana reads. */
export const dashboardFiles = (): [name: string, text: string][] =>
  DASHBOARDS.map((dashboard) => [
    `${dashboard.uid?.replace('proxywatch-', '')}.json`,
    `${JSON.stringify(dashboard, null, 2)}\n`,
  ]);
