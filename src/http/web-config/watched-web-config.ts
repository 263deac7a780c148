// Holds the current web.yml: checks it at each connection and request, and reads it again after a change.

import { ConfigError, describeMistake } from '../../config/config-error.ts';
import { fingerprintOf } from '../../config/files.ts';
import type { Log } from '../../lib/log.ts';
import { readWebSource, type WebConfig, webConfigOf } from './load.ts';
import type { ServerTls } from './tls.ts';

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
