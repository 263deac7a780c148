// web.yml as it is now: looked at whenever somebody connects or asks, and read again when it has changed.

import { ConfigError, describeMistake } from '../../config/config-error.ts';
import { stampOf } from '../../config/file-stamp.ts';
import type { Log } from '../../lib/log.ts';
import { asksForCertificate } from './client-certificate.ts';
import { readWebSource, type WebConfig, webConfigOf } from './load.ts';

const KEPT = 'the web configuration was not read again; the old one goes on';

export class WatchedWebConfig {
  readonly #file: string;
  readonly #log: Log;
  /** Of web.yml and the files that it names. */
  #stamps: ReadonlyMap<string, string> = new Map();
  #present: WebConfig;

  /** Throws ConfigError with every mistake. */
  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
    this.#present = this.#read();
  }

  /** The same object until something has changed; what is not sound changes nothing, and is told once. */
  present(): WebConfig {
    if ([...this.#stamps].every(([file, stamp]) => stampIfAny(file) === stamp)) return this.#present;
    try {
      this.#replace(this.#read());
    } catch (error) {
      const mistakes = error instanceof ConfigError ? error.mistakes.map(describeMistake) : [String(error)];
      this.#log.error({ mistakes }, KEPT);
    }
    return this.#present;
  }

  #replace(next: WebConfig): void {
    const fixed = changeOfServer(this.#present, next);
    if (fixed === undefined) {
      this.#present = next;
      this.#log.info({ file: this.#file }, 'the web configuration was read again');
    } else {
      this.#log.error({ mistakes: [`${this.#file}: ${fixed} waits for a restart`] }, KEPT);
    }
  }

  #read(): WebConfig {
    // Stamped before it is read: a change in between shows as one more change, and is not missed.
    const stamps = new Map([[this.#file, stampIfAny(this.#file)]]);
    this.#stamps = stamps;
    const source = readWebSource(this.#file);
    for (const file of source.files) stamps.set(file, stampIfAny(file));
    return webConfigOf(source);
  }
}

/** What a server is made with once. */
const changeOfServer = ({ tls: before }: WebConfig, { tls: after }: WebConfig): string | undefined => {
  if (!before !== !after) return `turning TLS ${after ? 'on' : 'off'}`;
  return before && after && asksForCertificate(before) !== asksForCertificate(after)
    ? 'asking for client certificates or not'
    : undefined;
};

/** Empty for a file that is gone. */
const stampIfAny = (file: string): string => {
  try {
    return stampOf(file);
  } catch {
    return '';
  }
};
