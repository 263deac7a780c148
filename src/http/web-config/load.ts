// Reads web.yml and the files that it names, and reads them again after a change.

import { ConfigError, describeMistake, type Mistake } from '../../config/config-error.ts';
import { fingerprintOf } from '../../config/files.ts';
import { type LoadedConfig, loadForeignConfig } from '../../config/load.ts';
import type { Log } from '../../lib/log.ts';
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

const NOT_RELOADED =
  'proxywatch could not reload the web configuration; the old web configuration stays in effect';

export class WatchedWebConfig {
  readonly #file: string;
  readonly #log: Log;
  /** Fingerprints of web.yml and the files that it names. */
  #fingerprints: ReadonlyMap<string, string> = new Map();
  #current: WebConfig;

  /** Throws ConfigError with every mistake. */
  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
    this.#current = this.#read();
  }

  /** Returns the same object until a file has changed. An invalid file changes nothing and is logged once. */
  current(): WebConfig {
    const known = [...this.#fingerprints];
    if (known.every(([file, fingerprint]) => fingerprintOrEmpty(file) === fingerprint)) return this.#current;
    try {
      this.#replace(this.#read());
    } catch (error) {
      const mistakes = error instanceof ConfigError ? error.mistakes.map(describeMistake) : [String(error)];
      this.#log.error({ mistakes }, NOT_RELOADED);
    }
    return this.#current;
  }

  #replace(next: WebConfig): void {
    const restartReason = changeForRestart(this.#current, next);
    if (restartReason === undefined) {
      this.#current = next;
      this.#log.info({ file: this.#file }, 'proxywatch reloaded the web configuration');
      for (const warning of next.warnings) {
        this.#log.warn({ setting: warning.path }, describeMistake(warning));
      }
    } else {
      this.#log.error(
        { mistakes: [`${this.#file}: ${restartReason} takes effect after a restart`] },
        NOT_RELOADED,
      );
    }
  }

  #read(): WebConfig {
    // The fingerprint is taken before the file is read, so that a change in between causes one more read.
    const fingerprints = new Map([[this.#file, fingerprintOrEmpty(this.#file)]]);
    this.#fingerprints = fingerprints;
    const source = readWebSource(this.#file);
    for (const file of source.files) fingerprints.set(file, fingerprintOrEmpty(file));
    return webConfigOf(source);
  }
}

/** Returns the change that a running server cannot apply, if any. */
const changeForRestart = ({ tls: before }: WebConfig, { tls: after }: WebConfig): string | undefined => {
  if (!before !== !after) return `turning TLS ${after ? 'on' : 'off'}`;
  return before && after && requestsCertificate(before) !== requestsCertificate(after)
    ? 'a change of whether clients need a certificate'
    : undefined;
};

export const requestsCertificate = ({ clientAuth }: ServerTls): boolean => clientAuth !== 'NoClientCert';

/** Returns an empty text for a missing file. */
const fingerprintOrEmpty = (file: string): string => {
  try {
    return fingerprintOf(file);
  } catch {
    return '';
  }
};
