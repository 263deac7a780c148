// Checks users and passwords. bcrypt is slow on purpose, so verified passwords are recognized by a digest.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { compare } from 'bcrypt';
import type { Secret } from '../../lib/secret.ts';

export class BasicAuth {
  readonly #hashes: ReadonlyMap<string, Secret>;
  /** Is compared with the password of an unknown user, so that the response time does not reveal which users exist. */
  readonly #decoyHash: string;
  /** This key is never stored, and without it a digest reveals nothing about its password. */
  readonly #key = randomBytes(32);
  readonly #verified = new Map<string, Buffer>();
  #last: Promise<unknown> = Promise.resolve();

  /** `hashes` are bcrypt hashes by user name, at least one. */
  constructor(hashes: ReadonlyMap<string, Secret>) {
    this.#hashes = hashes;
    const [mostExpensive = ''] = [...hashes.values()].map((hash) => hash.reveal()).sort(byCost);
    this.#decoyHash = mostExpensive;
  }

  /** Whether the Authorization header has the name and password of a user. */
  async isAuthorized(authorization: string | undefined): Promise<boolean> {
    const credentials = credentialsIn(authorization);
    if (!credentials) return false;
    const { user, password } = credentials;
    const digest = createHmac('sha256', this.#key).update(password).digest();
    const known = this.#verified.get(user);
    if (known && timingSafeEqual(known, digest)) return true;
    const hash = this.#hashes.get(user);
    const matches = await this.#oneAtATime(() =>
      compare(password, toLibraryFormat(hash?.reveal() ?? this.#decoyHash)),
    );
    if (!hash || !matches) return false;
    this.#verified.set(user, digest);
    return true;
  }

  /** Compares one password at a time, on a thread of Node's pool, so that many guesses leave other threads and cores free. */
  #oneAtATime(work: () => Promise<boolean>): Promise<boolean> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

const credentialsIn = (authorization = ''): { user: string; password: string } | undefined => {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const [user = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':');
  return rest.length > 0 ? { user, password: rest.join(':') } : undefined;
};

const costOf = (hash: string): number => Number(hash.slice(4, 6));

const byCost = (one: string, other: string): number => costOf(other) - costOf(one);

/** Replaces the prefix 2y of htpasswd with 2b, the library's name of the same algorithm. */
const toLibraryFormat = (hash: string): string => hash.replace(/^\$2y/, '$2b');
