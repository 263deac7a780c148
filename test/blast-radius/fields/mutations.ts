// Defines how the tests of fields change a field of the provider's answers.

/** What kind of value a field has. Dates and ids are texts. */
export type FieldType = 'text' | 'number' | 'flag' | 'list' | 'object';

/** The result of a mutation that leaves the field out. */
export const LEFT_OUT = Symbol('left out');

export interface Mutation {
  /** The name in the tables. */
  readonly name: string;
  /** The types of fields that it makes sense for. */
  readonly types: readonly FieldType[];
  /** Whether the new value is none that the documentation allows for any field of the type. */
  readonly isOfOtherType: boolean;
  /** Returns the new value for a field of the type. */
  valueFor(type: FieldType): unknown;
}

const ALL: readonly FieldType[] = ['text', 'number', 'flag', 'list', 'object'];

/** No code converts it: a number or a flag could stand for a text, and a text for a number. */
const OTHER: Readonly<Record<FieldType, unknown>> = {
  text: ['another type'],
  number: 'another type',
  flag: 'another type',
  list: 'another type',
  object: 'another type',
};

export const MUTATIONS: readonly Mutation[] = [
  { name: 'absent', types: ALL, isOfOtherType: false, valueFor: () => LEFT_OUT },
  { name: 'null', types: ALL, isOfOtherType: false, valueFor: () => null },
  { name: 'another type', types: ALL, isOfOtherType: true, valueFor: (type) => OTHER[type] },
  { name: 'negative', types: ['number'], isOfOtherType: false, valueFor: () => -7 },
  { name: '2^60', types: ['number'], isOfOtherType: false, valueFor: () => 2 ** 60 },
  { name: 'an unknown word', types: ['text'], isOfOtherType: false, valueFor: () => 'unknown_word' },
];
