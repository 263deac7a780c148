// Defines the settings of the HTTP server with its public pages, and of the store, its history and its backups.

import { z } from 'zod';
import type { TrafficOptions } from '../../collectors/traffic/options.ts';
import { mistakeIf, mistakesBelow, type SettingMistake } from '../../config/config-error.ts';
import { formatDuration } from '../../config/duration.ts';
import {
  cronExpression,
  duration,
  hostName,
  httpUrl,
  listenAddress,
  objectWithSecrets,
  relativePath,
  secret,
} from '../../config/primitives.ts';
import { DAY } from '../../lib/time.ts';

const EXPECTED = 'at least 32 random letters, digits, - or _, for example from: openssl rand -hex 32';
/** 32 random hexadecimal digits have fewer different ones in less than one of a million cases. */
const MIN_DISTINCT = 8;

const isToken = (text: string): boolean => /^[\w-]{32,200}$/.test(text) && new Set(text).size >= MIN_DISTINCT;

const publicPages = z
  .array(
    objectWithSecrets(
      {
        title: z
          .string()
          .min(1)
          .max(60)
          .default('Proxies')
          .describe('Title of the page, and text on the left of its badge'),
        accounts: z
          .array(z.string())
          .min(1, 'expected at least one account')
          .describe('Accounts whose state and uptime the page shows, with their names'),
      },
      { token: secret(EXPECTED, isToken).describe('Last part of the address of the page, and of its badge') },
    ),
  )
  .prefault([])
  .describe('Status pages to share, which need no login, also with a web_config_file');

type PublicPages = z.output<typeof publicPages>;

/** `known` are the names of all accounts. */
export const publicPageMistakes = (pages: PublicPages, known: readonly string[]): SettingMistake[] =>
  pages.flatMap(({ accounts, token }, index) =>
    mistakesBelow(
      ['server', 'public', index],
      [
        ...accounts.flatMap((name, place) =>
          mistakeIf(!known.includes(name), ['accounts', place], `no account has the name "${name}"`),
        ),
        ...mistakeIf(
          pages.slice(0, index).some((earlier) => earlier.token.reveal() === token.reveal()),
          ['token'],
          'another public page has the same token',
        ),
      ],
    ),
  );

const retentionSchema = z
  .strictObject({
    raw: duration({ min: DAY }).prefault('8d').describe('Retention of history with the polled buckets'),
    hourly: duration({ min: DAY }).prefault('60d').describe('Retention of history with one value per hour'),
    daily: duration({ min: DAY })
      .prefault('400d')
      .describe(
        'Retention of history with one value per day. The same retention applies to the history of alerts, to data of removed items, and to data of accounts and slices that you removed from the configuration',
      ),
  })
  .describe('Retention of history with three widths of values');

/** Buckets that may be read again must be stored as polled, so `raw` is at least the longest reread of all accounts. */
export const retentionMistakes = (
  { raw, hourly, daily }: z.output<typeof retentionSchema>,
  traffic: readonly TrafficOptions[],
): SettingMistake[] => {
  const longestReread = Math.max(
    0,
    ...traffic.map(({ catch_up, reread, deep_reread }) => Math.max(catch_up + reread, deep_reread.span)),
  );
  const tooShort = `expected at least ${formatDuration(longestReread)}, because traffic is read again that far back (catch_up + reread, deep_reread.span)`;
  return mistakesBelow(
    ['store', 'retention'],
    [
      ...mistakeIf(raw < longestReread, ['raw'], tooShort),
      ...mistakeIf(hourly < raw, ['hourly'], 'expected at least as long as raw'),
      ...mistakeIf(daily < hourly, ['daily'], 'expected at least as long as hourly'),
    ],
  );
};

const backupSchema = z
  .strictObject({
    schedule: cronExpression().default('30 3 * * *').describe('Schedule for backups'),
    path: relativePath().describe('Folder for backups. Its parent folder must exist'),
    keep: z.number().int().min(1).max(1_000).default(7).describe('Number of backups to keep'),
  })
  .describe('Scheduled backups of the store');

/** `path` is the default file. */
export const storeSchema = (path = './data/proxywatch.db') =>
  z
    .strictObject({
      path: relativePath().prefault(path).describe('SQLite file with all data that must outlive a restart'),
      retention: retentionSchema.prefault({}),
      backup: backupSchema.optional(),
    })
    .prefault({})
    .describe('The store and its history');

/** `listen` is the default address. */
export const serverSchema = (listen = '127.0.0.1:9876') =>
  z
    .strictObject({
      listen: listenAddress().prefault(listen).describe('Listen address of the HTTP server'),
      web_config_file: relativePath()
        .optional()
        .describe('File with TLS, client certificates and passwords, in the format of Prometheus exporters'),
      readers: z
        .array(z.string())
        .prefault([])
        .describe(
          'Users of web_config_file that may see everything, and add or remove no silence, probe nothing and reload nothing',
        ),
      public: publicPages,
      external_url: httpUrl()
        .optional()
        .describe(
          'Address of the status page in your browser. Notifications link to this address. The default is the address of this shard in shards, otherwise the address at which the daemon listens',
        ),
      allowed_hosts: z
        .array(hostName())
        .prefault([])
        .describe(
          'Names under which clients may request this server, in addition to localhost and the hosts of external_url and of this shard in shards',
        ),
      shards: z
        .array(httpUrl())
        .prefault([])
        .describe(
          'Addresses of the status pages of all shards, from shard 0. Each page links to the others, and sends browsers to the shard of the account that they ask for',
        ),
    })
    .prefault({})
    .describe('The HTTP server');
