// Defines the progress of long work.

export interface Progress {
  readonly done: number;
  /** Undefined if it is unknown. */
  readonly total: number | undefined;
  /** The unit of `done` and `total`, in the plural. */
  readonly unit: string;
}
