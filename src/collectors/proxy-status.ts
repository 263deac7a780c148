// What a proxy's status says of its use.

/**
 * By the provider's public documentation; the API's specification shows `in_use` alone. The set is open: one that nobody
 * has heard of is taken for in use rather than passed over in silence.
 */
const NOT_IN_USE: ReadonlySet<string | null> = new Set([
  'available',
  'reserved',
  'waiting',
  'pending_deletion',
]);

export const isInUse = (status: string | null): boolean => !NOT_IN_USE.has(status);
