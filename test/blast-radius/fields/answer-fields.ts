// Lists the fields of the provider's answers: the documented ones, and those that the simulator's answers have.

import { DOCUMENTED_ANSWERS } from '../../../src/provider/documented-answers/documented-answers.ts';
import { fieldsOf, joinPath, type Shape } from '../../../src/provider/documented-answers/shapes.ts';
import { isObject } from './change-field.ts';
import type { FieldType } from './mutations.ts';

/** The types of fields by their paths, such as `data.intervals[].bytes`. */
export type Fields = ReadonlyMap<string, FieldType>;

const TYPE_OF: Readonly<Record<string, FieldType>> = {
  integer: 'number',
  number: 'number',
  boolean: 'flag',
  metadata: 'object',
};

const typeOfShape = (shape: Shape): FieldType => {
  if (shape.kind === 'value') return TYPE_OF[shape.types[0] ?? 'text'] ?? 'text';
  return shape.kind === 'list' ? 'list' : 'object';
};

const typeOfValue = (value: unknown): FieldType => {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'flag';
  return isObject(value) ? 'object' : 'text';
};

export const documentedShape = (endpoint: string): Shape => {
  const shape = DOCUMENTED_ANSWERS[endpoint];
  if (!shape) throw new Error(`the documented answers lack the endpoint ${endpoint}`);
  return shape;
};

/** Returns the step to a child of an object, and what is documented of the child. */
export const childOf = (shape: Shape | undefined, key: string): [step: string, shape: Shape | undefined] => {
  if (shape?.kind === 'map') return ['{}', shape.value];
  return [key, shape?.kind === 'object' ? shape.fields[key] : undefined];
};

/** What is documented of the items of a list. */
export const itemShapeOf = (shape: Shape | undefined): Shape | undefined =>
  shape?.kind === 'list' ? shape.item : undefined;

/** Whether the content of an object belongs to the customer, so that no field of it is known. */
const isMetadata = (shape: Shape | undefined): boolean =>
  shape?.kind === 'value' && shape.types.includes('metadata');

const addFields = (
  fields: Map<string, FieldType>,
  json: unknown,
  shape: Shape | undefined,
  path = '',
): void => {
  if (Array.isArray(json)) {
    for (const item of json) addFields(fields, item, itemShapeOf(shape), joinPath(path, '[]'));
  } else if (isObject(json) && !isMetadata(shape)) {
    for (const [key, value] of Object.entries(json)) {
      const [step, child] = childOf(shape, key);
      const childPath = joinPath(path, step);
      if (step !== '{}' && !fields.has(childPath))
        fields.set(childPath, child ? typeOfShape(child) : typeOfValue(value));
      addFields(fields, value, child, childPath);
    }
  }
};

/** Returns the documented fields of an endpoint's answer, and all others that the answers have. */
export const fieldsIn = (endpoint: string, answers: readonly unknown[]): Fields => {
  const shape = documentedShape(endpoint);
  const fields = new Map(
    fieldsOf(shape)
      .filter(({ path }) => !/(\[\]|\{\})$/.test(path))
      .map((field) => [field.path, typeOfShape(field.shape)] as const),
  );
  for (const answer of answers) addFields(fields, answer, shape);
  return fields;
};
