// Checks users and passwords. bcrypt is slow on purpose, so known passwords are recognized by a digest.

import { createHmac, randomBytes } from 'node:crypto';
import type { Secret } from '../../lib/secret.ts';
import { ComparisonQueue } from './comparison-queue.ts';

/** Seconds that a common CPU needs at cost 10. Each step of the cost doubles the time. */
const SECONDS_AT_10 = 0.09;

/** Returns the binary logarithm of the number of rounds. */
export const costOf = (hash: string): number => Number(hash.slice(4, 6));

export const mostExpensiveOf = (hashes: readonly string[]): string | undefined =>
  hashes.toSorted((one, other) => costOf(other) - costOf(one))[0];

/** Returns a rounded text such as `6 seconds` or `26 hours`. */
export const describeTimeAt = (cost: number): string => {
  const seconds = SECONDS_AT_10 * 2 ** (cost - 10);
  if (seconds < 120) return `${Math.round(seconds)} seconds`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
};

/** A busy answer means that too many passwords wait for their comparison. */
export type Verdict = 'authorized' | 'rejected' | 'busy';

/** bcrypt hashes by user name. */
export type Users = ReadonlyMap<string, Secret>;

/** A browser opens about six connections, which share one comparison. More than a few others are guesses. */
const QUEUE_CAPACITY = 8;
/** Programs with an old password ask again and again. */
const REMEMBERED_REJECTIONS = 100;

export class BasicAuth {
  /** This key is never stored, and without it a digest reveals nothing about its password. */
  readonly #key = randomBytes(32);
  /** By user, digests of the user, hash and password. So after a reload, those of unchanged users still match. */
  readonly #verified = new Map<string, string>();
  readonly #rejected = new Set<string>();
  readonly #queue = new ComparisonQueue(QUEUE_CAPACITY);

  /** Checks the name and password in the Authorization header. `gone` aborts when nobody waits for the answer. */
  async check(users: Users, authorization: string | undefined, gone: AbortSignal): Promise<Verdict> {
    const credentials = credentialsIn(authorization);
    if (!credentials) return 'rejected';
    const { user, password } = credentials;
    const hash = users.get(user)?.reveal();
    const digest = this.#digestOf(user, hash ?? '', password);
    if (this.#verified.get(user) === digest) return 'authorized';
    if (this.#rejected.has(digest)) return 'rejected';
    const matches = await this.#queue.compare(digest, password, hash ?? decoyOf(users), gone);
    if (matches === 'full') return 'busy';
    if (matches === 'dropped') return 'rejected';
    return this.#remember(user, digest, hash !== undefined && matches);
  }

  #digestOf(user: string, hash: string, password: string): string {
    const text = JSON.stringify([user, hash, password]);
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }

  #remember(user: string, digest: string, isCorrect: boolean): Verdict {
    if (isCorrect) this.#verified.set(user, digest);
    else this.#rejected.add(digest);
    const [oldest = ''] = this.#rejected;
    if (this.#rejected.size > REMEMBERED_REJECTIONS) this.#rejected.delete(oldest);
    return isCorrect ? 'authorized' : 'rejected';
  }
}

/** Returns the hash for unknown users: the most expensive, so that the response time does not reveal which users exist. */
const decoyOf = (users: Users): string =>
  mostExpensiveOf([...users.values()].map((hash) => hash.reveal())) ?? '';

/** Returns the name that the header has, which is that of a user only if the header is authorized. */
export const userIn = (authorization: string | undefined): string | undefined =>
  credentialsIn(authorization)?.user;

const credentialsIn = (authorization = ''): { user: string; password: string } | undefined => {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const [user = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':');
  return rest.length > 0 ? { user, password: rest.join(':') } : undefined;
};
