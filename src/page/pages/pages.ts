// Loads the page of a view. A browser loads only the modules of the view that it shows.

import type { ViewName } from '../address.ts';
import type { Page } from './page.ts';

type Load = () => Promise<Page>;

const list =
  (name: keyof typeof import('./lists.ts')['LIST_PAGES']): Load =>
  async () =>
    (await import('./lists.ts')).LIST_PAGES[name];

export const LOAD_PAGE: Readonly<Record<ViewName, Load>> = {
  account: async () => (await import('./account.ts')).accountPage,
  proxies: list('proxies'),
  inventory: list('inventory'),
  users: list('users'),
  services: list('services'),
  failures: list('failures'),
  changes: list('changes'),
  history: list('history'),
  invoice: async () => (await import('./invoice.ts')).invoicePage,
  report: async () => (await import('./report.ts')).reportPage,
  proxy: async () => (await import('./proxy.ts')).proxyPage,
  target: async () => (await import('./tested-subject.ts')).targetPage,
  tester: async () => (await import('./tested-subject.ts')).testerPage,
  user: async () => (await import('./user.ts')).userPage,
  service: async () => (await import('./service.ts')).servicePage,
  graph: async () => (await import('./graph.ts')).graphPage,
  alert: async () => (await import('./alert.ts')).alertPage,
};
