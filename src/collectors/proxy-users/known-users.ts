// Recognizes users that an answer gives as they are stored, so that a quiet poll neither reads nor writes their rows.

import type { IdSet } from '../../lib/sorted.ts';
import type { UserObservation, UserQuota } from '../../store/user-store.ts';

/** The numbers of a user: limit and use of both quotas, and two hashes of everything else. */
const NUMBERS = 6;

/** From this share of changed users on, it costs less to render all users than those that changed. */
const MANY = 1 / 8;

/** Knows the stored values of users for which storing the same changes nothing, as numbers in one array for 100,000 users. */
export class KnownUsers {
  readonly #places = new Map<string, number>();
  readonly #freePlaces: number[] = [];
  #numbers = new Float64Array(64 * NUMBERS);
  readonly #given = new Float64Array(NUMBERS);
  /** The ids of users that changed since they were taken; undefined if they are too many, or if nobody takes them. */
  #changes: Set<string> | undefined;

  changedOf(users: readonly UserObservation[]): UserObservation[] {
    return users.filter((user) => !this.#isSame(user));
  }

  isKnown(id: string): boolean {
    return this.#places.has(id);
  }

  /** Returns the ids of the users that may have changed since the last call; undefined if they are many, or unknown. */
  takeChanges(): ReadonlySet<string> | undefined {
    const changes = this.#changes;
    this.#changes = new Set();
    return changes;
  }

  /** Knows those of these stored users that are settled, and forgets the others. */
  stored(users: readonly UserObservation[], settledIds: ReadonlySet<string>): void {
    for (const user of users) {
      if (settledIds.has(user.id)) this.#remember(user);
      else this.#forget(user.id);
      this.mayHaveChanged(user.id);
    }
  }

  mayHaveChanged(id: string): void {
    this.#changes?.add(id);
    if (Number(this.#changes?.size) > MANY * this.#places.size) this.#changes = undefined;
  }

  keepOnly(ids: IdSet): void {
    for (const id of this.#places.keys()) if (!ids.has(id)) this.#forget(id);
  }

  #isSame(user: UserObservation): boolean {
    const place = this.#places.get(user.id);
    if (place === undefined) return false;
    numbersOf(user, this.#given);
    for (let index = 0; index < NUMBERS; index += 1)
      if (this.#given[index] !== this.#numbers[place * NUMBERS + index]) return false;
    return true;
  }

  #remember(user: UserObservation): void {
    const place = this.#places.get(user.id) ?? this.#freePlaces.pop() ?? this.#places.size;
    if (place * NUMBERS === this.#numbers.length) this.#grow();
    numbersOf(user, this.#given);
    this.#numbers.set(this.#given, place * NUMBERS);
    this.#places.set(user.id, place);
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#numbers.length);
    larger.set(this.#numbers);
    this.#numbers = larger;
  }

  #forget(id: string): void {
    const place = this.#places.get(id);
    if (place !== undefined) this.#freePlaces.push(place);
    this.#places.delete(id);
    this.mayHaveChanged(id);
  }
}

/** Stand for values that are not bytes, which are never below 0. */
const [NULL, NOT_GIVEN] = [-1, -2];

const numbersOf = (user: UserObservation, numbers: Float64Array): void => {
  const { residential, mobile } = user.quotas;
  numbers[0] = limitOf(residential);
  numbers[1] = residential.usedBytes ?? NULL;
  numbers[2] = limitOf(mobile);
  numbers[3] = mobile.usedBytes ?? NULL;
  numbers[4] = hashOf(user, 0x9e3779b1);
  numbers[5] = hashOf(user, 0x85ebca6b);
};

const limitOf = ({ limitBytes }: UserQuota): number =>
  limitBytes === undefined ? NOT_GIVEN : (limitBytes ?? NULL);

/** Returns a hash of 32 bits of all values but the quotas. SHA-256 would take ten times as long. */
const hashOf = (user: UserObservation, factor: number): number => {
  const { details } = user;
  let hash = mixed(0, flagsOf(user), factor);
  hash = withValue(hash, user.accessType, factor);
  hash = withValue(hash, details.createdAt, factor);
  hash = withValue(hash, details.updatedAt, factor);
  hash = withValue(hash, details.addressLimit, factor);
  hash = withValue(hash, details.addresses, factor);
  hash = withValue(hash, details.restrictedProxies, factor);
  hash = withValue(hash, details.restrictedServices, factor);
  return details.metadata ? withValue(hash, JSON.stringify(details.metadata), factor) : hash;
};

/** A number counts with all its digits, because `mixed` keeps only 32 bits. */
const withValue = (start: number, value: string | number | null, factor: number): number => {
  const text = value === null ? '\0' : String(value);
  let hash = mixed(start, text.length, factor);
  for (let index = 0; index < text.length; index += 1) hash = mixed(hash, text.charCodeAt(index), factor);
  return hash;
};

const mixed = (hash: number, value: number, factor: number): number => {
  const product = Math.imul(hash ^ value, factor);
  return product ^ (product >>> 15);
};

const flagsOf = ({ isDefault, isDeleted, strictSecurity, enforceHttps }: UserObservation): number =>
  Number(isDefault) + 2 * Number(isDeleted) + 4 * Number(strictSecurity) + 8 * Number(enforceHttps);
