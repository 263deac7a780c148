// Compares the fields of a sample of answers with their documentation.

import {
  childrenOf,
  joinPath,
  type ObjectShape,
  type Shape,
  type ValueShape,
} from '../documented-answers/shapes.ts';
import { FieldCounts, type FieldJson, UnknownFields, type UnknownFieldsJson } from './field-counts.ts';
import { type Json, objectOf } from './observed-answer.ts';
import { isOfType } from './value-types.ts';

/** To compare an answer takes about as long as to parse its JSON, so the sample adds a twentieth to that. */
const ALL_COMPARED = 50;
const SHARE_COMPARED = 1 / 20;

/** The first answers are all compared, then a random sample. A fixed rhythm could always meet the same part. */
export class FieldComparison {
  readonly #root: FieldObserver | undefined;
  readonly #random: () => number;
  #compared = 0;

  /** `documented` is undefined if the documentation does not have the answer, which is then never compared. */
  constructor(documented: Shape | undefined, random: () => number) {
    this.#root = documented && new FieldObserver(documented);
    this.#random = random;
  }

  /** Returns whether the answer is in the sample. */
  observe(json: unknown): boolean {
    if (!this.#root || (this.#compared >= ALL_COMPARED && this.#random() >= SHARE_COMPARED)) return false;
    this.#compared += 1;
    this.#root.observe(json);
    return true;
  }

  toJson() {
    return {
      compared_answers: this.#compared,
      /** The documented fields that differ from their documentation. */
      fields: this.#root?.differences() ?? [],
      unknown_fields: this.#root?.unknownFields() ?? [],
    };
  }
}

/** Of a longer list or map, only the first items are compared. */
const MAX_ITEMS = 2_000;

/** Compares the values of one documented field, and of all fields below it, with their documented shape. */
class FieldObserver {
  readonly #path: string;
  readonly #shape: Shape;
  /** The observers of the fields of an object, or of the items of a list or map. */
  readonly #children: readonly { readonly name: string; readonly observer: FieldObserver }[];
  /** Only objects have unknown fields. */
  readonly #unknown: UnknownFields | undefined;
  readonly #counts = new FieldCounts();

  constructor(shape: Shape, path = '') {
    this.#path = path;
    this.#shape = shape;
    this.#unknown = shape.kind === 'object' ? new UnknownFields() : undefined;
    this.#children = childrenOf(shape).map(([step, child]) => ({
      name: step,
      observer: new FieldObserver(child, joinPath(path, step)),
    }));
  }

  observe(value: unknown): void {
    this.#counts.expected += 1;
    if (value === undefined) this.#counts.missing += 1;
    else if (value === null) this.#counts.nulls += 1;
    else if (!this.#observeInner(value)) this.#counts.addOtherType(value);
  }

  /** Returns the fields that differ, the outer ones first. */
  differences(): FieldJson[] {
    const own = this.#counts.toJson(this.#path, this.#shape);
    return [...(own ? [own] : []), ...this.#children.flatMap(({ observer }) => observer.differences())];
  }

  unknownFields(): (UnknownFieldsJson & { readonly path: string })[] {
    const own = this.#unknown?.toJson();
    const inner = this.#children.flatMap(({ observer }) => observer.unknownFields());
    return own ? [{ path: this.#path, ...own }, ...inner] : inner;
  }

  /** Returns false if the value is of another type than the documented one. */
  #observeInner(value: unknown): boolean {
    const shape = this.#shape;
    if (shape.kind === 'value') return this.#observeValue(shape, value);
    if (shape.kind === 'list') return Array.isArray(value) && this.#observeItems(value);
    const object = objectOf(value);
    if (!object) return false;
    if (shape.kind === 'map') return this.#observeItems(Object.values(object));
    for (const { name, observer } of this.#children) observer.observe(object[name]);
    this.#unknown?.observe(object, unknownIn(object, shape));
    return true;
  }

  #observeItems(items: readonly unknown[]): boolean {
    const [child] = this.#children;
    for (const item of items.slice(0, MAX_ITEMS)) child?.observer.observe(item);
    return true;
  }

  #observeValue({ types, vocabulary }: ValueShape, value: unknown): boolean {
    if (!isOfType(value, types)) return false;
    if (vocabulary && !vocabulary.has(String(value))) this.#counts.unknownWords += 1;
    return true;
  }
}

/** Returns the names of the fields that the documentation does not have. */
const unknownIn = (object: Json, { fields, hasUnnamedLists }: ObjectShape): string[] =>
  Object.keys(object).filter(
    (name) => !Object.hasOwn(fields, name) && !(hasUnnamedLists && isListOfObjects(object[name])),
  );

const isListOfObjects = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => objectOf(item) !== undefined);
