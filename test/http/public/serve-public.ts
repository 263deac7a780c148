// Serves a daemon with tests, users, services and balances, whose web.yml demands a login, and one public page.

import { join } from 'node:path';
import { createView } from '../../../src/daemon/http-view.ts';
import { type HttpServer, type PublicPage, startHttpServer } from '../../../src/http/server.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { addStatusPage } from '../../../src/status-page/routes.ts';
import { Harness } from '../../support/harness.ts';
import { type LogLine, recordingLog } from '../../support/recording-log.ts';
import { createWebFolder, HASH } from '../web-config-support.ts';

export const TOKEN = '4f1c9a07be35d2688e0f7ab3c1d95e62';
export const TARGET = 'canary-target';
export const WEB_USER = 'canary-login';
/** An account that no public page has. */
export const UNLISTED = 'canary-account';

export const buildDaemon = async (): Promise<Harness> => {
  const daemon = await Harness.build({
    now: '2026-07-05T12:01:30Z',
    scenario: { users: 3, proxies: 6 },
    copies: [UNLISTED],
    account: {
      traffic: { catch_up: '1h', graphs: [] },
      reconciliation: false,
      proxy_tests: {
        schedule: '*/10 * * * *',
        urls: [{ name: TARGET, url: 'https://canary.example/' }],
        proxies: [{ search: {} }],
      },
      inventory: {},
      services: {},
    },
  });
  await daemon.advance(10 * MINUTE);
  return daemon;
};

export interface PublicServer extends HttpServer {
  readonly url: string;
  readonly lines: LogLine[];
}

/** Must be called in a test. */
export const servePublic = async (
  { app, clock }: Pick<Harness, 'app' | 'clock'>,
  pages: readonly PublicPage[] = [{ token: new Secret(TOKEN), title: 'Our <proxies>', accounts: ['main'] }],
): Promise<PublicServer> => {
  const lines: LogLine[] = [];
  const web = JSON.stringify({ basic_auth_users: { [WEB_USER]: HASH } });
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    webConfigFile: join(createWebFolder(web), 'web.yml'),
    publicPages: () => pages,
    view: createView({ app, clock, version: '1.2.3' }),
    reload: async () => ({ result: 'no_file' }),
    addPage: addStatusPage,
    ...{ clock, log: recordingLog(lines) },
  });
  const close = () => server[Symbol.asyncDispose]();
  return { ...server, url: `http://127.0.0.1:${server.address.port}`, lines, [Symbol.asyncDispose]: close };
};
