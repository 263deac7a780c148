// Reads web.yml and the files that it names.

import { ConfigError, type Mistake } from '../../config/config-error.ts';
import { type LoadedConfig, loadForeignConfig } from '../../config/load.ts';
import type { Secret } from '../../lib/secret.ts';
import { contradictionsIn, type Finding, warningsAbout } from './findings.ts';
import { type WebSettings, webConfigSchema } from './schema.ts';
import { isTlsOn, readTls, type ServerTls, tlsFilesOf } from './tls.ts';

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
  const { tls_server_config: settings, rate_limit } = config;
  const isOn = settings !== undefined && isTlsOn(settings);
  const mistakes: Finding[] = isOn ? contradictionsIn(settings, config.http_server_config.http2) : [];
  const unread: Finding[] = [];
  const tls = isOn ? readTls(settings, unread) : undefined;
  if (unread.length + mistakes.length > 0) throw new ConfigError(located([...unread, ...mistakes]));
  const { interval, burst } = rate_limit;
  return {
    tls: tls ?? null,
    users: new Map(Object.entries(config.basic_auth_users)),
    headers: config.http_server_config.headers as Readonly<Record<string, string>>,
    rateLimit: interval.ms === 0 ? null : { intervalMs: interval.ms, burst },
    warnings: located([...(tls?.warnings ?? []), ...warningsAbout(config, isOn)]),
  };
};

const byLocation = (a: Mistake, b: Mistake): number => a.line - b.line || a.column - b.column;

/** Throws ConfigError. */
export const loadWebConfig = (file: string): WebConfig => webConfigOf(readWebSource(file));
