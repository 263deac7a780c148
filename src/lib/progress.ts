// How far long work has come.

export interface Progress {
  readonly done: number;
  /** Undefined when it isn't known. */
  readonly total: number | undefined;
  /** Of both, in the plural. */
  readonly unit: string;
}
