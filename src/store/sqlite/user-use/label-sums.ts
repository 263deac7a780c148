// Adds up the use of users by the value of a label from their metadata.

import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { LabelUse, UsedBytes, UsersUse } from '../../user-use-store.ts';
import { NO_BYTES } from './use-rows.ts';

/** The keys of a user's metadata that were listed when it was read. A value is null if the user has none. */
export type UserMetadata = Readonly<Record<string, string | null>>;

/** Each value can make a group, so the others are one part. */
const MOST_VALUES = 20;

export class LabelSums {
  readonly #label: string;
  readonly #types: readonly MeteredType[];
  readonly #byValue = new Map<string, Part>();
  readonly #notSet = new Part();
  readonly #unknown = new Part();

  constructor(label: string, types: readonly MeteredType[]) {
    this.#label = label;
    this.#types = types;
  }

  /** `metadata` is undefined if it was not read. An empty text is no value, as in the metrics. */
  add(bytes: UsedBytes, metadata: UserMetadata | undefined): void {
    this.#partOf(metadata).add({ users: Number(this.#sizeOf(bytes) > 0), bytes });
  }

  result(): LabelUse {
    const values = [...this.#byValue]
      .map(([value, { use }]) => ({ value, ...use }))
      .sort(
        (one, other) =>
          this.#sizeOf(other.bytes) - this.#sizeOf(one.bytes) || (one.value < other.value ? -1 : 1),
      );
    const rest = values.slice(MOST_VALUES);
    const others = new Part();
    for (const use of rest) others.add(use);
    return {
      label: this.#label,
      values: values.slice(0, MOST_VALUES),
      others: { values: rest.length, ...others.use },
      notSet: this.#notSet.use,
      unknown: this.#unknown.use,
    };
  }

  #partOf(metadata: UserMetadata | undefined): Part {
    if (!metadata || !Object.hasOwn(metadata, this.#label)) return this.#unknown;
    const value = metadata[this.#label];
    if (!value) return this.#notSet;
    const part = this.#byValue.get(value) ?? new Part();
    this.#byValue.set(value, part);
    return part;
  }

  #sizeOf(bytes: UsedBytes): number {
    return this.#types.reduce((sum, type) => sum + bytes[type], 0);
  }
}

class Part {
  readonly #bytes = { ...NO_BYTES };
  #users = 0;

  add({ users, bytes }: UsersUse): void {
    this.#users += users;
    for (const type of METERED_TYPES) this.#bytes[type] += bytes[type];
  }

  get use(): UsersUse {
    return { users: this.#users, bytes: { ...this.#bytes } };
  }
}
