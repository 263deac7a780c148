// Splits amounts, such as the bytes of proxy users, by the value of a label from the metadata of what has them.

/** The amounts by the values of a label. The parts add up to all that was added. */
export interface LabelParts<T> {
  readonly label: string;
  /** The largest values, the largest first. */
  readonly values: readonly (T & { readonly value: string })[];
  readonly others: T & { readonly values: number };
  /** Of what has no value of the key. */
  readonly notSet: T;
  /** Of what has metadata that has not been read since the key was listed. */
  readonly unknown: T;
}

/** The keys of metadata that were listed when it was read. A value is null if the metadata does not have the key. */
export type Metadata = Readonly<Record<string, string | null>>;

interface Amounts<T> {
  readonly none: T;
  readonly sum: (one: T, other: T) => T;
  /** Decides which values are the largest. */
  readonly sizeOf: (amounts: T) => number;
}

/** Each value can make a group, so the others are one part. */
const MOST_VALUES = 20;

export class LabelSums<T extends object> {
  readonly #label: string;
  readonly #amounts: Amounts<T>;
  readonly #byValue = new Map<string, T>();
  #notSet: T;
  #unknown: T;

  constructor(label: string, amounts: Amounts<T>) {
    this.#label = label;
    this.#amounts = amounts;
    this.#notSet = amounts.none;
    this.#unknown = amounts.none;
  }

  /** `metadata` is missing if it was not read. An empty text is no value, as in the metrics. */
  add(amounts: T, metadata: Metadata | null | undefined): void {
    const { none, sum } = this.#amounts;
    if (!metadata || !Object.hasOwn(metadata, this.#label)) this.#unknown = sum(this.#unknown, amounts);
    else {
      const value = metadata[this.#label];
      if (value) this.#byValue.set(value, sum(this.#byValue.get(value) ?? none, amounts));
      else this.#notSet = sum(this.#notSet, amounts);
    }
  }

  result(): LabelParts<T> {
    const { none, sum, sizeOf } = this.#amounts;
    const values = [...this.#byValue]
      .map(([value, amounts]) => ({ ...amounts, value }))
      .sort((one, other) => sizeOf(other) - sizeOf(one) || (one.value < other.value ? -1 : 1));
    const rest = values.slice(MOST_VALUES);
    return {
      label: this.#label,
      values: values.slice(0, MOST_VALUES),
      others: { ...rest.reduce<T>(sum, none), values: rest.length },
      notSet: this.#notSet,
      unknown: this.#unknown,
    };
  }
}
