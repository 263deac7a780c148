// Users and passwords: bcrypt is slow on purpose, so who was let in once is known by a digest.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { compare } from 'bcrypt';
import type { Secret } from '../../lib/secret.ts';

export class BasicAuth {
  readonly #hashes: ReadonlyMap<string, Secret>;
  /** Compared with where there is no such user, so that time does not tell who there is. */
  readonly #decoy: string;
  /** Without this key, which is never written anywhere, a digest says nothing of its password. */
  readonly #key = randomBytes(32);
  readonly #letIn = new Map<string, Buffer>();
  #last: Promise<unknown> = Promise.resolve();

  /** bcrypt hashes by user name, at least one. */
  constructor(hashes: ReadonlyMap<string, Secret>) {
    this.#hashes = hashes;
    const [dearest = ''] = [...hashes.values()].map((hash) => hash.reveal()).sort(byCost);
    this.#decoy = dearest;
  }

  /** Whether the header Authorization has a user's name and password. */
  async permits(authorization: string | undefined): Promise<boolean> {
    const credentials = credentialsIn(authorization);
    if (!credentials) return false;
    const { user, password } = credentials;
    const digest = createHmac('sha256', this.#key).update(password).digest();
    const known = this.#letIn.get(user);
    if (known && timingSafeEqual(known, digest)) return true;
    const hash = this.#hashes.get(user);
    const matches = await this.#inTurn(() => compare(password, forLibrary(hash?.reveal() ?? this.#decoy)));
    if (!hash || !matches) return false;
    this.#letIn.set(user, digest);
    return true;
  }

  /** One comparison at a time, on a thread of Node's pool: guesses of a crowd leave the other threads and cores free. */
  #inTurn(work: () => Promise<boolean>): Promise<boolean> {
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

/** What htpasswd calls 2y is 2b to the library: they are the same. */
const forLibrary = (hash: string): string => hash.replace(/^\$2y/, '$2b');
