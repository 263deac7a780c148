// Defines how the documented answers are written down: values, objects, lists and maps.

import { type Vocabulary, wordsIn } from '../documented-words.ts';

/**
 * The documented types of single values. `country` has two lowercase letters, `cycle` is
 * `<count>:<interval>`, `word_null` is the text "null", and `metadata` is an object of the customer, whose
 * content is not documented.
 */
export const VALUE_TYPES = [
  'text',
  'word_null',
  'integer',
  'number',
  'boolean',
  'datetime',
  'date',
  'uuid',
  'country',
  'cycle',
  'metadata',
] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

interface Field {
  /** Whether it may be null: the documentation says or shows it, or the field may have no value, such as a limit. */
  readonly isNullable: boolean;
  /** Whether the documentation says that it may be absent. */
  readonly isOptional: boolean;
}

export interface ValueShape extends Field {
  readonly kind: 'value';
  /** Several types if the documentation has several. */
  readonly types: readonly ValueType[];
  /** The documented words of a text. The set is open, so another word is no mistake. */
  readonly vocabulary: Vocabulary | undefined;
}

export interface ObjectShape extends Field {
  readonly kind: 'object';
  readonly fields: Readonly<Record<string, Shape>>;
  /** Whether the documentation has lists of objects without naming their fields. */
  readonly hasUnnamedLists: boolean;
}

export interface ListShape extends Field {
  readonly kind: 'list';
  readonly item: Shape;
}

/** An object whose keys are data, such as the codes of products. */
export interface MapShape extends Field {
  readonly kind: 'map';
  readonly value: Shape;
}

export type Shape = ValueShape | ObjectShape | ListShape | MapShape;

const REQUIRED: Field = { isNullable: false, isOptional: false };

export const value = (...types: ValueType[]): ValueShape => ({
  ...{ kind: 'value', types, vocabulary: undefined },
  ...REQUIRED,
});

export const word = (vocabulary: Vocabulary): ValueShape => ({ ...value('text'), vocabulary });

export const list = (item: Shape): ListShape => ({ kind: 'list', item, ...REQUIRED });

export const map = (of: Shape): MapShape => ({ kind: 'map', value: of, ...REQUIRED });

export const optional = <S extends Shape>(shape: S): S => ({ ...shape, isOptional: true });

export const orNull = <S extends Shape>(shape: S): S => ({ ...shape, isNullable: true });

/** The names of fields by their type, separated by spaces. */
type NamesByType = Readonly<Partial<Record<ValueType | `${ValueType} or null`, string>>>;

/** Describes an object by the names of its simple fields, and by the shapes of all others. */
export const object = (names: NamesByType, others: Readonly<Record<string, Shape>> = {}): ObjectShape => {
  const simple = VALUE_TYPES.flatMap((type) => [
    ...namesIn(names[type]).map((name) => [name, value(type)] as const),
    ...namesIn(names[`${type} or null`]).map((name) => [name, orNull(value(type))] as const),
  ]);
  const fields = { ...Object.fromEntries(simple), ...others };
  return { kind: 'object', fields, hasUnnamedLists: false, ...REQUIRED };
};

export const withUnnamedLists = (shape: ObjectShape): ObjectShape => ({ ...shape, hasUnnamedLists: true });

const namesIn = (names: string | undefined): string[] => (names === undefined ? [] : wordsIn(names));

interface DocumentedField {
  /** `[]` stands for the items of a list, `{}` for the keys of a map. */
  readonly path: string;
  readonly shape: Shape;
}

/** Returns the field and all fields below it, the outer ones first. */
export const fieldsOf = (shape: Shape, path = ''): DocumentedField[] => {
  const own = path === '' ? [] : [{ path, shape }];
  return [...own, ...childrenOf(shape).flatMap(([step, child]) => fieldsOf(child, joinPath(path, step)))];
};

/** Appends a step of a path: the name of a field, `[]` or `{}`. */
export const joinPath = (path: string, step: string): string =>
  path === '' || step === '[]' ? `${path}${step}` : `${path}.${step}`;

/** Returns the shapes directly below a shape, with the steps that lead to them. */
export const childrenOf = (shape: Shape): [step: string, shape: Shape][] => {
  if (shape.kind === 'object') return Object.entries(shape.fields);
  if (shape.kind === 'list') return [['[]', shape.item]];
  return shape.kind === 'map' ? [['{}', shape.value]] : [];
};
