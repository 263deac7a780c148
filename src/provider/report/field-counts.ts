// Counts how values of a documented field differ from their documentation, and fields that it does not have.

import { DOCUMENTED_ANSWERS, DOCUMENTED_ERROR } from '../documented-answers/documented-answers.ts';
import { fieldsOf, type Shape } from '../documented-answers/shapes.ts';
import type { Json } from './observed-answer.ts';
import { type ObservedType, typeOf } from './value-types.ts';

/** A field whose values differ from its documentation. */
export type FieldJson = NonNullable<ReturnType<FieldCounts['toJson']>>;

export class FieldCounts {
  readonly #otherTypes = new TypeCounter();
  expected = 0;
  missing = 0;
  nulls = 0;
  unknownWords = 0;

  addOtherType(value: unknown): void {
    this.#otherTypes.add(value);
  }

  /** Returns undefined if all values are as documented. */
  toJson(path: string, shape: Shape) {
    if (!this.#isDifferent(shape)) return undefined;
    return {
      path,
      /** The documented type, such as `text or null`. */
      documented: describe(shape),
      /** How often the field was expected. The other numbers count some of these. */
      expected: this.expected,
      missing: this.missing,
      null: this.nulls,
      other_types: this.#otherTypes.toJson(),
      /** Values that are none of the documented words. */
      unknown_words: this.unknownWords,
    };
  }

  #isDifferent({ isNullable, isOptional }: Shape): boolean {
    const hasGaps = (this.missing > 0 && !isOptional) || (this.nulls > 0 && !isNullable);
    return hasGaps || this.unknownWords > 0 || !this.#otherTypes.isEmpty;
  }
}

const describe = (shape: Shape): string => {
  const types = shape.kind === 'value' ? shape.types : [shape.kind];
  return [...types, ...(shape.isNullable ? ['null'] : [])].join(' or ');
};

export type TypeCounts = Partial<Record<ObservedType, number>>;

class TypeCounter {
  /** Most counters of an account stay empty, so they have no map until they count. */
  #counts: Map<ObservedType, number> | undefined;

  get isEmpty(): boolean {
    return !this.#counts;
  }

  add(value: unknown): void {
    const type = typeOf(value);
    this.#counts ??= new Map();
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
  }

  toJson(): TypeCounts {
    return Object.fromEntries(this.#counts ?? []);
  }
}

export type UnknownFieldsJson = NonNullable<ReturnType<UnknownFields['toJson']>>;

const MAX_NAMES = 20;
/** Of an object with more unknown fields, the rest is only counted. It is probably a map whose keys are data. */
const MAX_EXAMINED = 100;

export class UnknownFields {
  readonly #types = new Map<string, TypeCounter>();
  #others = 0;

  observe(object: Json, unknown: readonly string[]): void {
    for (const name of unknown.slice(0, MAX_EXAMINED)) {
      const types = this.#typesOf(safeName(name));
      if (types) types.add(object[name]);
      else this.#others += 1;
    }
    this.#others += Math.max(0, unknown.length - MAX_EXAMINED);
  }

  /** Returns undefined if there were no unknown fields. */
  toJson() {
    if (this.#types.size === 0 && this.#others === 0) return undefined;
    // Fields with equal safe names are counted together.
    const named = [...this.#types].map(([name, types]) => ({ name, types: types.toJson() }));
    return { named, others: this.#others };
  }

  #typesOf(name: string): TypeCounter | undefined {
    const known = this.#types.get(name);
    if (known || this.#types.size === MAX_NAMES) return known;
    const types = new TypeCounter();
    this.#types.set(name, types);
    return types;
  }
}

const FIELD_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Makes a name safe to show, as it may be data: `*` replaces each word that APIs do not use, and what is no field's name. */
export const safeName = (name: string): string =>
  FIELD_NAME.test(name)
    ? name
        .split('_')
        .map((word) => (API_WORDS.has(word) ? word : '*'))
        .join('_')
    : '*';

/** Words that the fields of many APIs have. None of them says anything about a customer. */
const ORDINARY_WORDS = `
  access account active actual additional address after age all allowed amount api applied at attempt
  attempts automatic available average avg balance base before begin billing bytes cancelled category
  charge charged class code config connection content cost count counter created creation current currency
  cursor cycle daily data date datetime day days default deleted description detail details disabled
  discount display domain duration email enabled end ended entries error errors estimated expire expired
  expires expiry external failed fee field fields filter first flag flags for format free from group
  groups has hash header healthy hidden hits host hour hours id ids in index info internal interval
  invoice is item items key kind label language last latency left length level limit limits link links
  list locale location locked log map max maximum mean message messages meta method min minimum minute
  mode model modified month monthly ms name names network new next node note notes number of offset old on
  only option options order origin other owner page pages parent password path paused payment pending per
  percent period permissions plan pool port position price previous primary priority private product
  protocol provider proxy public quantity query quota range rate ratio reason ref reference region
  remaining renewal reply request requested requests required reset resource response result results retry
  role rotation rule scope score second seconds sequence server service session setting settings size sort
  source speed stamp start started state status stock sub subtotal success sum summary tag tags target tax
  test tests text threshold tier time timeout timestamp timezone to token total traffic type unit units
  unlimited until updated url usage use used user username users valid value values version via visible
  warning warnings week weight when with year zone`;

const wordsIn = (text: string): string[] => text.match(/[a-z0-9]+/g) ?? [];

const documentedPaths = [...Object.values(DOCUMENTED_ANSWERS), DOCUMENTED_ERROR].flatMap((shape) =>
  fieldsOf(shape).map(({ path }) => path),
);

/** The words of all documented fields, and ordinary ones. */
export const API_WORDS: ReadonlySet<string> = new Set([...documentedPaths, ORDINARY_WORDS].flatMap(wordsIn));
