// Reads web.yml and the files that it names.

import { ConfigError, type Mistake } from '../../config/config-error.ts';
import { type LoadedConfig, loadForeignConfig } from '../../config/load.ts';
import type { Secret } from '../../lib/secret.ts';
import type { TlsMistake } from './pem.ts';
import { contradictionsIn, type Finding } from './rules.ts';
import { type WebSettings, webConfigSchema } from './schema.ts';
import { isTlsOn, readTls, type ServerTls, tlsFilesOf } from './tls.ts';
import { warningsAbout } from './warnings.ts';

export interface WebConfig {
  /** Null for plain HTTP. */
  readonly tls: ServerTls | null;
  /** bcrypt hashes by user name. If there are none, no password is required. */
  readonly users: ReadonlyMap<string, Secret>;
  /** The headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null if requests are not limited. */
  readonly rateLimit: RateLimit | null;
  /** Settings that are in effect as they are, but may not do what the reader expects. */
  readonly warnings: readonly Mistake[];
}

export interface RateLimit {
  /** Time after which one more request is allowed (ms). */
  readonly intervalMs: number;
  /** The number of requests that are allowed at once. */
  readonly burst: number;
}

export interface WebSource {
  readonly loaded: LoadedConfig<WebSettings>;
  /** The absolute paths of the files that it names. */
  readonly files: readonly string[];
}

/** Reads web.yml without the files that it names. Throws ConfigError with every mistake of the file itself. */
export const readWebSource = (file: string): WebSource => {
  const loaded = loadForeignConfig(file, webConfigSchema);
  const tls = loaded.config.tls_server_config;
  return { loaded, files: tls ? tlsFilesOf(tls) : [] };
};

/** Reads the certificates and keys that web.yml names. Throws ConfigError with every mistake in them. */
export const webConfigOf = ({ loaded }: WebSource): WebConfig => {
  const { config, mistakeAt } = loaded;
  const located = (findings: readonly Finding[]) =>
    findings.map(({ path, message }) => mistakeAt(path, message)).toSorted(byLocation);
  const { tls, mistakes } = tlsOf(config);
  if (mistakes.length > 0) throw new ConfigError(located(mistakes));
  const { interval, burst } = config.rate_limit;
  return {
    tls,
    users: new Map(Object.entries(config.basic_auth_users)),
    headers: config.http_server_config.headers as Readonly<Record<string, string>>,
    rateLimit: interval.ms === 0 ? null : { intervalMs: interval.ms, burst },
    warnings: located([...(tls?.warnings ?? []).map(findingOf), ...warningsAbout(config)]),
  };
};

const tlsOf = (config: WebSettings): { tls: ServerTls | null; mistakes: readonly Finding[] } => {
  const {
    tls_server_config: settings,
    http_server_config: { http2 },
  } = config;
  if (!settings || !isTlsOn(settings)) return { tls: null, mistakes: [] };
  const read = readTls(settings);
  const isRead = 'context' in read;
  const unread = isRead
    ? []
    : read.map(({ key, message }) => ({ path: ['tls_server_config', key], message }));
  return { tls: isRead ? read : null, mistakes: [...unread, ...contradictionsIn(settings, http2)] };
};

const findingOf = ({ key, message }: TlsMistake): Finding => ({ path: ['tls_server_config', key], message });

const byLocation = (a: Mistake, b: Mistake): number => a.line - b.line || a.column - b.column;

/** Throws ConfigError. */
export const loadWebConfig = (file: string): WebConfig => webConfigOf(readWebSource(file));
