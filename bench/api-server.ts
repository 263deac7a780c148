// Starts an HTTP server over a store without data, whose collectors never run.

import { join } from 'node:path';
import { createApp } from '../src/daemon/app.ts';
import { createView } from '../src/daemon/http-view.ts';
import { settingsSchema } from '../src/daemon/settings.ts';
import { startHttpServer } from '../src/http/server.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import type { Job } from '../src/schedule/job.ts';
import type { Store } from '../src/store/store.ts';

export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  readonly store: Store;
  /** Evaluates the alerts, as after a run of each of the collectors. */
  evaluate(collectors: readonly string[]): Promise<void>;
}

export const proxyId = (n: number): string => `proxy-${String(n).padStart(6, '0')}`;

export const startApiServer = async (folder: string, proxies: number): Promise<ApiServer> => {
  const clock = systemClock;
  const settings = settingsSchema.parse({
    store: { path: join(folder, 'store.db') },
    alerts: { evaluate: true },
    accounts: [
      {
        ...{ name: 'main', base_url: 'http://127.0.0.1:9', public_key: 'p', private_key: 's' },
        ...{ inventory: {}, services: {}, proxy_users: {} },
        proxy_tests: {
          urls: [
            { name: 'shop', url: 'https://shop.example/' },
            { name: 'news', url: 'https://news.example/' },
          ],
          proxies: Array.from({ length: proxies }, (_, n) => ({
            ...{ proxy_id: proxyId(n), name: `fr-${n}`, product_type: n % 3 === 0 ? 'datacenter' : 'isp' },
            proxy: `192.0.2.${n % 250}:${10_000 + n}:alice:secret`,
          })),
        },
      },
    ],
  });
  const app = await createApp({
    ...{
      settings,
      clock,
      log: silentLog,
      version: '1.2.3',
      nodeVersion: process.versions.node,
      isDurable: false,
      // Alerts fire at once.
      holdScale: 0,
    },
  });
  const server = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, clock, log: silentLog },
    view: createView({ app, clock, version: '1.2.3' }),
    reload: async () => ({ result: 'no_file' }),
  });
  return {
    url: `http://127.0.0.1:${server.address.port}/api/v1/`,
    store: app.store,
    evaluate: async (collectors) => {
      for (const collector of collectors) {
        await app.alerting.afterRun({ account: 'main', collector } as Job, 'ok');
        await app.alerting.idle();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
};
