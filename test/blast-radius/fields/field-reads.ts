// Records which fields of the provider's answers the code reads, by handing it answers that observe their use.

import { joinPath, type Shape } from '../../../src/provider/documented-answers/shapes.ts';
import { childOf, documentedShape, itemShapeOf } from './answer-fields.ts';
import { isObject } from './change-field.ts';

/** The paths of the fields that were read, by endpoint. */
export class FieldReads {
  readonly #paths = new Map<string, Set<string>>();

  of(endpoint: string): ReadonlySet<string> {
    return this.#paths.get(endpoint) ?? new Set();
  }

  get endpoints(): string[] {
    return [...this.#paths.keys()];
  }

  /** Returns an answer that looks the same and records what is read of it. */
  observe(endpoint: string, answer: unknown): unknown {
    const paths = this.#paths.get(endpoint) ?? new Set();
    this.#paths.set(endpoint, paths);
    const shape = documentedShape(endpoint);
    // Some code decodes `data` in a second step, after it copied all fields of it in the first.
    const isWhole = isObject(answer) && 'data' in answer;
    if (!isWhole) for (const path of paths) if (/^data\.\w+$/.test(path)) paths.delete(path);
    return isWhole
      ? observed(answer, shape, '', paths)
      : observed(answer, childOf(shape, 'data')[1], 'data', paths);
  }
}

const observed = (value: unknown, shape: Shape | undefined, path: string, paths: Set<string>): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (target, key, receiver) => {
      const child: unknown = Reflect.get(target, key, receiver);
      // A list has the functions of lists, and an object those of objects.
      if (typeof key === 'symbol' || typeof child === 'function') return child;
      const isList = Array.isArray(target);
      const [step, childShape] = isList ? ['[]', itemShapeOf(shape)] : childOf(shape, key);
      const childPath = joinPath(path, step);
      // Who reads an item reads the list.
      if (isList) paths.add(path);
      else if (step !== '{}') paths.add(childPath);
      return isList && key === 'length' ? child : observed(child, childShape, childPath, paths);
    },
  });
};
