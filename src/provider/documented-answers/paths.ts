// Lists the paths of all fields of a shape, such as `data.intervals[].bytes`.

import type { Shape } from './shapes.ts';

export interface DocumentedField {
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
