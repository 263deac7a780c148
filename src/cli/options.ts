// Defines the options that commands share, and parses them. An InvalidArgumentError is printed with the name of the option.

import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { closestMatch } from '../config/closest-match.ts';
import { parseDuration } from '../config/duration.ts';
import { EXPECTED_LISTEN_ADDRESS, type ListenAddress, parseListenAddress } from '../config/network.ts';
import type { Settings } from '../daemon/settings.ts';
import { EXPECTED_SHARD, parseShard } from '../daemon/shards/shard.ts';
import { MONTH_NAME } from '../lib/calendar.ts';
import { instantOf, parseLocal } from '../provider/time.ts';
import type { CommandContext } from './context.ts';

export const required = <T>(flags: string, description: string, parse?: (text: string) => T): Option =>
  optional(flags, description, parse).makeOptionMandatory();

export const optional = <T>(flags: string, description: string, parse?: (text: string) => T): Option => {
  const option = new Option(flags, description);
  return parse ? option.argParser(parse) : option;
};

export const DEFAULT_CONFIG = './config.yaml';

export const configOption = (): Option =>
  optional('--config <file>', 'configuration file (YAML)').default(DEFAULT_CONFIG);

/** The address of the demo unless another one is given. */
export const DEMO_ADDRESS = '127.0.0.1:9876';

export const listenOption = (address: string): Option =>
  optional('--listen <address>', 'address to serve on', parseAddress).default(parseAddress(address), address);

const parseAddress = (text: string): ListenAddress => {
  const address = parseListenAddress(text);
  if (!address) throw new InvalidArgumentError(`Expected ${EXPECTED_LISTEN_ADDRESS}.`);
  return address;
};

export const parseDate = (text: string): string => {
  if (text.length !== 10 || parseLocal(text) === undefined) {
    throw new InvalidArgumentError('Expected a date such as 2026-07-05.');
  }
  return text;
};

export const parseMonth = (text: string): string => {
  if (!MONTH_NAME.test(text)) throw new InvalidArgumentError('Expected a month such as 2026-07.');
  return text;
};

/** Returns the instant (ms) that the option means for an account with this time zone. */
export type InstantInZone = (zone: string) => number;

/** Describes what parseInstant accepts. */
export const EXPECTED_INSTANT =
  'a date (2026-07-01), an instant (2026-07-01T12:00:00+02:00), or a duration before now (30d)';

const datetime = z.iso.datetime({ offset: true });

/** Accepts dates, RFC 3339, and durations before now. */
export const parseInstant = (text: string): InstantInZone => {
  const local = z.iso.date().safeParse(text).success ? parseLocal(text) : undefined;
  if (local !== undefined) return (zone) => instantOf(local, zone);
  const ago = parseDuration(text);
  const at = ago !== undefined ? Date.now() - ago : Date.parse(text);
  if (ago !== undefined || datetime.safeParse(text).success) return () => at;
  throw new InvalidArgumentError(
    `Expected ${EXPECTED_INSTANT}. A date means midnight in the time_zone of the account.`,
  );
};

export interface ShardOption {
  /** As `I/N`. */
  readonly shard?: string;
}

/** For a command that uses the accounts of one shard. Without the option, the environment variable decides. */
export const shardOption = (): Option =>
  optional(
    '--shard <I/N>',
    'only the accounts of shard I of N shards, from 0 (default: $PROXYWATCH_SHARD)',
    (text) => {
      if (parseShard(text)) return text;
      throw new InvalidArgumentError(`Expected ${EXPECTED_SHARD}.`);
    },
  );

export const withShard = (env: CommandContext['env'], { shard }: ShardOption): CommandContext['env'] =>
  shard === undefined ? env : { ...env, PROXYWATCH_SHARD: shard };

/** Returns the environment for a command that is about the accounts of all shards. */
export const withAllShards = (env: CommandContext['env']): CommandContext['env'] => ({
  ...env,
  PROXYWATCH_SHARD: undefined,
});

/** Returns which accounts a command uses, such as `shard 1 of 3: main, shop`; undefined if it uses all of them. */
export const shardText = ({ accounts, sharding }: Settings): string | undefined => {
  if (!sharding || sharding.count === 1) return undefined;
  const shard = `shard ${sharding.index} of ${sharding.count}`;
  return accounts.length === 0
    ? `${shard} has no accounts`
    : `${shard}: ${accounts.map(({ name }) => name).join(', ')}`;
};

/** Returns what is wrong with the name of a receiver; undefined if there is one of this name. */
export const mistakeInReceiver = (
  receivers: readonly { readonly name: string }[],
  setting: 'alerts.receivers' | 'remote_write',
  name = '',
): string | undefined => {
  const kind = setting === 'remote_write' ? ' of remote write' : '';
  const names = receivers.map((receiver) => receiver.name);
  if (names.length === 0) return `the configuration has no receivers${kind}. Add a receiver to ${setting}`;
  if (names.includes(name)) return undefined;
  const suggestion = closestMatch(name, names);
  const hint =
    suggestion === undefined
      ? `. The receivers are called ${names.join(', ')}`
      : `; did you mean ${suggestion}?`;
  return `no receiver${kind} is called ${name}${hint}`;
};

/** The options of every command that asks a running daemon. Passwords are in files, because others can list arguments. */
export const daemonOptions = (): Option[] => [
  optional('--url <url>', 'address of the daemon').default('http://127.0.0.1:9876').env('PROXYWATCH_URL'),
  optional('--user <name>', 'user name, if web.yml demands one').env('PROXYWATCH_USER'),
  optional('--password-file <file>', 'file that contains the password of the user').env(
    'PROXYWATCH_PASSWORD_FILE',
  ),
  optional('--bearer-token-file <file>', 'file that contains a token for a reverse proxy'),
  optional(
    '--ca-file <file>',
    'certificate (PEM) of the authority that issued the certificate of the daemon',
  ).env('PROXYWATCH_CA_FILE'),
  optional('--cert-file <file>', 'client certificate (PEM), if web.yml demands one'),
  optional('--key-file <file>', 'private key (PEM) of the client certificate'),
];

/** What daemonOptions gives. */
export interface ConnectionOptions {
  /** Without a user name and a password. It may have a path, if a reverse proxy serves the daemon below one. */
  readonly url: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly bearerTokenFile?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}
