// A bounded piece of maintenance, so that the event loop is never held for long.

/** Done inside a transaction, again and again until it deletes nothing; how many rows it deleted. */
export type Slice = () => number;

/** Rows that a slice deletes, give or take an hour of them: some 2 ms of CPU. */
export const SLICE_ROWS = 250;
