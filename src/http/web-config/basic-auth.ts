// Checks users and passwords. bcrypt is slow on purpose, so known passwords are recognized by a digest, and others are compared one
// after another, on their own thread. The queue is bounded, and a comparison that no client waits for is dropped.

import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Secret } from '../../lib/secret.ts';

/** Whether the password matches the hash, or why that is unknown. */
export type Comparison = boolean | 'full' | 'dropped';

interface Turn {
  readonly result: Promise<Comparison>;
  readonly dropped: AbortController;
  clients: number;
}

export class ComparisonQueue {
  readonly #capacity: number;
  readonly #thread = new BcryptThread();
  /** In their order; the first one's password is being compared. */
  readonly #turns = new Map<string, Turn>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Requests with the same `key` share one turn. It is dropped when all of them are `gone`. Rejects if the thread fails. */
  async compare(key: string, password: string, hash: string, gone: AbortSignal): Promise<Comparison> {
    if (gone.aborted) return 'dropped';
    const known = this.#turns.get(key);
    if (!known && this.#turns.size >= this.#capacity) return 'full';
    const turn = known ?? this.#add(key, password, hash);
    turn.clients += 1;
    const leave = (): void => {
      turn.clients -= 1;
      if (turn.clients === 0) this.#drop(key, turn);
    };
    gone.addEventListener('abort', leave, { once: true });
    try {
      return await turn.result;
    } finally {
      gone.removeEventListener('abort', leave);
    }
  }

  #add(key: string, password: string, hash: string): Turn {
    const dropped = new AbortController();
    const { signal } = dropped;
    const compared = this.#last.then(() => this.#thread.compare(password, hash, signal));
    const result = compared.catch((error): Comparison => {
      if (signal.aborted) return 'dropped';
      throw error;
    });
    const turn = { result, dropped, clients: 0 };
    this.#turns.set(key, turn);
    this.#last = result.catch(() => {}).finally(() => this.#remove(key, turn));
    return turn;
  }

  #drop(key: string, turn: Turn): void {
    turn.dropped.abort();
    this.#remove(key, turn);
  }

  #remove(key: string, turn: Turn): void {
    if (this.#turns.get(key) === turn) this.#turns.delete(key);
    if (this.#turns.size === 0) this.#thread.end();
  }
}

/** The worker is TypeScript in a checkout, and JavaScript in the package. */
const WORKER = new URL(`./bcrypt-worker${extname(import.meta.url)}`, import.meta.url);

/** Exists only while passwords wait, because a thread needs about 10 MB. */
class BcryptThread {
  #worker: Worker | undefined;

  /** Call it again only after the last call has ended. An abort ends the comparison, and rejects. */
  async compare(password: string, hash: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    this.#worker ??= startWorker();
    this.#worker.postMessage({ password, hash });
    try {
      const [matches] = await once(this.#worker, 'message', { signal });
      return matches;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}

const startWorker = (): Worker => {
  const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: 16 } });
  // It must not delay the end of the process, nor end it by an error that nobody waits for.
  worker.unref();
  worker.on('error', () => {});
  return worker;
};

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
